"""Takes Kurir's callbacks on http://127.0.0.1:8090/: python3 callback.py

The secret is the whole whsec_… that Kurir's window showed under Webhooks.
"""
import base64, hashlib, hmac, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SECRET = os.environ.get("KURIR_WEBHOOK_SECRET", "whsec_…")
INBOX = Path(os.environ.get("KURIR_INBOX", "inbox"))


def is_from_kurir(secret: str, headers, raw_body: bytes) -> bool:
    timestamp = headers.get("webhook-timestamp") or ""
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    signed = f"{headers.get('webhook-id')}.{timestamp}.".encode() + raw_body
    key = base64.b64decode(secret[len("whsec_"):])
    expected = "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    given = (headers.get("webhook-signature") or "").split(" ")
    return any(hmac.compare_digest(expected.encode(), one.encode()) for one in given)


class Callback(BaseHTTPRequestHandler):
    def do_POST(self):
        raw_body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not is_from_kurir(SECRET, self.headers, raw_body):
            return self.answer(401)
        # Keep it first and answer; another program does the work. A repeated callback has the same id, and so the same file.
        INBOX.mkdir(mode=0o700, exist_ok=True)
        (INBOX / f"{Path(self.headers['webhook-id']).name}.json").write_bytes(raw_body)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 8090))), Callback).serve_forever()
