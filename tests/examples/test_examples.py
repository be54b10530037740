"""Every example runs as it stands, in a separate folder, and prints something worth reading."""

import contextlib
import io
import runpy
import sys
from pathlib import Path

import pytest

from tests.docs.running import reading_in
from tests.optional import needs, with_torch

EXAMPLES = {path.stem: path for path in (Path(__file__).parent.parent.parent / "examples").glob("*.py")}
LONGEST = 60
# What each script prints, and which files are there afterwards.
PRINTED = {
    "lightgbm_credit": ("Each of these", "loan amount from", "Proven: these are all"),
    "logistic_scorecard": ("of 2000 are rejected", "520 or more", "behind KBinsDiscretizer, by additive."),
    "pytorch_network": ("Parsed, by network", "As a black box, by complete", "options for 50 of 50 people."),
    "categorical_pipeline": ("if Security is 'guarantor'", "people: ", "Rules that all options keep to: "),
}
NEEDS = {"pytorch_network": "torch", "lightgbm_credit": "lightgbm"}
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


@pytest.mark.parametrize("name", with_torch(PRINTED, "pytorch_network"))
def test_it_runs(name: str, tmp_path: Path) -> None:
    if name in NEEDS:
        needs(NEEDS[name])
    printed = run(name, tmp_path)
    for line in PRINTED[name]:
        assert line in printed, printed
    assert name not in WRITTEN or (tmp_path / WRITTEN[name]).stat().st_size > 0


def test_ten_thousand_people_are_a_portfolio_that_is_complete_the_second_time(tmp_path: Path) -> None:
    needs("pyarrow")
    words = ("--people", "600", "--jobs", "1")
    first = run("ten_thousand_people", tmp_path, *words)
    assert "options for 600 people" in first
    manifest = tmp_path / "recourse" / "manifest.json"
    written = manifest.stat().st_mtime_ns
    assert run("ten_thousand_people", tmp_path, *words) == first
    assert manifest.stat().st_mtime_ns == written
