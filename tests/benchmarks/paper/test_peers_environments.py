"""An environment is made once, and what keeps it from being made is a reason."""

import sys
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest

pytest.importorskip("benchmarks")  # not in a packed source
pytest.importorskip("lightgbm")
pytest.importorskip("torch")
pytest.importorskip("optuna")

from benchmarks.paper.names import PEERS
from benchmarks.paper.peers import environments
from benchmarks.paper.peers.environments import Family, Missing, is_made, python_in, python_of, stamp_of
from benchmarks.paper.peers.pythons import find_python, version_of
from benchmarks.paper.peers.run_peer import PEERS as SETTINGS

# Nothing to install but what is not there: no index is used, whatever this machine's settings say.
NO_INDEX = ("--isolated", "--no-index")
NOTHING = Family(name="Nobody", folder="nobody", python=(3, 11), requirements=("no-such-package-p2ce==1.0",))


def test_every_peer_of_the_report_has_a_program() -> None:
    assert tuple(SETTINGS) == PEERS
    assert all(
        (Path(environments.__file__).parent / "programs" / p.program).is_file() for p in SETTINGS.values()
    )


def test_a_package_that_cannot_be_had_is_a_reason_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(Missing, match=r"^installing Nobody failed: .*no-such-package-p2ce==1\.0") as caught:
        python_of(NOTHING, environments=tmp_path, pip_options=(*NO_INDEX, "--find-links", str(tmp_path)))
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_python_that_is_not_there_is_a_reason(tmp_path: Path) -> None:
    family = replace(environments.ocean(), python=(9, 0))
    with pytest.raises(Missing, match=r"^OCEAN needs Python 9\.0 or newer, and none was found$"):
        python_of(family, environments=tmp_path)


def test_a_folder_that_cannot_be_written_is_a_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file", encoding="utf-8")
    with pytest.raises(Missing, match="could not be written"):
        python_of(NOTHING, environments=tmp_path / "file")


def test_an_environment_is_made_once_for_its_requirements(tmp_path: Path) -> None:
    # A wheel of one module, so that something real is installed without an index.
    family = replace(NOTHING, requirements=(), alone=(str(_wheel(tmp_path)),))
    everything, progress_lines = tmp_path / "all", list[str]()
    place = everything / family.folder
    place.mkdir(parents=True)
    (place / environments.STAMP).write_text("other requirements", encoding="utf-8")

    python = python_of(family, environments=everything, pip_options=NO_INDEX, progress=progress_lines.append)
    assert (python, progress_lines) == (python_in(place), ["installing Nobody"])
    assert version_of(python) == sys.version_info[:2]
    assert [path.name for path in everything.iterdir()] == [place.name]  # nothing is left beside it
    made = place.stat().st_ino
    assert (
        python_of(family, environments=everything, pip_options=NO_INDEX, progress=progress_lines.append)
        == python
    )
    assert (place.stat().st_ino, len(progress_lines)) == (made, 1)  # nothing was done

    assert is_made(place, stamp_of(family))
    assert not is_made(place, stamp_of(replace(family, requirements=("one-more==1.0",))))
    python.unlink()  # as when the Python that it stands on is gone
    assert not is_made(place, stamp_of(family))


def test_this_python_is_taken_if_it_is_new_enough() -> None:
    assert find_python(at_least=(3, 11)) == Path(sys.executable)


@pytest.mark.skipif(sys.platform == "win32", reason="a script stands for a Python")
def test_a_name_on_the_search_path_that_runs_nothing_is_passed_over(tmp_path: Path) -> None:
    later = (3, sys.version_info.minor + 1)
    for minor in range(later[1], 14):
        shim = tmp_path / f"python3.{minor}"
        shim.write_text("#!/bin/sh\necho 'no such version' >&2\nexit 127\n", encoding="utf-8")
        shim.chmod(0o755)
    assert find_python(at_least=later, search=str(tmp_path)) is None


def _wheel(folder: Path) -> Path:
    path, info = folder / "tiny_p2ce-1.0-py3-none-any.whl", "tiny_p2ce-1.0.dist-info"
    with ZipFile(path, "w") as wheel:
        wheel.writestr("tiny_p2ce.py", '"""Nothing."""\n')
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny_p2ce\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return path
