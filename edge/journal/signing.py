"""Signed heads: proof, for anyone who trusts the device's key, of how far a journal went."""

import base64
import binascii
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from feltwatch.edge.errors import UsageError
from feltwatch.edge.journal.store import ChainHead
from feltwatch.models.files import write_whole

OWN_ONLY: Final = 0o600


class Signer:
    """The private key of a device: created when it is first needed, and never published."""

    def __init__(self, path: Path) -> None:
        self._key = _loaded(path)
        self.public = base64.b64encode(self._key.public_key().public_bytes_raw()).decode()

    def sign(self, head: ChainHead) -> str:
        return base64.b64encode(self._key.sign(_text(head))).decode()


def signed(head: ChainHead, signature: str, public: str) -> bool:
    """True where a head was signed with a key."""
    try:
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public, validate=True))
        key.verify(base64.b64decode(signature, validate=True), _text(head))
    except (InvalidSignature, ValueError, binascii.Error):
        return False
    return True


def _text(head: ChainHead) -> bytes:
    return f"feltwatch head\n{head.journal}\n{head.seq}\n{head.hash.hex()}".encode()


def _loaded(path: Path) -> Ed25519PrivateKey:
    try:
        if not path.exists():
            _create(path)
        key = load_pem_private_key(path.read_bytes(), None)
    except OSError as error:
        raise UsageError(f"{path}: expected a key to sign with: {(error.strerror or str(error)).lower()}") from error
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise UsageError(f"{path}: expected a key in PEM without a password: {error}") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise UsageError(
            f"{path}: expected an Ed25519 key, found another kind; move it away, and feltwatch creates one"
        )
    return key


def _create(path: Path) -> None:
    """Write a new key, readable by its owner only."""
    pem = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    write_whole(path, pem, mode=OWN_ONLY, replace=False)  # the key of a process that was quicker stays
