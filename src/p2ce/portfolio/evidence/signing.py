"""Sign an evidence file with an Ed25519 private key, and verify the signature with the public key."""

import base64
import hashlib
import logging
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from p2ce.base.visible import echoed, shortened
from p2ce.errors import InvalidArgument, InvalidSignature, not_installed
from p2ce.portfolio.evidence.evidence_record import SIGNATURE

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

log = logging.getLogger("p2ce")

FORMAT: Literal["p2ce.signature/1"] = "p2ce.signature/1"  # increases if the signed message changes
LONGEST_KEY = 65_536  # bytes; the file of an Ed25519 key has a few hundred
SSH_NAME = b"ssh-ed25519"
OTHERS_MAY_READ = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """The content of `signature.json`."""

    format: Literal["p2ce.signature/1"] = FORMAT
    key: str  # the fingerprint of the public key, as `ssh-keygen -l` prints it
    signature: str  # Base64 of the 64 bytes


def signature_of(
    parts: Mapping[str, bytes], key: "str | os.PathLike[str]", *, passphrase: str | None = None
) -> Signature:
    """Sign all parts with the private key of a file. The same parts give the same bytes."""
    private = _private_key(key, passphrase)
    if os.name == "posix" and os.stat(key).st_mode & OTHERS_MAY_READ:
        log.warning(
            "Other users can read the private key %s, and could sign in your name. Restrict it: chmod 600",
            echoed(os.fsdecode(key)),
        )
    signed = private.sign(_message(parts))
    return Signature(key=fingerprint(private.public_key()), signature=base64.b64encode(signed).decode())


def require_signature(
    signature: Signature | None, parts: Mapping[str, bytes], key: "str | os.PathLike[str]"
) -> str:
    """Raise `InvalidSignature` unless the private key of this public key signed exactly these parts.

    Return the fingerprint of the key.
    """
    public = _public_key(key)
    shown = fingerprint(public)
    if signature is None:
        raise InvalidSignature(
            f"The file is not signed: it has no part {echoed(SIGNATURE)}. Get the signed file, or replay "
            "without a public key."
        )
    from cryptography.exceptions import InvalidSignature as Invalid

    try:
        signed = base64.b64decode(signature.signature, validate=True)
        if base64.b64encode(signed).decode() != signature.signature:  # its last letter has spare bits
            raise Invalid
        public.verify(signed, _message(parts))
    except (Invalid, ValueError):
        raise InvalidSignature(
            f"The key {shown} does not verify the signature: another key signed the file, or a part was "
            f"changed later. It names the key {echoed(signature.key, most=60)}. Get the file again from its "
            "signer."
        ) from None
    if signature.key != shown:  # readers see this name, but it is not signed
        raise InvalidSignature(
            f"The signature is by the key {shown}, but names the key {echoed(signature.key, most=60)}. Get "
            "the file again from its signer."
        )
    return shown


def fingerprint(public: "Ed25519PublicKey") -> str:
    """Return the fingerprint of a public key, as `ssh-keygen -l` prints it."""
    from cryptography.hazmat.primitives import serialization

    raw = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    wire = b"".join(len(field).to_bytes(4, "big") + field for field in (SSH_NAME, raw))
    return f"SHA256:{base64.b64encode(hashlib.sha256(wire).digest()).decode().rstrip('=')}"


def _message(parts: Mapping[str, bytes]) -> bytes:
    """Return the signed message: a line with the SHA-256 of every other part, by name.

    Names have no line breaks (`p2ce.base.zip_parts`). The first line distinguishes the message from other
    documents.
    """
    listed = sorted(name for name in parts if name != SIGNATURE)
    lines = [FORMAT, *(f"{hashlib.sha256(parts[name]).hexdigest()}  {name}" for name in listed)]
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def _private_key(path: "str | os.PathLike[str]", passphrase: str | None) -> "Ed25519PrivateKey":
    content = _content(path, "private key")
    serialization, ed25519, unsupported = _library()
    load = serialization.load_pem_private_key
    if b"OPENSSH PRIVATE KEY" in content:
        load = serialization.load_ssh_private_key
    try:
        key = load(content, None if passphrase is None else passphrase.encode())
    except (TypeError, ValueError, unsupported) as error:
        # A TypeError means that a passphrase is missing, or that the key has none.
        raise _unusable(path, "private key", f"{error} Check the passphrase.") from None
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise _unusable(path, "private key", f"it is a key of another kind, {type(key).__name__}.")
    return key


def _public_key(path: "str | os.PathLike[str]") -> "Ed25519PublicKey":
    content = _content(path, "public key")
    if b"PRIVATE KEY" in content:
        raise _unusable(path, "public key", "it is a private key, which only the signer should have.")
    serialization, ed25519, unsupported = _library()
    load = serialization.load_pem_public_key
    if content.lstrip().startswith((b"ssh-", b"ecdsa-", b"sk-")):
        load = serialization.load_ssh_public_key
    try:
        key = load(content)
    except (ValueError, unsupported) as error:
        raise _unusable(path, "public key", str(error)) from None
    if not isinstance(key, ed25519.Ed25519PublicKey):
        raise _unusable(path, "public key", f"it is a key of another kind, {type(key).__name__}.")
    return key


def _content(path: "str | os.PathLike[str]", what: str) -> bytes:
    try:
        with open(path, "rb") as file:
            content = file.read(LONGEST_KEY + 1)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InvalidArgument(
            f"The {what} {echoed(os.fsdecode(path))} cannot be read: {why}. Check the path."
        ) from None
    if len(content) > LONGEST_KEY:
        raise _unusable(path, what, "it is larger than any key.")
    return content


def _unusable(path: "str | os.PathLike[str]", what: str, why: str) -> InvalidArgument:
    forms = "PEM or OpenSSH" if what == "private key" else "PEM, or the line of an OpenSSH .pub file"
    return InvalidArgument(
        f"{echoed(os.fsdecode(path))} is not a {what} for signatures: {shortened(why, 200)} Expected an "
        f"Ed25519 key as {forms}."
    )


def _library() -> tuple[Any, Any, type[Exception]]:
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise not_installed("Signing and verifying", "sign") from None
    return serialization, ed25519, UnsupportedAlgorithm
