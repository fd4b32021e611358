@echo off
rem Sends the message in a file: send.cmd message.json INV-1001
rem The text is in a file (UTF-8), because quotes and % mean something else to cmd.exe.
rem curl repeats the call by itself where it got no answer, or was too fast; the reference keeps the message from being
rem sent twice. KURIR_KEY holds the API key. curl.exe is part of Windows 10 and 11, new enough since 2022.
if "%~2"=="" echo Usage: send.cmd message.json INV-1001
if "%~2"=="" exit /b 1
if not exist "%~1" echo There is no file %~1.
if not exist "%~1" exit /b 1
if "%KURIR_URL%"=="" set KURIR_URL=http://127.0.0.1:7420
curl.exe --silent --show-error --fail-with-body --max-time 60 --retry 5 --retry-connrefused ^
  --header "Authorization: Bearer %KURIR_KEY%" ^
  --header "Content-Type: application/json" ^
  --header "Idempotency-Key: %~2" ^
  --data-binary "@%~1" ^
  "%KURIR_URL%/send"
