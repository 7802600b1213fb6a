"""Certificates for an hour, made when a test needs them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

HOUR: Final = timedelta(hours=1)


@dataclass(frozen=True)
class Certificate:
    cert: Path
    key: Path


class Authority:
    """Who signs, in a folder of its own."""

    def __init__(self, folder: Path, name: str = "feltwatch test") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self._key = ec.generate_private_key(ec.SECP256R1())
        own = _builder(self._name, self._name, self._key, x509.BasicConstraints(ca=True, path_length=0))
        usage = x509.KeyUsage(
            digital_signature=False,
            content_commitment=False,
            key_encipherment=False,
            data_encipherment=False,
            key_agreement=False,
            key_cert_sign=True,
            crl_sign=True,
            encipher_only=False,
            decipher_only=False,
        )
        self.ca = folder / "ca.crt"
        signed = own.add_extension(usage, critical=True).sign(self._key, hashes.SHA256())
        self.ca.write_bytes(signed.public_bytes(Encoding.PEM))

    def server(self, *names: str, name: str = "server", expired: bool = False) -> Certificate:
        """Sign a broker's certificate for such hosts and addresses."""
        others = [x509.IPAddress(ip_address(one)) if one[0].isdigit() else x509.DNSName(one) for one in names]
        return self._signed(name, ExtendedKeyUsageOID.SERVER_AUTH, others, expired=expired)

    def table(self, name: str, *, expired: bool = False) -> Certificate:
        return self._signed(name, ExtendedKeyUsageOID.CLIENT_AUTH, [], expired=expired)

    def _signed(
        self, name: str, use: x509.ObjectIdentifier, others: Sequence[x509.GeneralName], *, expired: bool
    ) -> Certificate:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        back = 24 * HOUR if expired else 0 * HOUR
        builder = _builder(subject, self._name, key, x509.BasicConstraints(ca=False, path_length=None), back)
        builder = builder.add_extension(x509.ExtendedKeyUsage([use]), critical=False)
        if others:
            builder = builder.add_extension(x509.SubjectAlternativeName(others), critical=False)
        stem = name.replace("/", "_") + ("-expired" if expired else "")
        made = Certificate(self.folder / f"{stem}.crt", self.folder / f"{stem}.key")
        made.cert.write_bytes(builder.sign(self._key, hashes.SHA256()).public_bytes(Encoding.PEM))
        made.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        return made


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    constraints: x509.BasicConstraints,
    back: timedelta = 0 * HOUR,
) -> x509.CertificateBuilder:
    now = datetime.now(UTC) - back
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - HOUR)
        .not_valid_after(now + HOUR)
        .add_extension(constraints, critical=True)
    )
