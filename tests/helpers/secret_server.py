"""A server whose files are for those alone who send a secret, and which repeats the secret."""

from __future__ import annotations

import base64
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

SECRET = "Kanarienvogel7"
USER = f"me:{SECRET}"


class SecretServer(ThreadingHTTPServer):
    """Serves ``files`` by name under several folders, each with its own habits.

    ``/signed/`` asks for ``?token=``, ``/login/`` for a user and a password, ``/moved/`` leads to
    ``/signed/``, and ``/away/`` to another ``server`` with ``/login/``. Whatever else is asked for
    fails; answers repeat all that was sent.
    """

    def __init__(self, files):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files, self.asked, self.elsewhere = files, [], None

    def address(self, folder, name):
        """Return an address that holds the secret wherever it may."""
        place = f"127.0.0.1:{self.server_port}/{folder}/{name}"
        if folder == "login":
            return f"http://{USER}@{place}#{SECRET}"
        return f"http://{USER}@{place}?token={SECRET}&X-Amz-Signature={SECRET}#{SECRET}"


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        sent = self.headers.get("Authorization", "")
        self.server.asked.append((self.path, sent))
        parts = urlsplit(self.path)
        _, folder, name = parts.path.split("/", 2)
        login = f"Basic {base64.b64encode(USER.encode()).decode()}"
        token = parse_qs(parts.query).get("token") == [SECRET]
        allowed = {"signed": token, "login": sent == login}.get(folder, token or sent == login)
        if folder in {"moved", "away"}:
            to = f"http://127.0.0.1:{(self.server.elsewhere or self.server).server_port}/login"
            to = f"/signed/{name}?token={SECRET}" if folder == "moved" else f"{to}/{name}"
            self.send_response(302)
            self.send_header("Location", to)
            self.end_headers()
        elif folder == "lost":  # a redirect to a signed address that fails
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:1/{name}?X-Amz-Signature={SECRET}")
            self.end_headers()
        elif folder == "loop":
            self.send_response(302)
            self.send_header("Location", self.path)
            self.end_headers()
        elif folder == "foreign":
            self.send_response(302)
            self.send_header("Location", f"ftp://{USER}@127.0.0.1/{name}?token={SECRET}")
            self.end_headers()
        elif folder == "no-http":
            self.wfile.write(f"{self.path} {sent}\r\n\r\n".encode())
        elif folder == "cut":
            self.send_response(200)
            self.send_header("Content-Length", "100000")
            self.end_headers()
            self.wfile.write(b"q1 ")
        elif allowed and name in self.server.files:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(self.server.files[name])
        else:
            reason = f"no {self.path} {sent}"
            self.send_response(404 if allowed else 403, reason)
            self.end_headers()
            self.wfile.write(reason.encode())


@contextmanager
def serving(files):
    """Serve files while the context lasts."""
    server = SecretServer(files)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
