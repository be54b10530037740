"""Evidence is the same to the byte each time, is found again by a second search, and passes its check."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce import Status, evidence
from p2ce.errors import InvalidArgument, P2CEError
from p2ce.evidence import check
from p2ce.portfolio.runs.portfolio_results import PortfolioResults
from tests.optional import LazyLibrary
from tests.populations import loans
from tests.portfolio.evidence.cases import ACTIONS, CASES, FEW, Case, booster, card, forest, made
from tests.portfolio.evidence.forging import forged, parts_of, with_readme, write_parts
from tests.portfolio.written_runs import write_run

lightgbm = LazyLibrary("lightgbm")


@pytest.fixture(scope="module")
def case() -> Case:
    return booster()


@pytest.fixture
def saved(case: Case, tmp_path: Path) -> Path:
    case.saved(tmp_path / "case.zip", id=17)
    return tmp_path / "case.zip"


@pytest.mark.parametrize("name", CASES)
def test_evidence_of_any_problem_is_found_again_and_passes_its_check(name: str, tmp_path: Path) -> None:
    case, path = CASES[name](), tmp_path / "case.zip"
    explanation = case.saved(path)
    assert bool(len(explanation)) is (name not in ("no_recourse", "favourable"))
    case.saved(tmp_path / "again.zip")
    assert path.read_bytes() == (tmp_path / "again.zip").read_bytes()
    replay = evidence.replay(path, case.model)
    assert replay.same, str(replay)
    assert replay.recorded == explanation == replay.found
    assert bool(replay.personal) is name.startswith("personal")
    report = check(path, case.model)
    outcomes = {check.what: check.outcome for check in report.checks}
    claims_front = explanation.status is not Status.ACCEPTED
    assert outcomes.pop("front") == ("held" if claims_front else "unchecked"), str(report)
    if name == "personal":
        own = {"settings", "policy"}  # the limit of changes and the policy are not the explainer's
        assert {outcomes.pop(what) for what in own} == {"unchecked"}
        owns = {"features.Owns.moves", "features.Owns.candidates"}
        assert {*replay.personal} == {"max_changes", "policy", *owns}
        assert {"policy of this person", "max_changes of this person"} <= {*replay.only_the_file_says}
        assert "for information: max_changes is 2 for this person, but 1 in" in str(replay)
    if name == "personal_objectives":
        assert outcomes.pop("settings") == "unchecked"
        assert {*replay.personal} == {"settings.objectives"}
        assert "settings.objectives of this person" in replay.only_the_file_says
    assert set(outcomes.values()) == {"held"}, str(report)
    assert "all" in report.checks[-1].details or not claims_front


def test_a_file_says_what_it_is_about(saved: Path, case: Case) -> None:
    parts = parts_of(saved)
    record, readme = json.loads(parts["evidence.json"]), " ".join(parts["readme.txt"].decode().split())
    assert next(iter(parts)) == "evidence.json"
    assert set(record["parts"]) == set(parts) - {"evidence.json"}
    assert record["id"] == 17
    problem = case.explained().problem
    assert problem is not None
    assert record["hashes"] == problem.hashes
    for said in (
        "person 17",
        "Protect this file as you protect the data",
        "not a signature",
        "p2ce replay",
        record["code"],
    ):
        assert said in readme
    assert parts["policy.yaml"].decode() == problem.policy


def test_another_model_is_a_difference_and_the_search_goes_on(saved: Path, case: Case) -> None:
    other = lightgbm.LGBMClassifier(n_estimators=3, num_leaves=4, n_jobs=1, verbose=-1)
    replay = evidence.replay(saved, other.fit(loans.people(), loans.label()))
    assert not replay
    assert replay.differences[0].kind == "model"
    assert {one.kind for one in replay.differences} >= {"model", "person", "option removed"}
    assert "it scores" in str(replay)
    assert str(replay).startswith("not the same:\n")


def test_what_was_changed_is_listed(saved: Path, case: Case) -> None:
    def change(data: dict[str, Any]) -> None:
        first, second = data["counterfactuals"]
        first["costs"]["mean_distance"] += 0.5
        second["changes"] = {"Years": [2, 9]}
        data["certificate"]["proven"], data["status"] = False, "HEURISTIC"

    kinds = [one.kind for one in evidence.replay(with_readme(forged(saved, change)), case.model).differences]
    assert sorted(kinds) == ["option added", "option changed", "option removed", "proven", "status"]


def repeat(data: dict[str, Any]) -> None:
    data["counterfactuals"].append(data["counterfactuals"][0])


@pytest.mark.parametrize(
    ("change", "part", "said"),
    [
        (repeat, "explanation", "option repeated: Debt 1.0 → -1.4 was recorded 2 times."),
        (lambda data: data["counterfactuals"].reverse(), "explanation", "the order of options was [2, 1]"),
        (lambda data: data.update(at_least=0.50001), "explanation", "problem: at_least was 0.50001"),
        (lambda data: data["problem"]["hashes"].update(policy="f"), "explanation", "hash: policy in expl"),
        (lambda data: data["hashes"].update(model="f"), "evidence", "hash: model in evidence.json was 'f'"),
        (lambda data: data["hashes"].pop("reference"), "evidence", "hash: reference in evidence.json"),
    ],
)
def test_nothing_that_differs_is_the_same(change: Any, part: str, said: str, saved: Path, case: Case) -> None:
    replay = evidence.replay(forged(saved, change, part=f"{part}.json"), case.model)
    assert not replay.same
    assert said in str(replay)


def test_another_limit_than_the_explainers_is_visible(saved: Path, case: Case) -> None:
    """A limit that is lowered with all that depends on it could have been given to explain()."""
    evidence.save(case.explainer.explain(case.person, max_changes=1), saved, explainer=case.explainer)
    replay = evidence.replay(saved, case.model)
    assert replay.same
    assert replay.personal == {"max_changes": (1, 2)}
    assert "for information: max_changes is 1 for this person, but 2 in the explainer's" in str(replay)


def test_custom_objectives_of_a_call_cannot_be_kept(case: Case, tmp_path: Path) -> None:
    own = p2ce.objectives.CostTable("effort", {"Income": lambda now, then: abs(then - now)}, default=1.0)
    explanation = case.explainer.explain(case.person, objectives=own)
    with pytest.raises(p2ce.errors.InvalidArgument, match="custom objectives: 'effort'"):
        evidence.save(explanation, tmp_path / "case.zip", explainer=case.explainer)


def test_other_versions_are_information_only(saved: Path, case: Case) -> None:
    def change(data: dict[str, Any]) -> None:
        data.get("problem", data)["versions"]["lightgbm"] = "1.0"

    once = forged(saved, change, part="evidence.json")
    inconsistent = evidence.replay(with_readme(once), case.model)
    assert [one.what for one in inconsistent.differences] == ["versions.lightgbm in evidence.json"]
    replay = evidence.replay(with_readme(forged(once, change)), case.model)
    assert replay.same, str(replay)
    assert "problem.versions" in replay.not_compared
    assert replay.versions["lightgbm"][0] == "1.0"
    assert "for information: lightgbm was 1.0" in str(replay)


def test_a_changed_part_is_named(saved: Path, case: Case) -> None:
    path = forged(saved, lambda data: data["counterfactuals"].pop(), honest=True)
    with pytest.raises(InvalidArgument, match=r"its part 'explanation\.json' was changed"):
        evidence.replay(path, case.model)
    broken = [check for check in check(path, case.model).checks if check.outcome == "broken"]
    assert broken[0].what == "checksums"
    assert "explanation.json" in broken[0].details


def test_hostile_files_end_in_one_line(saved: Path, case: Case, tmp_path: Path) -> None:
    whole, parts = saved.read_bytes(), parts_of(saved)
    bomb = bytearray(whole)
    at = bomb.index(b"PK\x01\x02")  # the list of parts says how large each is
    bomb[at + 24 : at + 28] = (2**32 - 2).to_bytes(4, "little")
    contents = {
        "truncated": whole[: len(whole) // 2],
        "no zip": b"PK, but no zip file",
        "empty": b"",
        "bomb": bytes(bomb),
    }
    paths = [tmp_path / "missing.zip", tmp_path]
    for name, content in contents.items():
        paths.append(tmp_path / f"{name}.zip")
        paths[-1].write_bytes(content)
    others = {
        "dots": {**parts, "../../evil.txt": b"evil"},
        "lacks": {name: part for name, part in parts.items() if name != "explainer.p2ce"},
        "list": {**parts, "evidence.json": b"[]"},
        "broken": {**parts, "explanation.json": b"{"},
        "deep": {**parts, "evidence.json": b"[" * 100_000},
        "another": {"other.txt": b"hello"},
    }
    paths += [write_parts(tmp_path / f"{name}.zip", held) for name, held in others.items()]
    for path in paths:
        with pytest.raises(P2CEError) as replayed:
            evidence.replay(path, case.model)
        assert "\n" not in str(replayed.value)
        with pytest.raises(InvalidArgument) as checked:
            check(path, case.model)
        assert "\n" not in str(checked.value)
    rng, flipped = np.random.default_rng(0), tmp_path / "flipped.zip"
    for _ in range(40):
        content = bytearray(whole)
        for place in rng.integers(0, len(whole), 5):
            content[place] = rng.integers(256)
        flipped.write_bytes(content)
        for attempt in (evidence.replay, check):
            with suppress(P2CEError):  # and nothing else
                attempt(flipped, case.model)
    with pytest.raises(P2CEError, match="archive_bytes"):
        evidence.replay(saved, case.model, limits=p2ce.Limits(archive_bytes=1000))


def test_what_has_no_evidence_is_said(case: Case, tmp_path: Path) -> None:
    explanation, path = case.explained(), tmp_path / "case.zip"
    bare = p2ce.Explanation.from_dict(explanation.to_dict(problem=False))
    (wrong,) = case.explainer.explain_many(pd.DataFrame([{**loans.PERSON, "Income": "forty"}]))
    for given, more, said in (
        (bare, {"explainer": case.explainer}, "no problem"),
        (wrong, {"explainer": case.explainer}, "could not be explained"),
        (explanation, {}, "needs the explainer that made it"),
        (p2ce.Explanations([explanation]), {"explainer": case.explainer}, "explanations.loc"),
        (case.explainer, {}, "got Explainer"),
        (explanation, {"explainer": forest().explainer}, "another problem"),
        (explanation, {"explainer": case.explainer, "with_model": True}, "model_file="),
        (explanation, {"explainer": case.explainer, "model_file": tmp_path / "none"}, "cannot be read"),
    ):
        with pytest.raises(InvalidArgument, match=said):
            evidence.save(given, path, **more)
    assert not path.exists()


def test_what_only_the_user_has_is_given_again(tmp_path: Path) -> None:
    path = tmp_path / "case.zip"
    case = made(loans.forest(), loans.people(), loans.PERSON, policy=FEW, plausibility=loans.detector())
    case.saved(path)
    assert evidence.replay(path, case.model, plausibility=loans.detector()).same
    with pytest.raises(InvalidArgument, match=r"case\.zip' was saved with custom plausibility"):
        evidence.replay(path, case.model)
    report = check(path, case.model)
    unchecked = [check.what for check in report.checks if check.outcome == "unchecked"]
    assert report.passed
    assert unchecked == ["plausibility", "front"]


def test_an_archive_will_do_but_leaves_the_grid_out(case: Case, tmp_path: Path) -> None:
    archive, path = tmp_path / "credit.p2ce", tmp_path / "case.zip"
    case.explainer.save(archive)
    evidence.save(case.explained(), path, explainer=archive)
    assert evidence.replay(path, case.model).same
    report = check(path, case.model)
    unchecked = [check.what for check in report.checks if check.outcome == "unchecked"]
    assert report.passed
    assert unchecked == ["grid", "front"]
    other = made(card, loans.people().head(100), loans.PERSON, policy=FEW)
    other.explainer.save(archive)
    with pytest.raises(InvalidArgument, match="another reference"):
        evidence.save(case.explained(), path, explainer=archive)


def test_a_person_of_a_portfolio_has_evidence(tmp_path: Path) -> None:
    explainer = loans.explainer(policy=ACTIONS.fix("Rate"), max_changes=2)
    people = loans.rejected().head(3)
    written = write_run(tmp_path / "results", explainer, people, ids=["a", "b", "c"])
    explainer.save(tmp_path / "results" / "explainer.p2ce")
    path, results = tmp_path / "case.zip", PortfolioResults(tmp_path / "results")
    evidence.save(results, path, id="b", explainer=explainer)
    replay = evidence.replay(path, loans.forest())
    assert replay.same
    assert replay.recorded == written.explanations[1]
    assert check(path, loans.forest()).passed
    evidence.save(results, path, id="c")
    assert evidence.replay(path, loans.forest()).same
    manifest = tmp_path / "results" / "manifest.json"
    known = json.loads(manifest.read_text(encoding="utf-8"))
    known["hashes"]["model_file"] = "0" * 64
    manifest.write_text(json.dumps(known), encoding="utf-8")
    with pytest.raises(InvalidArgument, match="is not the model file of the run"):
        evidence.save(PortfolioResults(manifest.parent), path, id="c", model_file=manifest)
    with pytest.raises(InvalidArgument, match="no id 'z'"):
        evidence.save(results, path, id="z")
