Attribute VB_Name = "Kurir"
' Sends one message from VB6, Excel or Access: id = KurirSend("6281234567890", "Terima kasih, lunas", "INV-1001")
' NOT COMPILED by the tests: VB6 and VBA exist only on Windows. By hand: its JSON ran in LibreOffice 7.4's VBA.
' Windows XP SP3 or newer, nothing to install. VB6: Project > Add File. Excel, Access: Alt+F11, File > Import File.
' The environment variable KURIR_KEY holds the API key.
Option Explicit

#If VBA7 Then
Private Declare PtrSafe Sub Sleep Lib "kernel32" (ByVal milliseconds As Long)
#Else
Private Declare Sub Sleep Lib "kernel32" (ByVal milliseconds As Long)
#End If

' Kurir said no: the same call would be refused again. Err.Description says why.
Public Const KurirRefused As Long = vbObjectError + 7420
' Kurir does not answer now: try again later, with the same reference.
Public Const KurirNotNow As Long = vbObjectError + 7421

' Gives a message to Kurir, and repeats the call until it is certain that Kurir has it.
' reference is your own number for this message: Kurir sends it once, however often you ask.
' Returns Kurir's id of the message. The program stands still for up to 18 seconds while Kurir restarts.
Public Function KurirSend(ByVal phone As String, ByVal message As String, ByVal reference As String) As String
    Dim http As Object, body As String, answer As String, url As String
    Dim pauses As Variant, attempt As Integer, status As Long, seconds As Long

    url = Environ$("KURIR_URL")
    If url = "" Then url = "http://127.0.0.1:7420"
    body = "{""phone"":" & JsonText(phone) & ",""message"":" & JsonText(message)
    body = body & ",""reference_id"":" & JsonText(reference)
    If Environ$("KURIR_SENDER") <> "" Then body = body & ",""sender_code"":" & JsonText(Environ$("KURIR_SENDER"))
    body = body & "}"

    pauses = Array(1, 2, 5, 10, 0)
    For attempt = 0 To 4
        status = 0
        answer = ""
        seconds = pauses(attempt)
        Set http = CreateObject("MSXML2.ServerXMLHTTP.6.0")
        http.setTimeouts 5000, 5000, 60000, 60000
        http.Open "POST", url & "/send", False
        http.setRequestHeader "Authorization", "Bearer " & Environ$("KURIR_KEY")
        http.setRequestHeader "Content-Type", "application/json"
        http.setRequestHeader "Idempotency-Key", reference
        On Error Resume Next ' No connection is an error here: status stays 0.
        http.send body
        If Err.Number = 0 Then
            answer = http.responseText
            status = http.status
            If http.getResponseHeader("Retry-After") <> "" Then seconds = CLng(http.getResponseHeader("Retry-After"))
        End If
        On Error GoTo 0
        If status = 200 And JsonMember(answer, "id") <> "" Then
            KurirSend = JsonMember(answer, "id")
            Exit Function
        End If
        Select Case status
            Case 0, 200, 429, 500, 502, 503 ' No answer, half of one, too fast, or closing: again, a little later.
                If seconds > 60 Then seconds = 60
                Sleep seconds * 1000
            Case Else
                Err.Raise KurirRefused, "Kurir", JsonMember(answer, "code") & ": " & JsonMember(answer, "message")
        End Select
    Next
    Err.Raise KurirNotNow, "Kurir", "Kurir at " & url & " does not take " & reference & " now. Try again, with the same reference."
End Function

' A text in JSON, in ASCII alone.
Private Function JsonText(ByVal text As String) As String
    Dim position As Long, code As Long, json As String
    For position = 1 To Len(text)
        code = AscW(Mid$(text, position, 1)) And &HFFFF&
        Select Case code
            Case 34, 92: json = json & "\" & ChrW$(code)
            Case 32 To 126: json = json & ChrW$(code)
            Case Else: json = json & "\u" & Right$("000" & Hex$(code), 4)
        End Select
    Next
    JsonText = """" & json & """"
End Function

' The first text of this name in Kurir's answer, or "".
Private Function JsonMember(ByVal json As String, ByVal name As String) As String
    Dim first As Long, last As Long
    first = InStr(json, """" & name & """:""")
    If first = 0 Then Exit Function
    first = first + Len(name) + 4
    last = first
    Do While last <= Len(json) And Mid$(json, last, 1) <> """"
        If Mid$(json, last, 1) = "\" Then last = last + 1
        last = last + 1
    Loop
    JsonMember = Mid$(json, first, last - first)
End Function
