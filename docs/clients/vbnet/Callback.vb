Option Strict On
Option Infer On
Imports System
Imports System.IO
Imports System.Net
Imports System.Security.Cryptography
Imports System.Text
Imports System.Threading.Tasks

' Takes Kurir's callbacks on http://localhost:8090/: Callback.exe
' (Windows lets every account listen under this name; 127.0.0.1 would need `netsh http add urlacl`.)
' The secret is the whole whsec_… that Kurir's window showed under Webhooks.
' .NET Framework 4.6.1 or newer, or .NET 6 or newer; no package. vbc Callback.vb
Public Module Callback
    Private ReadOnly Secret As String = Env("KURIR_WEBHOOK_SECRET", "whsec_…")
    Private ReadOnly Inbox As String = Env("KURIR_INBOX", "inbox")

    Private Function Env(name As String, otherwise As String) As String
        Return If(Environment.GetEnvironmentVariable(name), otherwise)
    End Function

    Public Function IsFromKurir(secret As String, id As String, timestamp As String, signatures As String, rawBody As Byte()) As Boolean
        Dim seconds As Long
        If id Is Nothing OrElse signatures Is Nothing OrElse Not Long.TryParse(timestamp, seconds) Then Return False
        If Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - seconds) > 300 Then Return False
        Dim head = Encoding.UTF8.GetBytes(id & "." & timestamp & ".")
        Dim signed(head.Length + rawBody.Length - 1) As Byte
        head.CopyTo(signed, 0)
        rawBody.CopyTo(signed, head.Length)
        Using hmac As New HMACSHA256(Convert.FromBase64String(secret.Substring("whsec_".Length)))
            Dim expected = "v1," & Convert.ToBase64String(hmac.ComputeHash(signed))
            For Each given In signatures.Split(" "c)
                If IsEqual(expected, given) Then Return True
            Next
        End Using
        Return False
    End Function

    ''' <summary>Takes as long for a wrong text as for a right one.</summary>
    Private Function IsEqual(expected As String, given As String) As Boolean
        If expected.Length <> given.Length Then Return False
        Dim difference = 0
        For i = 0 To expected.Length - 1
            difference = difference Or (Convert.ToInt32(expected(i)) Xor Convert.ToInt32(given(i)))
        Next
        Return difference = 0
    End Function

    Private Sub Take(incoming As HttpListenerContext)
        Dim status = 500
        Try
            Dim body As New MemoryStream()
            incoming.Request.InputStream.CopyTo(body)
            Dim headers = incoming.Request.Headers
            Dim id = headers("webhook-id")
            If Not IsFromKurir(Secret, id, headers("webhook-timestamp"), headers("webhook-signature"), body.ToArray()) Then
                status = 401
                Return
            End If
            ' Keep it first and answer; another program does the work. A repeated callback has the same id, and so the
            ' same file.
            Directory.CreateDirectory(Inbox)
            File.WriteAllBytes(Path.Combine(Inbox, Path.GetFileName(id) & ".json"), body.ToArray())
            status = 204
        Catch problem As IOException
            Console.Error.WriteLine(problem.Message)
        Finally
            incoming.Response.StatusCode = status
            incoming.Response.Close()
        End Try
    End Sub

    Public Sub Main()
        Dim listener As New HttpListener()
        listener.Prefixes.Add("http://localhost:" & Env("PORT", "8090") & "/")
        listener.Start()
        Do
            Dim incoming = listener.GetContext()
            Task.Run(Sub() Take(incoming))
        Loop
    End Sub
End Module
