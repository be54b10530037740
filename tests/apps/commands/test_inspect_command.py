"""A model is shown as it is read, with its grid, and with what looks wrong."""

import re
from pathlib import Path

import pandas as pd
import pytest

from tests.apps.command_line import run

Capture = pytest.CaptureFixture[str]


def test_the_whole_question(folder: Path, capsys: Capture) -> None:
    ran = run(capsys, "inspect", "--model", "model.txt", "--reference", "train.csv")
    assert ran.code == 0
    for part in (
        "LightGBM",
        "parsed; proven by bounds from the leaves",
        "classes",
        "0, 1",
        "at most 3 changes",
    ):
        assert part in " ".join(ran.out.split())
    assert "probability of 1 at least 0.5" in ran.out
    lines = {line.split()[0]: line for line in ran.out.splitlines() if line.strip()}
    assert "protected" in lines["Age"]
    assert "either way" in lines["Income"]
    assert "own, rent, free" in lines["Housing"]
    assert "isolation forest" in ran.out.lower()


def test_associations_of_the_labels_are_shown(folder: Path, capsys: Capture) -> None:
    ran = run(capsys, "inspect", "--model", "model.txt", "--reference", "train.csv")
    lines = {line.split()[0]: line.split("│") for line in ran.out.splitlines() if "│" in line}
    assert lines["Income"][3].strip() == "up"
    assert lines["Housing"][3].strip() == ""
    assert "Options that move against it are flagged." in ran.out
    frame = pd.read_csv("train.csv").drop(columns="Repaid")
    frame.to_csv("unlabelled.csv", index=False)
    words = ("inspect", "--model", "model.txt", "--reference", "unlabelled.csv", "--target", 1)
    assert "favourable" not in run(capsys, *words).out


def test_the_model_alone(folder: Path, capsys: Capture) -> None:
    ran = run(capsys, "inspect", "--model", "model.txt")
    assert ran.code == 0
    assert "6: 'Age', 'Income'" in ran.out
    assert "Housing: 'free', 'own', 'rent'" in ran.out
    assert "--reference train.csv" in ran.out


def test_what_looks_wrong_is_written(folder: Path, capsys: Capture) -> None:
    assert run(capsys, "policy", "infer", "train.csv", "--drop", "Repaid").code == 0
    text = Path("policy.yaml").read_text(encoding="utf-8").replace("    protected: true\n", "", 1)
    Path("policy.yaml").write_text(text, encoding="utf-8")
    ran = run(
        capsys, "inspect", "--model", "model.txt", "--reference", "train.csv", "--policy", "policy.yaml"
    )
    assert ran.code == 0
    assert "warning: policy.yaml:" in ran.out
    assert "looks like a protected attribute" in ran.out


@pytest.mark.parametrize("with_policy", [False, True])
def test_heavy_tails_are_written(folder: Path, capsys: Capture, with_policy: bool) -> None:
    train = pd.read_csv("train.csv")
    train["Income"] = train["Income"].where(train.index >= 2, 10**9)
    train.to_csv("train.csv", index=False)
    assert run(capsys, "policy", "infer", "train.csv", "--drop", "Repaid").code == 0
    policy = ["--policy", "policy.yaml"] if with_policy else []
    ran = run(capsys, "inspect", "--model", "model.txt", "--reference", "train.csv", *policy)
    assert ran.out.count("'Income' has heavy tails") == 1


def test_codes_are_no_heavy_tails(folder: Path, capsys: Capture) -> None:
    train = pd.read_csv("train.csv")
    train["Income"] = train["Income"].where(train.index >= 12, -99_999)
    train.to_csv("train.csv", index=False)
    ran = run(capsys, "inspect", "--model", "model.txt", "--reference", "train.csv")
    assert "special values -99999 stay" in " ".join(ran.out.replace("│", " ").split())
    assert "heavy tails" not in ran.out


def test_a_model_that_is_asked_says_why(folder: Path, capsys: Capture) -> None:
    Path("asked_model.py").write_text(
        "def score(rows):\n    return rows['Income'] / 10_000\n\ndef model():\n    return score\n",
        encoding="utf-8",
    )
    ran = run(
        capsys, "inspect", "--model", "asked_model:model", "--reference", "train.csv", "--drop", "Repaid"
    )
    assert ran.code == 0
    assert "black box; proven by evaluating" in ran.out
    assert "because" in ran.out


def test_mistakes_are_one_line(folder: Path, capsys: Capture) -> None:
    assert "does not exist" in run(capsys, "inspect", "--model", "none.txt").line
    ran = run(capsys, "inspect", "--model", "model.txt", "--reference", "nowhere.csv")
    assert (ran.code, "does not exist" in ran.line) == (2, True)


def test_steps_and_special_values_are_shown(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    frame = pd.read_csv("train.csv")
    frame.loc[:8, "Income"] = -9
    frame.to_csv("coded.csv", index=False)
    ran = run(capsys, "inspect", "--model", "model.txt", "--reference", "coded.csv")
    assert ran.code == 0
    (taken,) = [line for line in ran.err.splitlines() if "Treated as codes" in line]
    assert "-9 in 'Income'" in taken
    assert "p2ce policy infer --special-values none" in taken
    assert "candidates chosen from the data and next to known thresholds" in " ".join(ran.out.split())
    assert run(capsys, "policy", "infer", "coded.csv", "--drop", "Repaid").code == 0
    ran = run(
        capsys, "inspect", "--model", "model.txt", "--reference", "coded.csv", "--policy", "policy.yaml"
    )
    assert "Treated as codes" not in ran.err
    lines = {line.split()[0]: line for line in ran.out.splitlines() if line.strip()}
    assert ": 1000–5900, every 100; special values -9 stay" in lines["Income"]


def test_the_price_of_plausibility_is_shown(folder: Path, capsys: Capture) -> None:
    words = ("inspect", "--model", "model.txt", "--reference", "train.csv")
    line = next(line for line in run(capsys, *words).out.splitlines() if line.startswith("plausibility"))
    assert re.search(r"plausibility +Of \d+ rejected rows, \d+ ha(s|ve) an option only if", line)
    strict = run(capsys, *words, "--contamination", 0.4, "--plausibility-of-today", "ignore").out
    assert re.search(
        r" an option only if implausible ones are allowed\. .*Median cost with / without the requirement "
        r"\(\d+ rows?\): mean_distance [1-9]",
        " ".join(strict.split()),
    )
    assert "plausibility" not in run(capsys, *words, "--no-plausibility").out


def test_rules_are_sentences(folder: Path, capsys: Capture) -> None:
    assert run(capsys, "policy", "infer", "train.csv", "--drop", "Repaid").code == 0
    with Path("policy.yaml").open("a", encoding="utf-8") as file:
        file.write("rules:\n  - {rule: change_at_most_one, columns: [Income, Rate]}\n")
    words = ("--model", "model.txt", "--reference", "train.csv", "--policy", "policy.yaml")
    ran = run(capsys, "inspect", *words)
    assert ran.code == 0, ran.err
    (rule,) = [line for line in ran.out.splitlines() if line.startswith("rule ")]
    assert "Income" in rule
    assert "{" not in rule
