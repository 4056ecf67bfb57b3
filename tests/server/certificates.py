"""Certificates for servers under test: an authority, what it vouches for, and what nobody should accept."""

import datetime as dt
import ipaddress
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True, slots=True)
class Pair:
    """PEM files of a certificate and its key."""

    certificate: Path
    key: Path


class Authority:
    """An authority of a test, whose certificate is the file `ca`."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test Authority")])
        self.ca = folder / "ca.pem"
        made = self._builder(self._name, self._key, days=10).add_extension(
            x509.BasicConstraints(ca=True, path_length=None), critical=True
        )
        self.ca.write_bytes(made.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))

    def vouch(self, *hosts: str, days: int = 10) -> Pair:
        """A pair for hosts (names or IP addresses); with negative `days` it has expired so long ago."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, hosts[0])])
        names = x509.SubjectAlternativeName([_name(host) for host in hosts])
        made = self._builder(subject, key, days).add_extension(names, critical=False)
        stem = f"{hosts[0].replace(':', '_')}-{days}"
        pair = Pair(self._folder / f"{stem}.pem", self._folder / f"{stem}.key")
        pair.certificate.write_bytes(
            made.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        )
        pair.key.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return pair

    def _builder(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, days: int
    ) -> x509.CertificateBuilder:
        now = dt.datetime.now(dt.UTC)
        until = now + dt.timedelta(days=days)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(min(now, until) - dt.timedelta(days=1))
            .not_valid_after(until)
        )


def _name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
