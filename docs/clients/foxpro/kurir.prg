* Sends one message from Visual FoxPro 8 or 9:  SET PROCEDURE TO kurir ADDITIVE
*   TRY
*     lcId = KurirSend("6281234567890", "Terima kasih, lunas", "INV-1001")
*   CATCH TO loError
*     MESSAGEBOX(loError.UserValue)    && "refused: ..." or "later: ..."
*   ENDTRY
* NOT COMPILED by the tests: Visual FoxPro exists only on Windows. Nothing to install; MSXML 6 is part of Windows.
* The environment variable KURIR_KEY holds the API key.

* Gives a message to Kurir, and repeats the call until it is certain that Kurir has it.
* tcReference is your own number for this message: Kurir sends it once, however often you ask.
* Returns Kurir's id of the message. The program stands still for up to 18 seconds while Kurir restarts.
FUNCTION KurirSend(tcPhone, tcMessage, tcReference)
  LOCAL loHttp, lcUrl, lcBody, lcAnswer, lcAfter, lnAttempt, lnStatus, lnSeconds
  DECLARE Sleep IN kernel32 INTEGER milliseconds
  lcUrl = IIF(EMPTY(GETENV("KURIR_URL")), "http://127.0.0.1:7420", GETENV("KURIR_URL"))
  lcBody = '{"phone":' + KurirText(tcPhone) + ',"message":' + KurirText(tcMessage) + ;
    ',"reference_id":' + KurirText(tcReference)
  IF !EMPTY(GETENV("KURIR_SENDER"))
    lcBody = lcBody + ',"sender_code":' + KurirText(GETENV("KURIR_SENDER"))
  ENDIF
  lcBody = lcBody + "}"

  FOR lnAttempt = 1 TO 5
    lnStatus = 0
    lcAnswer = ""
    lnSeconds = INT(VAL(GETWORDNUM("1 2 5 10 0", lnAttempt)))
    TRY
      loHttp = CREATEOBJECT("MSXML2.ServerXMLHTTP.6.0")
      loHttp.setTimeouts(5000, 5000, 60000, 60000)
      loHttp.open("POST", lcUrl + "/send", .F.)
      loHttp.setRequestHeader("Authorization", "Bearer " + GETENV("KURIR_KEY"))
      loHttp.setRequestHeader("Content-Type", "application/json")
      loHttp.setRequestHeader("Idempotency-Key", tcReference)
      loHttp.send(lcBody)
      lcAnswer = loHttp.responseText
      lnStatus = loHttp.status
      lcAfter = NVL(loHttp.getResponseHeader("Retry-After"), "")
      IF !EMPTY(lcAfter)
        lnSeconds = MIN(VAL(lcAfter), 60)
      ENDIF
    CATCH
      * No connection: lnStatus stays 0.
    ENDTRY
    IF lnStatus = 200 AND !EMPTY(KurirMember(lcAnswer, "id"))
      RETURN KurirMember(lcAnswer, "id")
    ENDIF
    * No answer, half of one, too fast, or Kurir is closing: again, a little later. Otherwise Kurir said no.
    IF !INLIST(lnStatus, 0, 200, 429, 500, 502, 503)
      THROW "refused: " + KurirMember(lcAnswer, "code") + ": " + KurirMember(lcAnswer, "message")
    ENDIF
    Sleep(lnSeconds * 1000)
  ENDFOR
  THROW "later: Kurir at " + lcUrl + " does not take " + tcReference + " now. Try again later, with the same reference."
ENDFUNC

* A text in JSON, in ASCII alone.
FUNCTION KurirText(tcText)
  LOCAL lcWide, lcJson, lnPosition, lnCode
  lcWide = STRCONV(tcText, 5)    && Windows' letters to UTF-16, two bytes each
  lcJson = ""
  FOR lnPosition = 1 TO LEN(lcWide) STEP 2
    lnCode = ASC(SUBSTR(lcWide, lnPosition, 1)) + 256 * ASC(SUBSTR(lcWide, lnPosition + 1, 1))
    DO CASE
    CASE INLIST(lnCode, 34, 92)
      lcJson = lcJson + "\" + CHR(lnCode)
    CASE BETWEEN(lnCode, 32, 126)
      lcJson = lcJson + CHR(lnCode)
    OTHERWISE
      lcJson = lcJson + "\u" + RIGHT(TRANSFORM(lnCode, "@0"), 4)
    ENDCASE
  ENDFOR
  RETURN '"' + lcJson + '"'
ENDFUNC

* The first text of this name in Kurir's answer, or "".
FUNCTION KurirMember(tcJson, tcName)
  LOCAL lcRest
  lcRest = STRTRAN(tcJson, '\"', "'")
  RETURN STREXTRACT(lcRest, '"' + tcName + '":"', '"')
ENDFUNC
