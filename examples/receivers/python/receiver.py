"""Receives webhooks of Namewatch; needs Python 3.9 or newer and nothing else."""

import base64
import hashlib
import hmac
import json
import os
import re
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
TOLERANCE_SECONDS = 5 * 60
LARGEST_BODY = 100_000

# Ids of events that were taken. In earnest: a table with a unique column, written before you answer.
taken = set()
lock = threading.Lock()


class Refused(Exception):
    pass


def verify(headers, body, now):
    """Standard Webhooks 1.0: returns the event, or raises Refused for what is forged, altered or too old."""
    event_id, timestamp, signatures = (headers.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(now - int(timestamp)) > TOLERANCE_SECONDS:
        raise Refused("the timestamp is missing, too old or too new")
    # Over the bytes as received: parsing and serializing again may change them.
    signed = f"{event_id}.{timestamp}.".encode() + body
    expected = base64.b64encode(hmac.new(SECRET, signed, hashlib.sha256).digest())
    for signature in signatures.split():  # several after a rotation of the secret: one that matches is enough
        version, _, value = signature.partition(",")
        if version == "v1" and hmac.compare_digest(value.encode(), expected):
            return json.loads(body)
    raise Refused("no signature matches")


def handle(event):
    event_id, kind, data = event["id"], event["type"], event["data"]
    if kind == "watchlist.available":
        text = f"{data['domain']} can be registered now"
    elif data.get("move") == "discovered":
        text = f"first answer about {data['domain']}: {data['phase']}"
    elif kind in ("watchlist.status_changed", "watchlist.phase_changed"):
        text = f"{data['domain']} was {data['previous_phase']}, is {data['phase']} ({data['move']})"
    elif kind == "watchlist.expiring":
        renewal = data.get("renewal")
        due = f"is due for renewal on {renewal['on']}" if renewal else f"expires on {data['expires_at'][:10]}"
        text = f"{data['domain']} {due}"
    elif kind in ("watchlist.check_failing", "watchlist.check_recovered"):
        text = f"{data['domain']}: {kind} ({data['code']})"
    elif kind == "watchlist.record_changed":
        text = f"{data['domain']}: {data['kind']} changed from {data['before']} to {data['after']}"
    elif kind == "watchlist.drift_changed":
        text = f"{data['domain']}: not as expected: {', '.join(data['drift']) or 'nothing any more'}"
    elif kind == "channel.disabled":
        text = f"channel {data['channel_id']} was disabled ({data['reason']})"
    elif kind == "channel.test":
        text = data["message"]
    else:
        text = f"{kind} is new to this receiver"
    print(f"{event_id}: {text}", flush=True)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10  # seconds for a client that says nothing

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if self.path != "/webhooks":
            return self.answer(404)
        if not re.fullmatch("[0-9]{1,12}", length):
            return self.answer(411)
        if int(length) > LARGEST_BODY:
            return self.answer(413)
        try:
            event = verify(self.headers, self.rfile.read(int(length)), time.time())
        except Refused as error:
            print(f"refused: {error}", flush=True)
            return self.answer(400)
        with lock:
            is_new = event["id"] not in taken  # at least once: the same event may come again
            taken.add(event["id"])
        self.answer(204)  # soon: what is not answered within 15 seconds comes again
        if is_new:
            handle(event)

    def answer(self, status):
        self.send_response(status)
        if status != 204:
            self.send_header("content-length", "0")
        if status not in (204, 400):  # the body was not read
            self.send_header("connection", "close")
            self.close_connection = True
        self.end_headers()

    def log_message(self, *_):
        pass


def main():
    port = int(os.environ.get("PORT", "8443"))
    server = ThreadingHTTPServer(("127.0.0.1", port), Receiver)
    certificate, key = os.environ.get("TLS_CERT"), os.environ.get("TLS_KEY")
    if certificate and key:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        # The handshake belongs to the connection's own thread: else one silent client would block all others.
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(f"listening on port {port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
