"""What does a client get in a company's network? `python company.py FOLDER RULE COMMAND…` runs the command where there
is nothing but loopback, with a proxy at 127.0.0.1:3128 that is the only way out, and ends with the command's status.

The proxy answers in the place of every host, over TLS by a certificate that it signs itself (FOLDER/issuer.pem). RULE
is "open", "password" (name and secret-word are asked for) or "silent" (it never answers).
"""

import base64
import functools
import io
import json
import os
import re
import socketserver
import ssl
import subprocess
import sys
import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler
from pathlib import Path

PORT = 3128
PASSWORD = "Basic " + base64.b64encode(b"name:secret-word").decode()
WHEEL = "ptyprocess-{version}-py2.py3-none-any.whl"


class Proxy(BaseHTTPRequestHandler):
    """One connection: what is asked of any host is answered here, after CONNECT over TLS."""

    protocol_version = "HTTP/1.1"
    folder: Path
    rule: str
    within = False

    def do_CONNECT(self):
        if self._refused():
            return
        self.send_response(200)
        self.end_headers()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*signed(self.folder, self.path.rpartition(":")[0]))
        self.connection = context.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile, self.within = self.connection.makefile("rb"), self.connection.makefile("wb", 0), True
        self.close_connection = False  # some ask for the tunnel by HTTP/1.0, which ends after each answer

    def do_GET(self):
        if not self.within and self._refused():
            return
        found = answer(self.path, requested())
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", found[0] if found else "text/plain")
        self.send_header("Content-Length", str(len(found[1]) if found else 0))
        self.end_headers()
        self.wfile.write(found[1] if found else b"")

    def _refused(self) -> bool:
        if self.rule == "silent":
            time.sleep(3600)
        if self.rule == "open" or self.headers.get("Proxy-Authorization") == PASSWORD:
            return False
        self.send_response(407)
        self.send_header("Proxy-Authenticate", 'Basic realm="company"')
        self.send_header("Content-Length", "0")
        self.end_headers()
        return True

    def log_message(self, *words):
        pass


def answer(path: str, version: str) -> tuple[str, bytes] | None:
    """What there is at this path, as (type, content): each of the four clients' small request, and no more."""
    name = WHEEL.format(version=version)
    if path.endswith("/InRelease"):
        return "text/plain", b"Origin: company\n"
    if path.endswith(name):
        return "application/zip", wheel(version)
    if path.rstrip("/").endswith("/ptyprocess"):
        return "text/html", f'<!DOCTYPE html><html><body><a href="/{name}">{name}</a></body></html>'.encode()
    if re.search("@xterm(%2f|/)xterm", path):
        versions = {"6.0.0": {"name": "@xterm/xterm", "version": "6.0.0"}}
        packument = {"name": "@xterm/xterm", "dist-tags": {"latest": "6.0.0"}, "versions": versions}
        return "application/json", json.dumps(packument).encode()
    return None


def requested() -> str:
    """The version for which pip is asked: that of the lab's own requirements."""
    requirements = Path(__file__).resolve().parents[3] / "requirements.txt"
    return re.search(r"^ptyprocess==(\S+)", requirements.read_text(), re.MULTILINE)[1]


def wheel(version: str) -> bytes:
    """A wheel with nothing in it."""
    info, content = f"ptyprocess-{version}.dist-info", io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: ptyprocess\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py2-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return content.getvalue()


@functools.cache
def signed(folder: Path, host: str) -> tuple[str, str]:
    """The files with a certificate for this host, signed by the issuer, and its key."""
    certificate, key = folder / f"{host}.pem", folder / f"{host}.key"
    _openssl(certificate, key, host, "-CA", folder / "issuer.pem", "-CAkey", folder / "issuer.key")
    return str(certificate), str(key)


def issuer(folder: Path) -> None:
    """Makes the certificate that signs the others."""
    _openssl(folder / "issuer.pem", folder / "issuer.key", "company")


def _openssl(certificate: Path, key: Path, name: str, *by: str | Path) -> None:
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    leaf = ["-addext", f"subjectAltName=DNS:{name}", "-addext", "basicConstraints=critical,CA:FALSE"] if by else []
    asked = [*made, "-subj", f"/CN={name}", *leaf, "-days", "2", "-out", certificate, "-keyout", key, *by]
    subprocess.run(asked, check=True, capture_output=True)


class Server(socketserver.ThreadingTCPServer):
    """The proxy's socket; a connection that is left open does not keep the program."""

    allow_reuse_address = daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that does not trust the certificate hangs up, which is what it is asked for."""


if __name__ == "__main__":
    Proxy.folder, Proxy.rule = Path(sys.argv[1]), sys.argv[2]
    if "IN_COMPANY" not in os.environ:
        own = [] if os.getuid() == 0 else ["--user", "--map-root-user", "--map-auto"]
        os.environ["IN_COMPANY"] = "1"
        os.execvp("unshare", ["unshare", "--net", *own, sys.executable, *sys.argv])
    del os.environ["IN_COMPANY"]
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    issuer(Proxy.folder)
    server = Server(("127.0.0.1", PORT), Proxy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.exit(subprocess.run(sys.argv[3:], stdin=subprocess.DEVNULL).returncode)
