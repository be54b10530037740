"""Run the command line in this process, and make the small files that its tests are about."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from p2ce.apps import cli

ROWS = 240


@dataclass(frozen=True)
class Ran:
    """What came out of a command."""

    code: int
    out: str
    err: str

    @property
    def line(self) -> str:
        """The one line on stderr that says what is wrong."""
        wrong = [line for line in self.err.splitlines() if line.startswith("p2ce: ")]
        assert len(wrong) == 1, self.err
        assert "Traceback" not in self.err
        return wrong[0].removeprefix("p2ce: ")


def run(capsys: pytest.CaptureFixture[str], *words: object) -> Ran:
    """Run a command as the shell would."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as stop:
        cli.main([str(word) for word in words])
    captured = capsys.readouterr()
    code = stop.value.code
    return Ran(code if isinstance(code, int) else 1, captured.out, captured.err)


def people(*, seed: int = 0, rows: int = ROWS) -> pd.DataFrame:
    """Make applicants with text, categories by number, bools and missing values."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "Age": rng.integers(20, 70, rows),
            "Income": rng.integers(10, 60, rows) * 100,
            "Rate": (rng.integers(1, 20, rows) / 4).round(2),
            "Has guarantor": rng.random(rows) < 0.3,
            "Housing": rng.choice(["own", "rent", "free"], rows, p=[0.5, 0.4, 0.1]),
        }
    )
    frame["Savings"] = np.where(rng.random(rows) < 0.1, np.nan, rng.integers(0, 40, rows) * 50.0)
    return frame


def repaid(frame: pd.DataFrame, *, seed: int = 1) -> "pd.Series[Any]":
    """State who repaid."""
    rng = np.random.default_rng(seed)
    trust = (
        frame["Income"] / 1500
        + frame["Savings"].fillna(0) / 1000
        + frame["Has guarantor"]
        - frame["Rate"] / 4
        - (frame["Housing"] == "free")
    )
    return ((trust + rng.normal(0, 0.3, len(frame))) > 2.2).astype(int)


def write_tables(folder: Path, frame: pd.DataFrame, *, inputs: int = 30) -> None:
    """Write ``train.csv`` with the outcome, and ``people.csv`` with a column that names people."""
    frame.assign(Repaid=repaid(people())).to_csv(folder / "train.csv", index=False)
    some = frame.head(inputs)
    some.assign(id=[f"p{row}" for row in range(len(some))]).to_csv(folder / "people.csv", index=False)
