Option Strict On
Option Infer On
Imports System
Imports System.Collections.Generic
Imports System.IO
Imports System.Net.Http
Imports System.Runtime.Serialization
Imports System.Runtime.Serialization.Json
Imports System.Text
Imports System.Threading.Tasks

' Sends one message: Send.exe <phone> <message> <reference> [address or path of a file]
' .NET Framework 4.6.1 or newer, or .NET 6 or newer; no package. KURIR_KEY holds the API key.
' vbc Send.vb /r:System.Net.Http.dll /r:System.Runtime.Serialization.dll

''' <summary>What POST /send takes; file is an address. A member that is Nothing is left out.</summary>
<DataContract> Public Class KurirMessage
    <DataMember(EmitDefaultValue:=False)> Public phone As String
    <DataMember(EmitDefaultValue:=False)> Public message As String
    <DataMember(EmitDefaultValue:=False)> Public file As String
    <DataMember(EmitDefaultValue:=False)> Public sender_code As String
    <DataMember(EmitDefaultValue:=False)> Public reference_id As String
End Class

<DataContract> Public Class KurirData
    <DataMember> Public id As String
End Class

<DataContract> Public Class KurirError
    <DataMember> Public code As String
End Class

<DataContract> Public Class KurirAnswer
    <DataMember> Public message As String
    <DataMember> Public data As KurirData
    <DataMember(Name:="error")> Public problem As KurirError
End Class

''' <summary>Kurir said no: the same call would be refused again.</summary>
Public Class KurirRefused
    Inherits Exception
    Public Sub New(sentence As String)
        MyBase.New(sentence)
    End Sub
End Class

Public Module Kurir
    Private ReadOnly Http As New HttpClient With {.Timeout = TimeSpan.FromSeconds(60)}
    Private ReadOnly Again As New HashSet(Of Integer) From {429, 500, 502, 503}

    Private Function Env(name As String, otherwise As String) As String
        Return If(Environment.GetEnvironmentVariable(name), otherwise)
    End Function

    ''' <summary>
    ''' Gives a message to Kurir, and repeats the call until it is certain that Kurir has it. Its reference_id is your own
    ''' number for this message (such as INV-1001): Kurir sends it once, however often you ask.
    ''' </summary>
    ''' <param name="path">A file of this PC to send along, or Nothing.</param>
    ''' <returns>Kurir's id of the message.</returns>
    Public Async Function Send(message As KurirMessage, path As String) As Task(Of String)
        Dim url = Env("KURIR_URL", "http://127.0.0.1:7420") & "/send"
        For Each pause In {1, 2, 5, 10, 0}
            Dim wait = TimeSpan.FromSeconds(pause)
            Try
                Dim request As New HttpRequestMessage(HttpMethod.Post, url)
                request.Headers.Add("Authorization", "Bearer " & Env("KURIR_KEY", ""))
                request.Headers.Add("Idempotency-Key", message.reference_id)
                If path Is Nothing Then
                    request.Content = New StringContent(ToJson(message), Encoding.UTF8, "application/json")
                Else
                    request.Content = Form(message, path)
                End If
                Using response = Await Http.SendAsync(request)
                    Dim answer = FromJson(Await response.Content.ReadAsStringAsync())
                    If response.IsSuccessStatusCode Then Return answer.data.id
                    ' Too fast, or Kurir is closing: the same call again, a little later.
                    If Not Again.Contains(CInt(response.StatusCode)) Then
                        Throw New KurirRefused(answer.problem.code & ": " & answer.message)
                    End If
                    Dim after = response.Headers.RetryAfter
                    If after IsNot Nothing AndAlso after.Delta.HasValue Then wait = after.Delta.Value
                End Using
            Catch noAnswer As HttpRequestException
                ' No answer, or half of one: the reference keeps it from being sent twice.
            Catch tooSlow As TaskCanceledException
            Catch half As SerializationException
            End Try
            Await Task.Delay(If(wait < TimeSpan.FromMinutes(1), wait, TimeSpan.FromMinutes(1)))
        Next
        Throw New TimeoutException(
            "Kurir at " & url & " does not take " & message.reference_id & " now. Try again later, with the same reference.")
    End Function

    ''' <summary>The same members as a form, with the file itself.</summary>
    Private Function Form(message As KurirMessage, path As String) As HttpContent
        Dim parts As New MultipartFormDataContent()
        parts.Add(New StringContent(message.phone), "phone")
        parts.Add(New StringContent(message.message), "message")
        parts.Add(New StringContent(message.reference_id), "reference_id")
        If message.sender_code IsNot Nothing Then parts.Add(New StringContent(message.sender_code), "sender_code")
        parts.Add(New StreamContent(File.OpenRead(path)), "file", IO.Path.GetFileName(path))
        Return parts
    End Function

    Private Function ToJson(message As KurirMessage) As String
        Dim stream As New MemoryStream()
        Dim serializer As New DataContractJsonSerializer(GetType(KurirMessage))
        serializer.WriteObject(stream, message)
        Return Encoding.UTF8.GetString(stream.ToArray())
    End Function

    Private Function FromJson(json As String) As KurirAnswer
        Dim stream As New MemoryStream(Encoding.UTF8.GetBytes(json))
        Dim serializer As New DataContractJsonSerializer(GetType(KurirAnswer))
        Return DirectCast(serializer.ReadObject(stream), KurirAnswer)
    End Function
End Module

Public Module Program
    Public Function Main(args As String()) As Integer
        If args.Length < 3 Then
            Console.Error.WriteLine("Usage: Send.exe <phone> <message> <reference> [address or path of a file]")
            Return 1
        End If
        Try
            Dim file = If(args.Length > 3, args(3), Nothing)
            Dim isPath = file IsNot Nothing AndAlso Not file.StartsWith("http://") AndAlso Not file.StartsWith("https://")
            Dim message As New KurirMessage With {
                .phone = args(0),
                .message = args(1),
                .reference_id = args(2),
                .file = If(isPath, Nothing, file),
                .sender_code = Environment.GetEnvironmentVariable("KURIR_SENDER")
            }
            Console.WriteLine(Kurir.Send(message, If(isPath, file, Nothing)).GetAwaiter().GetResult())
            Return 0
        Catch problem As Exception When TypeOf problem Is KurirRefused OrElse
            TypeOf problem Is TimeoutException OrElse TypeOf problem Is IOException
            Console.Error.WriteLine(problem.Message)
            Return 1
        End Try
    End Function
End Module
