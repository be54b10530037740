"""Files that many tests of the command line read, made once."""

import shutil
from pathlib import Path

import pytest

from tests.apps.command_line import people, repaid, write_tables
from tests.optional import needs


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with tables and a LightGBM model that was fitted on categories of pandas."""
    lightgbm = needs("lightgbm")
    folder = tmp_path_factory.mktemp("made")
    frame = people()
    write_tables(folder, frame)
    fitted = frame.astype({"Housing": "category"})
    model = lightgbm.LGBMClassifier(
        n_estimators=15, num_leaves=6, min_child_samples=5, verbosity=-1, n_jobs=1
    )
    model.fit(fitted, repaid(frame)).booster_.save_model(str(folder / "model.txt"))
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a separate folder with those files."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("P2CE_DEBUG", raising=False)
    return tmp_path
