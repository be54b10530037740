"""Does `p2ce policy` tell what is wrong line by line, and end with the right code?"""

import io
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from p2ce.apps import cli
from p2ce.policy import Policy
from p2ce.policy.features.feature import Direction
from tests.optional import needs

BAD = """\
# A policy with one of every kind of mistake.
version: 1
features:
  Age: {kind: whole, seen: [18, 70], step: 1}
  Incme: {kind: whole, seen: [1000, 9000], step: 100}
  Amount:
    kind: whole
    range: [20000, 30000]
    step: 15000
  Housing:
    kind: category
    labels: [own, rent, boat]
    direcion: up
  Race: {kind: category, labels: [a, b]}
  Job: {kind: category, labels: [cook, clerk, pilot], candidates: [clerk, pilot]}
  own: {kind: binary}
  rent: {kind: binary}
rules:
  - rule: one_hot
    name: Home
    columns: [own, rent]
    may_be_none: false
  - rule: inequality
    text: Amount <= 100*Age
  - rule: together
    columns: [Age, Job]
  - rule: change_at_most_one
    columns: [Job, Age]
  - rule: forbid
    column: Job
    transitions: [{from: cok, to: [clerk]}]
"""
DATA = """\
Age,Income,Amount,Housing,Race,Job,own,rent,Repaid
20,1000,500,own,a,cook,1,0,1
40,2000,4500,rent,b,clerk,0,1,0
60,,700,own,a,clerk,1,1,1
"""
GOLDEN = """\
policy.yaml:3: warning: The data have columns that the policy does not name: 'Income', 'Repaid'. Add them, with may_change: false if they must not change, or drop the columns if the model does not use them. [unnamed-column]
policy.yaml:4: warning: 'Age' may change, but looks like a protected attribute (age). Write 'protected: true', or 'may_change: false'. [protected-changeable]
policy.yaml:4: warning: The seen 18–70 of 'Age' goes beyond the data: the data are in 20–60. [outside-the-data]
policy.yaml:5: error: 'Incme' is not a column of the data. Did you mean 'Income'? [unknown-column]
policy.yaml:8: error: The range 20000–30000 of 'Amount' misses the data: the data are in 500–4500. [outside-the-data]
policy.yaml:9: warning: The step 15000 of 'Amount' is larger than its range 20000–30000. [step-too-large]
policy.yaml:13: error: 'Housing' has an unknown entry 'direcion'. Did you mean 'direction'? [invalid-entry]
policy.yaml:14: error: 'Race' is protected but may change. Write 'protected: true'. [protected-changeable]
policy.yaml:15: warning: No row of the data has 'pilot' in 'Job'. [never-seen]
policy.yaml:19: error: The group 'Home' is not valid: 1 of 3 rows of the data have several levels or none. [group-not-closed]
policy.yaml:23: warning: 1 of 3 rows of the data break 'Amount <= 100*Age'. Their options must include a change that repairs it. [broken-by-data]
policy.yaml:27: error: 'Age' and 'Job' can never change, because of 'Age, Job change together or not at all' and 'at most one of Job, Age changes'. Remove one of the two rules, or use fix(). [invalid-entry]
policy.yaml:29: error: The rule 'Job never changes 'cok' → 'clerk'' names 'cok', which is not a value of 'Job'. Did you mean 'cook'? [invalid-entry]
policy.yaml: 7 errors, 6 warnings.
"""  # noqa: E501


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("policy.yaml").write_text(BAD, encoding="utf-8")
    Path("data.csv").write_text(DATA, encoding="utf-8")
    return tmp_path


def run(*words: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as stop:
        cli.main(["policy", *words])
    return int(str(stop.value.code)), out.getvalue(), err.getvalue()


def test_a_bad_policy_is_written_line_by_line(folder: Path) -> None:
    code, printed, _ = run("check", "policy.yaml", "data.csv", "--protected", "Race, Housing")
    assert printed == GOLDEN
    assert code == 1


def test_the_command_itself_ends_with_one(folder: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "p2ce", "policy", "check", "policy.yaml", "data.csv", "--protected", "Race"],
        capture_output=True,
        check=False,
        env=None,
        cwd=folder,
    )
    assert ran.returncode == 1
    assert ran.stdout.decode("utf-8").replace("\r\n", "\n") == GOLDEN
    assert ran.stderr == b""


def test_a_policy_is_inferred_and_then_clean(folder: Path) -> None:
    code, printed, _ = run(
        "infer", "data.csv", "--out", "new.yaml", "--drop", "Repaid", "--protected", "Housing"
    )
    assert (code, printed) == (0, "new.yaml: 8 features, protected: Age, Housing, Race.\n")
    policy = Policy.load("new.yaml")
    assert [feature.name for feature in policy.features if feature.protected] == ["Age", "Housing", "Race"]
    people = pd.read_csv("data.csv").drop(columns="Repaid")
    assert policy == replace(Policy.infer(people).protect("Housing"), stated=False)  # a draft
    assert "inferred: true" in Path("new.yaml").read_text(encoding="utf-8").splitlines()
    code, printed, _ = run("check", "new.yaml", "data.csv")
    assert code == 0
    assert printed.endswith("new.yaml: 0 errors, 1 warning.\n")  # the outcome is not named
    assert run("check", "new.yaml", "data.csv", "--strict")[0] == 1


def test_outcomes_propose_directions(folder: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"Income": rng.integers(10, 90, 400), "Noise": rng.integers(0, 9, 400)})
    frame["Default"] = (frame["Income"] + rng.normal(0, 10, 400) < 50).astype(int)
    frame.rename(columns={"Default": "y"}).to_csv("untold.csv", index=False)
    frame.to_csv("told.csv", index=False)
    code, printed, noted = run("infer", "told.csv", "--label-column", "Default", "--out", "new.yaml")
    assert (code, printed) == (0, "new.yaml: 2 features, protected: none.\n")
    assert "These directions go with the favourable outcome: Income up." in " ".join(noted.split())
    policy = Policy.load("new.yaml")
    assert policy == Policy.infer(frame[["Income", "Noise"]], frame["Default"])
    assert (policy["Income"].association, policy["Income"].direction) == (Direction.UP, Direction.BOTH)
    words = ("infer", "untold.csv", "--label-column", "y", "--out", "new.yaml", "--force")
    code, _, wrong = run(*words)
    assert code == 2
    assert "Add --target 0 or --target 1" in wrong
    assert run(*words, "--target", "0")[0] == 0
    assert Policy.load("new.yaml") == policy
    assert "is not a label" in run(*words, "--target", "2")[2]


def test_files_are_not_overwritten_by_accident(folder: Path) -> None:
    code, _, printed = run("infer", "data.csv")
    assert (code, printed) == (
        2,
        "p2ce: --out 'policy.yaml' already exists. Choose another name, or pass --force.\n",
    )
    assert Path("policy.yaml").read_text(encoding="utf-8") == BAD
    assert run("infer", "data.csv", "--force")[0] == 0


def test_what_cannot_be_read_ends_with_two(folder: Path) -> None:
    assert run("check", "none.yaml", "data.csv")[::2] == (
        2,
        "p2ce: POLICY 'none.yaml' does not exist. Did you mean 'policy.yaml'?\n",
    )
    assert run("check", "policy.yaml", "none.csv")[0] == 2
    Path("broken.yaml").write_text("version: 1\nfeatures: [\n", encoding="utf-8")
    code, _, printed = run("check", "broken.yaml", "data.csv")
    assert code == 2
    assert printed.startswith("p2ce: broken.yaml:3: This is not YAML")
    Path("tab.yaml").write_text("version: 1\nfeatures:\n\tAge: {kind: whole}\n", encoding="utf-8")
    assert run("check", "tab.yaml", "data.csv")[::2] == (
        2,
        "p2ce: tab.yaml:3: Line 3 is indented with a tab. YAML needs spaces.\n",
    )
    Path("empty.csv").write_text("", encoding="utf-8")
    assert run("check", "policy.yaml", "empty.csv")[0] == 2
    assert run("infer", "none.csv", "--force")[0] == 2


def test_a_table_without_rows_or_in_other_forms(folder: Path) -> None:
    Path("head.csv").write_text(DATA.splitlines()[0] + "\n", encoding="utf-8")
    assert run("check", "policy.yaml", "head.csv")[0] == 1
    frame = pd.read_csv("data.csv")
    frame.to_csv("data.tsv", sep="\t", index=False)
    assert run("check", "policy.yaml", "data.tsv", "--protected", "Race")[1] == GOLDEN


def test_parquet_is_read_too(folder: Path) -> None:
    needs("pyarrow")
    pd.read_csv("data.csv").to_parquet("data.parquet")
    assert run("check", "policy.yaml", "data.parquet", "--protected", "Race")[1] == GOLDEN


def test_a_model_says_which_columns_and_categories_there_are(folder: Path) -> None:
    lightgbm = needs("lightgbm")
    frame = pd.DataFrame({"Age": [20, 40, 60, 30] * 20, "Home": pd.Categorical([1, 2, 1, 3] * 20)})
    frame.assign(Repaid=1).to_csv("coded.csv", index=False)
    model = lightgbm.LGBMClassifier(n_estimators=3, min_child_samples=2, verbosity=-1)
    model.fit(frame, [0, 1, 1, 0] * 20).booster_.save_model("model.txt")
    code, printed, _ = run("infer", "coded.csv", "--out", "coded.yaml", "--model", "model.txt")
    assert (code, printed) == (0, "coded.yaml: 2 features, protected: Age.\n")
    assert Policy.load("coded.yaml")["Home"].labels == (1, 2, 3)
    assert run("infer", "coded.csv", "--out", "plain.yaml", "--drop", "Repaid")[0] == 0
    words = ("explain", "--model", "model.txt", "--data", "coded.csv", "--id", "0", "--policy")
    err = io.StringIO()
    with redirect_stderr(err), pytest.raises(SystemExit):
        cli.main([*words, "plain.yaml"])
    assert (
        "'Home' has kind: whole in --policy 'plain.yaml', but is a category in the model." in err.getvalue()
    )
    assert "labels: [1, 2, 3]" in err.getvalue()


def test_columns_that_are_hardly_features_are_written(folder: Path) -> None:
    people = pd.DataFrame({"id": [f"c{row}" for row in range(60)], "Age": range(60), "Repaid": [0, 1] * 30})
    people.assign(Rooms=[1, 2, 3] * 20).to_csv("people.csv", index=False)
    _, _, printed = run("infer", "people.csv", "--out", "new.yaml")
    assert "'id' has 60 labels in 60 rows. If it identifies people, add --drop id" in printed
    assert "Every column became a feature" in printed
    assert "fixed, since every row has a different value: 'id'" in printed
    words = ("infer", "people.csv", "--drop", "id,Repaid,Age", "--out", "new.yaml", "--force")
    assert run(*words)[::2] == (0, "")


def coded() -> pd.DataFrame:
    months = [-9] * 5 + [-8] * 4 + list(range(1, 52))
    return pd.DataFrame({"Months": months, "Income": [1_000 + 25 * row for row in range(60)]})


def test_what_looks_like_a_code_is_special_unless_it_is_switched_off(folder: Path) -> None:
    coded().to_csv("coded.csv", index=False)
    words = ("infer", "coded.csv", "--out", "new.yaml", "--force", "--drop", "Income")
    code, _, printed = run(*words)
    assert code == 0
    assert printed.splitlines() == [
        "note: Inferred from column names: never fall: 'Months'. To override, edit the policy: protected, "
        "may_change, direction (p2ce policy infer writes one).",
        "note: Treated as codes that are not numbers: -9, -8 in 'Months'. No option leads to one. "
        "To override, "
        "remove 'special' from the policy, or write one with: p2ce policy infer --special-values none",
    ]
    policy = Policy.load("new.yaml")
    assert policy["Months"].special == (-9, -8)
    assert policy["Months"].low >= 1
    assert run(*words, "--special-values", "none")[0] == 0
    assert Policy.load("new.yaml")["Months"].special == ()
    assert run(*words, "--special-values", "guess")[0] == 2


def test_relations_of_the_data_are_proposed_and_not_in_force(folder: Path) -> None:
    late = [0, 1, 2, 3, 4] * 20
    people = pd.DataFrame({"late_30d": late, "late_90d": [value // 2 for value in late]})
    people.to_csv("late.csv", index=False)
    code, _, printed = run("infer", "late.csv", "--out", "late.yaml")
    assert code == 0
    assert "note: These relations hold in all rows: late_90d <= late_30d. To enforce one, move it" in printed
    text = Path("late.yaml").read_text(encoding="utf-8")
    assert "\nproposed_rules:\n  - rule: inequality\n    text: late_90d <= late_30d\n" in text
    assert Policy.load("late.yaml").rules == ()
    Path("late.yaml").write_text(text.replace("proposed_rules:", "rules:"), encoding="utf-8")
    assert [rule.text() for rule in Policy.load("late.yaml").rules] == ["late_90d <= late_30d"]
    assert run("check", "late.yaml", "late.csv")[0] == 0
