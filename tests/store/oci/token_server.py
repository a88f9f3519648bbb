"""Somebody who hands out tokens for a registry, to whoever knows a password: the way most registries of the world do it."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

ISSUER, SERVICE = "a test", "a registry"


def _certificate(key: ec.EllipticCurvePrivateKey) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, ISSUER)])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    return made.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True).sign(
        key, hashes.SHA256()
    )


@contextmanager
def tokens(folder: Path, user: str, password: str) -> Iterator[dict[str, Any]]:
    """The settings of a registry that sends its visitors there."""
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = _certificate(key)
    (folder / "root.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    chain = [base64.b64encode(certificate.public_bytes(serialization.Encoding.DER)).decode()]
    right = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()

    class Door(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.headers.get("Authorization") != right:
                self.send_response(401)
                self.end_headers()
                return
            asked = parse_qs(urlsplit(self.path).query)
            now = int(time.time())
            claims = {
                "iss": ISSUER, "sub": user, "aud": SERVICE, "exp": now + 300, "nbf": now - 10, "iat": now, "jti": str(now),
                "access": [_access(scope) for scope in asked.get("scope", [])],
            }  # fmt: skip
            token = jwt.encode(claims, key, algorithm="ES256", headers={"x5c": chain})
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps({"token": token}).encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        realm = f"http://127.0.0.1:{server.server_address[1]}/token"
        yield {
            "token": {"realm": realm, "service": SERVICE, "issuer": ISSUER, "rootcertbundle": str(folder / "root.pem")}
        }
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _access(scope: str) -> dict[str, Any]:
    """Exactly what was asked for: a token to look is none to write."""
    kind, name, actions = scope.split(":")
    return {"type": kind, "name": name, "actions": actions.split(",")}
