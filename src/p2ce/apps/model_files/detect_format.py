"""Detect the format of a model file, by its content first, then by its name."""

import re
import zipfile
from pathlib import Path

from p2ce.base.files import require_file
from p2ce.base.limits import DEFAULT, MIB, Limits, require_within, zip_list_bytes
from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument

LIGHTGBM, XGBOOST, CATBOOST = "LightGBM", "XGBoost", "CatBoost"
CATBOOST_JSON = "CatBoost JSON"
SKOPS, ONNX, PICKLE, PYTHON = "skops", "ONNX", "pickle", "Python"

# `my_module:make_model`. After a drive letter of Windows comes a backslash.
ENTRY_POINT = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
PICKLE_SUFFIXES = (".pkl", ".pickle", ".joblib", ".p", ".sav")
HEAD = 1 << 16
MOST_LISTED = 32 * MIB  # the list of names in a zip file: a few hundred thousand
LONGEST_COMMENT = (1 << 16) - 1  # at the end of a zip file
SUPPORTED = "LightGBM text, XGBoost JSON or UBJ, CatBoost cbm, ONNX, or my_module:my_factory for Python code"


def detect(given: str, limits: Limits = DEFAULT) -> str:
    """Return the format of a model file; raise if it is not a known one."""
    path = Path(given)
    if ENTRY_POINT.fullmatch(given) and not path.exists():
        return PYTHON
    require_file(path, "--model")
    require_within(limits, "model_bytes", path.stat().st_size, f"--model {echoed(given)} is too large")
    with path.open("rb") as file:
        head = file.read(HEAD)
    found = _by_content(path, head)
    if found is None:
        raise InvalidArgument(
            f"--model {echoed(given)} is not a model file in a known format. Use {SUPPORTED}."
        )
    return found


def _by_content(path: Path, head: bytes) -> str | None:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith((b"tree\n", b"tree\r\n")):
        return LIGHTGBM
    if head.startswith(b"CBM1"):
        return CATBOOST
    if head.startswith(b"PK\x03\x04"):
        return _of_zip(path)
    if head.startswith(b"{"):
        return _of_json(path, head)
    if head.startswith((b"binf", b"bs64")):
        raise InvalidArgument(
            f"--model {echoed(str(path))} is in XGBoost's old binary format. "
            'Save it again: booster.save_model("model.json")'
        )
    if path.suffix.lower() in PICKLE_SUFFIXES or (head[:1] == b"\x80" and head[1:2] in b"\x02\x03\x04\x05"):
        return PICKLE
    # ONNX is a protobuf. Its first field is the version of the format.
    if path.suffix.lower() == ".onnx" or (head[:1] == b"\x08" and b"\x12" in head[2:4]):
        return ONNX
    return _by_suffix(path)


def _of_zip(path: Path) -> str | None:
    damaged = InvalidArgument(f"--model {echoed(str(path))} is a damaged or unusual zip file. Copy it again.")
    # Without an end record it is not a zip file, and Python reports that.
    with path.open("rb") as file:
        listed = zip_list_bytes(file, comment=LONGEST_COMMENT) or 0
    if listed > MOST_LISTED:
        raise damaged
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError):
        raise damaged from None
    if "schema.json" in names:
        return SKOPS
    if any(name.endswith("data.pkl") for name in names):
        raise InvalidArgument(
            f"--model {echoed(str(path))} contains PyTorch weights without their network. Name the Python "
            f"function that builds the network: --model my_module:make_network --weights {path}"
        )
    return None


def _of_json(path: Path, head: bytes) -> str | None:
    if b"learner" in head[:4096] or b'"learner"' in path.read_bytes():
        return XGBOOST  # JSON, or its binary form UBJ
    if b"tree_info" in head or b"feature_infos" in head:
        raise InvalidArgument(
            f"--model {echoed(str(path))} is a LightGBM dump, which LightGBM itself cannot load. "
            'Save the model instead: booster.save_model("model.txt")'
        )
    if b"oblivious_trees" in path.read_bytes() or b"features_info" in head:
        return CATBOOST_JSON
    return None


def _by_suffix(path: Path) -> str | None:
    wanted = {".cbm": CATBOOST, ".skops": SKOPS, ".ubj": XGBOOST, ".json": XGBOOST, ".txt": LIGHTGBM}
    name = wanted.get(path.suffix.lower())
    if name is None:
        return None
    raise InvalidArgument(
        f"--model {echoed(str(path))} has the name of a {name} model but not its content. Check that it is "
        "complete, and that it is the right file."
    )
