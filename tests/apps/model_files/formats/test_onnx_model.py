"""ONNX files are tried on a row, and onnxruntime tells no one about them."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from p2ce.apps.model_files.load_model import load_model
from p2ce.errors import InvalidModel
from tests.apps.onnx_files import logistic, strict_encoder, weights_elsewhere
from tests.optional import needs

needs("onnxruntime")
CODE = """
from p2ce.apps.model_files.load_model import load_model
load_model("model.onnx")
"""


def test_loading_a_model_reports_nothing(tmp_path: Path) -> None:
    """Reports would be kept, with a mark of the machine, in the folder of caches before they are sent."""
    (tmp_path / "model.onnx").write_bytes(logistic([0.01, 0.002, -0.3, 0.001], -6.0))
    home = tmp_path / "home"
    home.mkdir()
    silent = ("CI", "ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME")  # or nothing could be seen
    env = {name: value for name, value in os.environ.items() if name not in silent}
    subprocess.run([sys.executable, "-c", CODE], cwd=tmp_path, env={**env, "HOME": str(home)}, check=True)
    assert [path for path in home.rglob("*") if path.is_file()] == []


def test_an_encoder_that_knows_no_other_category_is_named(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(strict_encoder())
    with pytest.raises(InvalidModel, match=r"row of empty text.*handle_unknown='ignore'.*Unknown Category"):
        load_model(str(tmp_path / "model.onnx"))


def test_no_file_that_the_model_names_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("weights.bin").write_bytes(np.ones(4, dtype=np.float32).tobytes())
    for path in ("weights.bin", str(tmp_path / "weights.bin")):
        Path("model.onnx").write_bytes(weights_elsewhere(path))
        with pytest.raises(InvalidModel, match="cannot be loaded as ONNX"):
            load_model("model.onnx")
