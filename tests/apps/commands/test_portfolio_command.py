"""``p2ce portfolio run``: wrong use is one line, and nothing is written."""

from pathlib import Path

import pytest

from p2ce import Policy, rules
from p2ce.apps.model_files.load_model import load_model
from p2ce.explainer import Explainer
from tests.apps.command_line import people, run

RUN = ("portfolio", "run", "--explainer", "credit.p2ce", "--model", "model.txt", "--data", "people.parquet")


@pytest.fixture
def credit(folder: Path) -> Path:
    """Save an explainer of the model, and people to be explained, in the folder of the other files."""
    reference = people().astype({"Housing": "category"})
    Explainer(load_model("model.txt").model, reference, target=1, plausibility=None).save("credit.p2ce")
    people(rows=30).to_parquet("people.parquet")
    (folder / "tables").mkdir()
    people(rows=30).to_parquet("tables/people.parquet")
    return folder


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--jobs", 0), "--jobs must be a number of processes, or -1 for one per core; got 0"),
        (("--time-limit", -1), "--time-limit must be a number of seconds, 0 or more, or None; got -1"),
        (("--as-of", "18.11.2026"), "--as-of expects a date such as 2026-11-18, got '18.11.2026'"),
        (
            ("--explainer", "credit.p2c"),
            "--explainer 'credit.p2c' does not exist. Did you mean 'credit.p2ce'",
        ),
        (("--data", "none.parquet"), "none.parquet"),
        (("--out", "people.parquet"), "'people.parquet' is a file. Choose a folder"),
        (("--out", "no/such/place"), "mkdir -p no/such"),
        (("--out", "."), "which no run of p2ce wrote. Choose another folder"),
        (("--data", "tables", "--out", "tables/results"), "would be written into 'tables', among the people"),
        (("--scheduler", "nonsense"), "'nonsense' is not the address of a scheduler"),
    ],
)
def test_wrong_use_is_one_line_and_writes_nothing(
    credit: Path, capsys: pytest.CaptureFixture[str], more: tuple[object, ...], says: str
) -> None:
    before = sorted(credit.rglob("*"))
    ran = run(capsys, *RUN, "--out", "results", *more)
    assert ran.code == 2
    assert says in ran.line
    assert sorted(credit.rglob("*")) == before


def test_code_of_a_policy_runs_only_if_it_is_trusted(
    credit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reference = people().astype({"Housing": "category"})
    policy = Policy.infer(reference).with_rules(rules.predicate("tests.compile.archive.predicates:modest"))
    Explainer(load_model("model.txt").model, reference, target=1, policy=policy, plausibility=None).save(
        "own.p2ce"
    )
    ran = run(capsys, *RUN, "--explainer", "own.p2ce", "--out", "results")
    assert ran.code == 2
    assert "--trust-predicates" in ran.line
    assert not (credit / "results").exists()


def test_help_names_every_argument(capsys: pytest.CaptureFixture[str]) -> None:
    shown = run(capsys, "portfolio", "run", "--help").out
    for word in ("--explainer", "--scheduler", "--jobs", "--id-column", "--keep", "--time-limit"):
        assert word in shown
    assert "run" in run(capsys, "portfolio", "--help").out
