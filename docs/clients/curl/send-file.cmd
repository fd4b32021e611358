@echo off
rem Sends a file of this PC with a text: send-file.cmd 6281234567890 text.txt INV-1001 invoice.pdf
rem The text is in a file (UTF-8), which may be empty. Repeats and KURIR_KEY are as in send.cmd; KURIR_SENDER names the
rem sender where there are several.
if "%~4"=="" echo Usage: send-file.cmd 6281234567890 text.txt INV-1001 invoice.pdf
if "%~4"=="" exit /b 1
if not exist "%~2" echo There is no file %~2.
if not exist "%~2" exit /b 1
if not exist "%~4" echo There is no file %~4.
if not exist "%~4" exit /b 1
if "%KURIR_URL%"=="" set KURIR_URL=http://127.0.0.1:7420
set FROM=
if not "%KURIR_SENDER%"=="" set FROM=--form-string "sender_code=%KURIR_SENDER%"
curl.exe --silent --show-error --fail-with-body --max-time 60 --retry 5 --retry-connrefused ^
  --header "Authorization: Bearer %KURIR_KEY%" ^
  --header "Idempotency-Key: %~3" ^
  --form-string "phone=%~1" --form-string "reference_id=%~3" %FROM% ^
  --form "message=<%~2" --form "file=@%~4" ^
  "%KURIR_URL%/send"
