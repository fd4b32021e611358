"""Sends one message: python3 send.py <phone> <message> <reference> [address or path of a file]

Needs Python 3.9 or newer, nothing else. KURIR_KEY holds the API key.
"""
import json, os, re, sys, time, urllib.error, urllib.request, uuid


class Refused(Exception):
    """Kurir said no: the same call would be refused again."""


def send(phone: str, message: str, reference: str, file: "str | None" = None) -> str:
    """Gives a message to Kurir, and repeats the call until it is certain that Kurir has it.

    `reference` is your own number for this message (such as INV-1001): Kurir sends it once, however often you ask.
    Returns Kurir's id of the message.
    """
    body = {"phone": phone, "message": message, "reference_id": reference}
    if os.environ.get("KURIR_SENDER"):
        body["sender_code"] = os.environ["KURIR_SENDER"]
    if file is None or re.match("https?:", file):
        if file is not None:
            body["file"] = file
        content_type, data = "application/json", json.dumps(body).encode()
    else:
        content_type, data = form(body, file)
    url = os.environ.get("KURIR_URL", "http://127.0.0.1:7420")
    request = urllib.request.Request(
        url + "/send",
        data=data,
        headers={
            "Authorization": "Bearer " + os.environ.get("KURIR_KEY", ""),
            "Content-Type": content_type,
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
    raise TimeoutError(f"Kurir at {url} does not take {reference} now. Try again later, with the same reference.")


def form(members: "dict[str, str]", path: str) -> "tuple[str, bytes]":
    """The same members as a form, with the file itself: its content type and its bytes."""
    boundary = uuid.uuid4().hex
    head = f"--{boundary}\r\nContent-Disposition: form-data; name="
    parts = [f'{head}"{name}"\r\n\r\n{value}\r\n'.encode() for name, value in members.items()]
    shown = os.path.basename(path).replace('"', "%22")
    parts.append(f'{head}"file"; filename="{shown}"\r\nContent-Type: application/octet-stream\r\n\r\n'.encode())
    with open(path, "rb") as content:
        parts.append(content.read())
    parts.append(f"\r\n--{boundary}--\r\n".encode())
    return f"multipart/form-data; boundary={boundary}", b"".join(parts)


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit("Usage: python3 send.py <phone> <message> <reference> [address or path of a file]")
    try:
        print(send(*sys.argv[1:]))
    except (Refused, OSError) as error:
        sys.exit(str(error))
