#!/bin/sh
# Sends the message in a file: ./send.sh message.json INV-1001
# curl repeats the call by itself where it got no answer, or was too fast (Retry-After is kept); the reference keeps the
# message from being sent twice. KURIR_KEY holds the API key. Needs curl 7.76 or newer.
set -eu
if [ $# -ne 2 ]; then
  echo 'Usage: ./send.sh <file with the message> <reference>' >&2
  exit 1
fi
if [ ! -f "$1" ]; then
  echo "There is no file $1." >&2
  exit 1
fi
curl --silent --show-error --fail-with-body --max-time 60 --retry 5 --retry-connrefused \
  --header "Authorization: Bearer $KURIR_KEY" \
  --header 'Content-Type: application/json' \
  --header "Idempotency-Key: $2" \
  --data-binary "@$1" \
  "${KURIR_URL:-http://127.0.0.1:7420}/send"
