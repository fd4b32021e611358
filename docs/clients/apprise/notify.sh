#!/bin/sh
# Sends one message with Apprise 1.2 or newer: ./notify.sh 6281234567890 'Backup failed' backup-2026-11-23
# Other programs that take an address of Apprise get that of APPRISE_URLS, with a reference of its own for each message
# or without one. KURIR_KEY holds the API key; KURIR_SENDER names the sender where there are several.
set -eu
if [ $# -ne 3 ]; then
  echo 'Usage: ./notify.sh <phone> <message> <reference>' >&2
  exit 1
fi
url=${KURIR_URL:-http://127.0.0.1:7420}
# + is a header, : a member of the message. In the environment, because arguments are in the list of processes.
export APPRISE_URLS="json://${url#http://}/send?+Authorization=Bearer%20$KURIR_KEY&:phone=$1\
${KURIR_SENDER:+&:sender_code=$KURIR_SENDER}&+Idempotency-Key=$3&:reference_id=$3"
# Apprise fails for all reasons alike; the reference keeps a repeated message from being sent twice.
for pause in 1 2 5 10 0; do
  if answer=$(apprise -v --body "$2" 2>&1); then exit 0; fi
  case $answer in *error=4[0-13-9][0-9]* | *error=42[0-8]*) break ;; esac # Kurir said no, and would again.
  sleep "$pause"
done
echo "$3 was not taken. $answer" >&2
exit 1
