# Sends one message: .\Send.ps1 -Phone 6281234567890 -Message 'Pesanan siap' -Reference INV-1001 [-File https://… or a path]
# A new PC refuses scripts: powershell -ExecutionPolicy Bypass -File Send.ps1 -Phone …
# Windows PowerShell 5.1 or PowerShell 7. KURIR_KEY holds the API key: $env:KURIR_KEY = 'kurir_g_…'
param(
    [Parameter(Mandatory)] [string] $Phone,
    [Parameter(Mandatory)] [string] $Message,
    # Your own number for this message: Kurir sends it once, however often you ask.
    [Parameter(Mandatory)] [string] $Reference,
    [string] $File,
    [string] $Sender = $env:KURIR_SENDER
)
$ErrorActionPreference = 'Stop'
$url = if ($env:KURIR_URL) { $env:KURIR_URL } else { 'http://127.0.0.1:7420' }
$body = @{ phone = $Phone; message = $Message; reference_id = $Reference }
if ($Sender) { $body.sender_code = $Sender }
# As bytes: Windows PowerShell 5.1 would write a text in another encoding.
$utf8 = [Text.Encoding]::UTF8
if (-not $File -or $File -match '^https?:') {
    if ($File) { $body.file = $File }
    $type = 'application/json'
    $bytes = $utf8.GetBytes((ConvertTo-Json $body))
} else {
    # The same members as a form, with the file itself; -Form exists only from PowerShell 6.1 on.
    $boundary = [guid]::NewGuid().ToString()
    $type = "multipart/form-data; boundary=$boundary"
    $head = "--$boundary`r`nContent-Disposition: form-data; name="
    $text = ($body.GetEnumerator() | ForEach-Object { "$head`"$($_.Key)`"`r`n`r`n$($_.Value)`r`n" }) -join ''
    $text += "$head`"file`"; filename=`"$(Split-Path -Leaf $File)`"`r`nContent-Type: application/octet-stream`r`n`r`n"
    $content = [IO.File]::ReadAllBytes((Resolve-Path -LiteralPath $File).ProviderPath)
    [byte[]] $bytes = $utf8.GetBytes($text) + $content + $utf8.GetBytes("`r`n--$boundary--`r`n")
}
$call = @{
    Method      = 'Post'
    Uri         = "$url/send"
    Headers     = @{ Authorization = "Bearer $env:KURIR_KEY"; 'Idempotency-Key' = $Reference }
    ContentType = $type
    Body        = $bytes
    TimeoutSec  = 60
}
foreach ($pause in 1, 2, 5, 10, 0) {
    try {
        return (Invoke-RestMethod @call).data.id
    } catch {
        $response = $_.Exception.Response
        $status = if ($response) { [int] $response.StatusCode } else { 0 }
        # No answer, too fast, or Kurir is closing: the same call again, a little later. Otherwise Kurir said no.
        if ($status -notin 0, 429, 500, 502, 503) { throw $(if ($_.ErrorDetails) { $_.ErrorDetails.Message } else { $_ }) }
        Start-Sleep -Seconds $pause
    }
}
throw "Kurir does not take $Reference now. Try again later, with the same reference."
