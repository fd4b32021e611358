"""Sends one message: python3 send.py <phone> <message> <reference> [address of a file]

Needs Python 3.9 or newer, nothing else. KURIR_KEY holds the API key.
"""
import json, os, sys, time, urllib.error, urllib.request


class Refused(Exception):
    """Kurir said no: the same call would be refused again."""


def send(phone: str, message: str, reference: str, file: "str | None" = None) -> str:
    """Gives a message to Kurir, and repeats the call until it is certain that Kurir has it.

    `reference` is your own number for this message (such as INV-1001): Kurir sends it once, however often you ask.
    Returns Kurir's id of the message.
    """
    body = {"phone": phone, "message": message, "reference_id": reference}
    if file is not None:
        body["file"] = file
    if os.environ.get("KURIR_SENDER"):
        body["sender_code"] = os.environ["KURIR_SENDER"]
    request = urllib.request.Request(
        os.environ.get("KURIR_URL", "http://127.0.0.1:7420") + "/send",
        data=json.dumps(body).encode(),
        headers={
            "Authorization": "Bearer " + os.environ["KURIR_KEY"],
            "Content-Type": "application/json",
            "Idempotency-Key": reference,
        },
    )
    for pause in (1, 2, 5, 10, 0):
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["data"]["id"]
        except urllib.error.HTTPError as refusal:
            # Too fast, or Kurir is closing: the same call again, a little later.
            if refusal.code not in (429, 500, 502, 503):
                answer = json.load(refusal)
                raise Refused(f"{answer['error']['code']}: {answer['message']}") from None
            pause = min(int(refusal.headers.get("Retry-After", pause)), 60)
        except (OSError, ValueError):
            pass  # No answer, or half of one.
        time.sleep(pause)
    raise TimeoutError(f"Kurir does not take {reference} now. Try again later, with the same reference.")


if __name__ == "__main__":
    try:
        print(send(*sys.argv[1:]))
    except (Refused, TimeoutError) as error:
        sys.exit(str(error))
