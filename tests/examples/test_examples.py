"""Every example runs as it stands, in a folder of its own, and prints something worth reading."""

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

EXAMPLES = sorted((Path(__file__).parent.parent.parent / "examples").glob("*.py"))
LONGEST = 60

# What each script prints, by script; and which files are there afterwards.
PRINTED = {
    "lightgbm_credit": ("You can choose one of these 3 options", "loan amount from", "Proven: these are all"),
    "logistic_scorecard": ("of 2000 are rejected", "520 or more", "behind KBinsDiscretizer, by additive."),
    "pytorch_network": (
        "Parsed, by network",
        "As a black box, by complete",
        "the same options for 50 of 50 people.",
    ),
    "categorical_pipeline": ("if Security is 'guarantor'", "people: ", "rules kept to: "),
    "ten_thousand_people": ("part-0009.parquet: 1000 people", "options for 10000 people"),
}
WRITTEN = {
    "lightgbm_credit": ["report.html"],
    "categorical_pipeline": ["policy.yaml"],
    "ten_thousand_people": [f"recourse/part-{part:04}.parquet" for part in range(10)],
}


def run(example: Path, folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(example), *words],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_example_is_listed_here() -> None:
    assert [example.stem for example in EXAMPLES] == sorted(PRINTED)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_it_is_short_and_says_what_it_shows(example: Path) -> None:
    lines = example.read_text(encoding="utf-8").splitlines()
    assert len(lines) < LONGEST
    assert lines[0].startswith('"""')


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_it_runs(example: Path, tmp_path: Path) -> None:
    printed = run(example, tmp_path)
    for line in PRINTED[example.stem]:
        assert line in printed, printed
    for name in WRITTEN.get(example.stem, []):
        assert (tmp_path / name).stat().st_size > 0


def test_ten_thousand_people_go_on_where_they_stopped(tmp_path: Path) -> None:
    example = next(path for path in EXAMPLES if path.stem == "ten_thousand_people")
    first = run(example, tmp_path, "--people", "2000")
    parts = sorted(tmp_path.glob("recourse/part-*.parquet"))
    kept = parts[0].stat().st_mtime_ns
    parts[1].unlink()  # as if it had been stopped before the second part was whole
    again = run(example, tmp_path, "--people", "2000")
    assert "part-0000.parquet is there already" in again
    assert "part-0001.parquet: 1000 people" in again
    assert parts[0].stat().st_mtime_ns == kept
    assert again.splitlines()[2:] == first.splitlines()[2:]
    people = pd.concat(pd.read_parquet(one) for one in sorted(tmp_path.glob("recourse/people-*.parquet")))
    assert people["person"].tolist() == list(range(2_000))
