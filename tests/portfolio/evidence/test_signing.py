"""A signature holds for the very bytes that were signed, by the very key, and is the same each time."""

import json
import logging
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from p2ce import evidence
from p2ce.errors import InvalidArgument, InvalidSignature, P2CEError
from p2ce.evidence import check
from tests.optional import needs
from tests.portfolio.evidence.cases import Case, booster
from tests.portfolio.evidence.forging import forged, parts_of, sealed, with_readme, write_parts

serialization = needs("cryptography.hazmat.primitives.serialization")
ec = needs("cryptography.hazmat.primitives.asymmetric.ec")
Ed25519PrivateKey = needs("cryptography.hazmat.primitives.asymmetric.ed25519").Ed25519PrivateKey

PKCS8, OPENSSH = serialization.PrivateFormat.PKCS8, serialization.PrivateFormat.OpenSSH
PEM, LINE = serialization.Encoding.PEM, serialization.Encoding.OpenSSH


@pytest.fixture(scope="module")
def case() -> Case:
    return booster()


def write_key(folder: Path, number: int = 1, form: Any = PKCS8, passphrase: bytes | None = None) -> Path:
    """Write a key, the same for the same number, and its public halves; give the private one's path."""
    key = Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)
    hidden = serialization.BestAvailableEncryption(passphrase) if passphrase else serialization.NoEncryption()
    path = folder / f"key{number}"
    path.write_bytes(key.private_bytes(PEM, form, hidden))
    path.chmod(0o600)
    public, pem = key.public_key(), serialization.PublicFormat.SubjectPublicKeyInfo
    path.with_suffix(".pem").write_bytes(public.public_bytes(PEM, pem))
    path.with_suffix(".pub").write_bytes(public.public_bytes(LINE, serialization.PublicFormat.OpenSSH))
    return path


@pytest.fixture
def signed(case: Case, tmp_path: Path) -> Path:
    case.saved(tmp_path / "case.zip", id=17, sign=write_key(tmp_path))
    return tmp_path / "case.zip"


def test_a_signature_is_the_same_each_time_and_leaves_the_other_parts_alone(
    signed: Path, case: Case, tmp_path: Path
) -> None:
    case.saved(tmp_path / "again.zip", id=17, sign=write_key(tmp_path, form=OPENSSH))
    assert signed.read_bytes() == (tmp_path / "again.zip").read_bytes()
    case.saved(tmp_path / "bare.zip", id=17)
    parts = parts_of(signed)
    del parts["signature.json"]
    assert parts == parts_of(tmp_path / "bare.zip")


@pytest.mark.parametrize("ending", [".pem", ".pub"])
def test_the_public_half_verifies(signed: Path, case: Case, ending: str, tmp_path: Path) -> None:
    key = evidence.verify_signature(signed, tmp_path / f"key1{ending}")
    replay = evidence.replay(signed, case.model, public_key=tmp_path / f"key1{ending}")
    assert replay.same
    assert replay.signature == f"by the key {key}: valid"
    assert f"\n  signature: by the key {key}: valid." in str(replay)
    report = check(signed, case.model)
    assert report.passed
    assert "signature.json" in report.not_compared
    unchecked = evidence.replay(signed, case.model)
    assert unchecked.same
    assert unchecked.signature == f"names the key {key}; not checked"


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
def test_the_fingerprint_is_that_of_ssh_keygen(signed: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        ["ssh-keygen", "-lf", tmp_path / "key1.pub"], capture_output=True, text=True, check=True
    )
    assert evidence.verify_signature(signed, tmp_path / "key1.pub") in done.stdout


def forgeries(path: Path) -> dict[str, Path]:
    """Return files that differ from a signed one, with all checksums right."""
    parts = parts_of(path)
    name = path.with_name
    others = {
        "readme": {**parts, "readme.txt": parts["readme.txt"] + b" "},
        "model": {**parts, "model/more.txt": b"tree"},
        "signature": {
            **parts,
            "signature.json": parts["signature.json"].replace(b'"signature": "', b'"signature": "A'),
        },
        "key": {**parts, "signature.json": parts["signature.json"].replace(b"SHA256:", b"SHA256:x")},
        "unsigned": {one: content for one, content in parts.items() if one != "signature.json"},
    }
    found = {what: write_parts(name(f"{what}.zip"), sealed(held)) for what, held in others.items()}
    renamed = with_readme(forged(path, lambda data: data.update(id=18), part="evidence.json"))
    return {**found, "id": renamed}


def test_whatever_is_changed_the_signature_does_not_hold(signed: Path, case: Case, tmp_path: Path) -> None:
    for what, path in forgeries(signed).items():
        with pytest.raises(InvalidSignature) as caught:
            evidence.verify_signature(path, tmp_path / "key1.pub")
        assert "\n" not in str(caught.value)
        replay = evidence.replay(path, case.model, public_key=tmp_path / "key1.pub")
        assert replay.differences[0].kind == "signature", what
        assert replay.signature == ("none" if what == "unsigned" else "not valid")


def test_another_key_does_not_verify(signed: Path, tmp_path: Path) -> None:
    write_key(tmp_path, 2)
    with pytest.raises(
        InvalidSignature, match=r"The key SHA256:.* does not verify the signature.*It names the key 'SHA256:"
    ):
        evidence.verify_signature(signed, tmp_path / "key2.pub")


def test_a_signature_has_one_writing(signed: Path, case: Case, tmp_path: Path) -> None:
    """No signature covers the signature itself, so nothing can be added to it."""
    parts = parts_of(signed)
    written = parts["signature.json"]
    for other in (
        written.replace(b"{", b'{"signer": "The Regulator",', 1),
        written + b" " * 1_000,
        b"\xef\xbb\xbf" + written,
        json.dumps(json.loads(written)).encode(),
    ):
        path = write_parts(signed.with_name("other.zip"), {**parts, "signature.json": other})
        with pytest.raises(InvalidArgument, match=r"part .signature.json. was changed"):
            evidence.replay(path, case.model)
    last = written[-6:-5]  # of 64 bytes in Base64, whose last four bits stand for nothing
    spare = written[:-6] + {b"A": b"B", b"Q": b"R", b"g": b"h", b"w": b"x"}[last] + written[-5:]
    path = write_parts(signed.with_name("other.zip"), {**parts, "signature.json": spare})
    with pytest.raises(InvalidSignature):
        evidence.verify_signature(path, tmp_path / "key1.pub")


def test_a_passphrase_opens_an_encrypted_key(signed: Path, case: Case, tmp_path: Path) -> None:
    key = write_key(tmp_path, passphrase=b"open sesame")
    case.saved(tmp_path / "again.zip", id=17, sign=key, passphrase="open sesame")
    assert signed.read_bytes() == (tmp_path / "again.zip").read_bytes()
    for wrong in (None, "sesame"):
        with pytest.raises(InvalidArgument, match="Check the passphrase"):
            case.saved(tmp_path / "none.zip", sign=key, passphrase=wrong)
    assert not (tmp_path / "none.zip").exists()


@pytest.mark.skipif(os.name != "posix", reason="rights of files are those of Unix")
def test_a_key_that_others_may_read_is_a_warning(
    case: Case, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    key = write_key(tmp_path)
    case.saved(tmp_path / "case.zip", sign=key)
    assert not caplog.records
    key.chmod(0o640)
    with caplog.at_level(logging.WARNING, logger="p2ce"):
        case.saved(tmp_path / "case.zip", sign=key)
    assert "Other users can read the private key" in caplog.text


def test_what_is_no_key_is_one_line(signed: Path, case: Case, tmp_path: Path) -> None:
    curve = ec.generate_private_key(ec.SECP256R1())
    public = curve.public_key().public_bytes(PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "curve").write_bytes(curve.private_bytes(PEM, PKCS8, serialization.NoEncryption()))
    (tmp_path / "curve.pub").write_bytes(public)
    (tmp_path / "text").write_text("no key\n\x1b[31m")
    (tmp_path / "cut").write_bytes((tmp_path / "key1").read_bytes()[:60])
    (tmp_path / "long").write_bytes(b"x" * 100_000)
    for name in ("curve", "curve.pub", "text", "cut", "long", "missing", "key1.pub", "."):
        with pytest.raises(InvalidArgument) as caught:
            case.saved(tmp_path / "none.zip", sign=tmp_path / name)
        assert "\n" not in str(caught.value)
    for name in ("curve.pub", "text", "cut", "long", "missing", "key1", "."):
        with pytest.raises(P2CEError) as caught:
            evidence.verify_signature(signed, tmp_path / name)
        assert not isinstance(caught.value, InvalidSignature)
        assert "\n" not in str(caught.value)
