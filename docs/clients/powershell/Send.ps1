# Sends one message: .\Send.ps1 -Phone 6281234567890 -Message 'Pesanan siap' -Reference INV-1001 [-File https://…]
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
if ($File) { $body.file = $File }
if ($Sender) { $body.sender_code = $Sender }
$call = @{
    Method      = 'Post'
    Uri         = "$url/send"
    Headers     = @{ Authorization = "Bearer $env:KURIR_KEY"; 'Idempotency-Key' = $Reference }
    ContentType = 'application/json'
    # As bytes: Windows PowerShell 5.1 would write a text in another encoding.
    Body        = [Text.Encoding]::UTF8.GetBytes((ConvertTo-Json $body))
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
