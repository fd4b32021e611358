#!/bin/sh
# Sends a file of this PC with a text: ./send-file.sh 6281234567890 text.txt INV-1001 invoice.pdf
# The text is in a file (UTF-8), which may be empty. Repeats and KURIR_KEY are as in send.sh; KURIR_SENDER names the sender
# where there are several. Needs curl 7.76 or newer.
set -eu
if [ $# -ne 4 ]; then
  echo 'Usage: ./send-file.sh <phone> <file with the text> <reference> <file>' >&2
  exit 1
fi
for each in "$2" "$4"; do
  if [ ! -f "$each" ]; then
    echo "There is no file $each." >&2
    exit 1
  fi
done
phone=$1 text=$2 reference=$3 file=$4
set --
if [ -n "${KURIR_SENDER:-}" ]; then set -- --form-string "sender_code=$KURIR_SENDER"; fi
curl --silent --show-error --fail-with-body --max-time 60 --retry 5 --retry-connrefused \
  --header "Authorization: Bearer $KURIR_KEY" \
  --header "Idempotency-Key: $reference" \
  --form-string "phone=$phone" --form-string "reference_id=$reference" "$@" \
  --form "message=<$text" --form "file=@$file" \
  "${KURIR_URL:-http://127.0.0.1:7420}/send"
