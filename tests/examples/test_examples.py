"""Every example runs as it stands, in a folder of its own, and prints something worth reading."""

import contextlib
import io
import runpy
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.docs.running import reading_in

EXAMPLES = {path.stem: path for path in (Path(__file__).parent.parent.parent / "examples").glob("*.py")}
LONGEST = 60
# What each script prints, and which files are there afterwards.
PRINTED = {
    "lightgbm_credit": ("Each of these", "loan amount from", "Proven: these are all"),
    "logistic_scorecard": ("of 2000 are rejected", "520 or more", "behind KBinsDiscretizer, by additive."),
    "pytorch_network": ("Parsed, by network", "As a black box, by complete", "options for 50 of 50 people."),
    "categorical_pipeline": ("if Security is 'guarantor'", "people: ", "Rules that all options keep to: "),
}
WRITTEN = {"lightgbm_credit": "report.html", "categorical_pipeline": "policy.yaml"}


def run(name: str, folder: Path, *words: str) -> str:
    """Run an example in this process, which spares loading every library again."""
    argv, sys.argv = sys.argv, [str(EXAMPLES[name]), *words]
    try:
        with reading_in(folder), contextlib.redirect_stdout(io.StringIO()) as printed:
            runpy.run_path(str(EXAMPLES[name]), run_name="__main__")
    finally:
        sys.argv = argv
    return printed.getvalue()


def test_each_example_is_listed_here_and_short() -> None:
    assert set(EXAMPLES) == {*PRINTED, "ten_thousand_people"}
    for path in EXAMPLES.values():
        lines = path.read_text(encoding="utf-8").splitlines()
        assert len(lines) < LONGEST
        assert lines[0].startswith('"""')


@pytest.mark.parametrize("name", PRINTED)
def test_it_runs(name: str, tmp_path: Path) -> None:
    printed = run(name, tmp_path)
    for line in PRINTED[name]:
        assert line in printed, printed
    assert name not in WRITTEN or (tmp_path / WRITTEN[name]).stat().st_size > 0


def test_ten_thousand_people_go_on_where_they_stopped(tmp_path: Path) -> None:
    first = run("ten_thousand_people", tmp_path, "--people", "2000")
    assert "part-0001.parquet: 1000 people" in first
    assert "options for 2000 people" in first
    parts = sorted(tmp_path.glob("recourse/part-*.parquet"))
    kept = parts[0].stat().st_mtime_ns
    parts[1].unlink()  # as if it had been stopped before the second part was whole
    again = run("ten_thousand_people", tmp_path, "--people", "2000")
    assert "part-0000.parquet is there already" in again
    assert parts[0].stat().st_mtime_ns == kept
    assert again.splitlines()[1:] == first.splitlines()[1:]
    people = pd.concat(pd.read_parquet(one) for one in sorted(tmp_path.glob("recourse/people-*.parquet")))
    assert people["person"].tolist() == list(range(2_000))
