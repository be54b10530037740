"""The commands that save the evidence of one person of a portfolio, and search it again."""

import json
import zipfile
from pathlib import Path

import pytest

import p2ce
from p2ce.evidence import check
from tests.apps.command_line import run
from tests.optional import LazyLibrary
from tests.populations import loans
from tests.portfolio.evidence.forging import forged
from tests.portfolio.evidence.test_signing import write_key
from tests.portfolio.written_runs import write_run

lightgbm = LazyLibrary("lightgbm")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the results of a run, and two models."""
    folder = tmp_path_factory.mktemp("evidence")
    for name, trees in (("model.txt", 8), ("other.txt", 2)):
        model = lightgbm.LGBMClassifier(n_estimators=trees, num_leaves=6, n_jobs=1, verbose=-1)
        model.fit(loans.people(), loans.label()).booster_.save_model(str(folder / name))
    booster = lightgbm.Booster(model_file=str(folder / "model.txt"))
    explainer = loans.explainer(
        model=booster, policy=p2ce.Policy.infer(loans.people(), protect=None).fix("Rate")
    )
    write_run(folder / "results", explainer, loans.rejected().head(3), ids=[7, 8, 9])
    explainer.save(folder / "results" / "explainer.p2ce")
    return folder


@pytest.fixture
def folder(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(made)
    return made


def test_a_case_is_saved_and_found_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case, model = folder / "case.zip", folder / "model.txt"
    done = run(capsys, "evidence", "results", "--id", "8", "--model", model, "--out", case)
    assert (done.code, done.out) == (0, f"{case}: evidence of person 8. It holds personal data.\n")
    with zipfile.ZipFile(case) as archive:
        record = json.loads(archive.read("evidence.json"))
    assert record["grid"]
    assert len(record["hashes"]["model_file"]) == 64
    again = run(capsys, "replay", case, "--model", model)
    assert again.code == 0
    assert again.out.startswith("the same: OPTIMAL")
    other = run(capsys, "replay", case, "--model", folder / "other.txt")
    assert other.code == 3
    assert "not the same:\n  model: it scores" in other.out
    assert "for information: model_file was" in other.out
    assert "model_file was" not in again.out
    assert "hash of model_file" in again.out
    assert check(case, lightgbm.Booster(model_file=str(model))).passed
    assert "contains no model" in run(capsys, "replay", case).line
    changed = run(capsys, "replay", forged(case, lambda data: data.clear(), part="evidence.json"))
    assert changed.code == 2
    assert "is not a valid evidence file" in changed.line
    exists = run(capsys, "evidence", "results", "--id", "8", "--out", case)
    assert (exists.code, "--force" in exists.line) == (2, True)


def test_the_file_of_the_model_goes_along(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("evidence", "results", "--id", 9, "--out", "whole.zip")
    assert "--model model.txt" in run(capsys, *words, "--with-model").line
    assert run(capsys, *words, "--with-model", "--model", "model.txt").code == 0
    assert run(capsys, "replay", "whole.zip").out.startswith("the same")


def test_without_a_model_the_grid_is_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = run(capsys, "evidence", "results", "--id", 7, "--out", "bare.zip")
    assert done.code == 0
    assert "the file has no grid" in done.err
    assert run(capsys, "replay", "bare.zip", "--model", "model.txt").code == 0


def test_a_case_is_signed_and_verified(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    key = write_key(folder, passphrase=b"open sesame")
    words = ("evidence", "results", "--id", 8, "--model", "model.txt", "--sign", key)
    assert "Check the passphrase" in run(capsys, *words, "--out", "signed.zip").line
    monkeypatch.setenv("P2CE_KEY_PASSPHRASE", "open sesame")
    assert run(capsys, *words, "--out", "signed.zip").code == 0
    key.chmod(0o644)
    assert "Other users can read the private key" in run(capsys, *words, "--out", "again.zip").err
    assert (folder / "signed.zip").read_bytes() == (folder / "again.zip").read_bytes()
    again = ("replay", "signed.zip", "--model", "model.txt")
    own = ("--explainer", folder / "results" / "explainer.p2ce")
    valid = run(capsys, *again, "--public-key", folder / "key1.pub", *own)
    assert valid.code == 0
    assert ": valid." in valid.out
    assert "only this file says: the person's id, the person's row, as_of.\n" in valid.out
    assert "; not checked." in run(capsys, *again).out
    write_key(folder, 2)
    wrong = run(capsys, *again, "--public-key", folder / "key2.pub")
    assert wrong.code == 3
    assert "not the same:\n  signature: The key SHA256:" in wrong.out
    assert "does not exist" in run(capsys, *again, "--public-key", "nothing.pub").line


def test_mistakes_are_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ("--out", "new.zip")
    for words, said in (
        (("evidence", "results", "--id", "nobody", *out), "has no id 'nobody'"),
        (("evidence", "nowhere", "--id", "7", *out), "does not exist"),
        (("evidence", "results", "--id", "7", "--model", "other.txt", *out), "is not the model that"),
        (("replay", "nothing.zip"), "does not exist"),
        (("replay", "model.txt"), "is not a valid evidence file"),
    ):
        done = run(capsys, *words)
        assert done.code == 2
        assert said in done.line
    assert not (folder / "new.zip").exists()


def test_code_of_the_policy_runs_only_if_it_is_trusted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = p2ce.Policy.infer(loans.people(), protect=None).fix("Rate", "Years")
    named = policy.with_rules(p2ce.rules.predicate("tests.compile.archive.predicates:modest"))
    explainer = loans.explainer(model=lightgbm.Booster(model_file="model.txt"), policy=named)
    p2ce.evidence.save(explainer.explain(loans.PERSON), "named.zip", explainer=explainer)
    words = ("replay", "named.zip", "--model", "model.txt")
    wrong = run(capsys, *words)
    assert (wrong.code, "--trust-predicates" in wrong.line) == (2, True)
    assert run(capsys, *words, "--trust-predicates").code == 0
