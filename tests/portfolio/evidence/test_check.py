"""Every forgery of evidence is found, by the check that is about it, and by code that is not the search's."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from inspect import getsource
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

import p2ce
from p2ce.evidence import check
from tests.oracle import brute_force_front, reported_quanta
from tests.populations import loans
from tests.portfolio.evidence.cases import (
    FEW,
    WHO,
    Case,
    added_links,
    booster,
    homes,
    made,
    other_rules,
    probability_of_default,
    rounded,
    ruled,
    unwanted_class,
    worth,
)
from tests.portfolio.evidence.forging import forged, parts_of

Change = Callable[[dict[str, Any]], Any]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Case, Path]]:
    found = {}
    for make in (booster, ruled, other_rules, added_links):
        path = tmp_path_factory.mktemp("evidence") / f"{make.__name__}.zip"
        case = make()
        assert len(case.saved(path)) > 1
        found[make.__name__] = case, path
    return found


def broken(path: Path, model: Any) -> set[str]:
    """Name the checks that a file breaks."""
    report = check(path, model)
    found = {check.what for check in report.checks if check.outcome == "broken"}
    assert bool(report) is report.passed is not bool(found)
    assert ("evidence: failed" in str(report)) is bool(found)
    return found


def outcomes_of(path: Path, model: Any) -> dict[str, str]:
    return {check.what: check.outcome for check in check(path, model).checks}


def changed_value(data: dict[str, Any]) -> None:
    option = data["counterfactuals"][0]
    name, (before, after) = next(iter(option["changes"].items()))
    option["values"][name] = 2 * after
    option["changes"][name] = [before, 2 * after]


def dominated_option(data: dict[str, Any]) -> None:
    """Add an option that changes one thing more, with true costs, so nothing else need be wrong."""
    option = data["counterfactuals"][0]
    more = {**option, "values": {**option["values"], "Rate": 1.0}, "changes": {**option["changes"]}}
    more["changes"]["Rate"] = [data["person"]["Rate"], 1.0]
    data["counterfactuals"].append({**more, "number": len(data["counterfactuals"]) + 1})


def forbidden_direction(data: dict[str, Any]) -> None:
    policy = data["problem"]["policy"]
    data["problem"]["policy"] = policy.replace("kind: whole", "kind: whole\n    direction: down", 1)


def repeated_option(data: dict[str, Any]) -> None:
    data["counterfactuals"].append({**data["counterfactuals"][0], "number": 3})


FORGERIES: dict[str, tuple[Change, str]] = {  # what → how, and the check that it breaks
    "a value": (changed_value, "grid"),
    "a listed change": (lambda data: data["counterfactuals"][0].update(changes={}), "changes"),
    "a score": (lambda data: data["counterfactuals"][0].update(score=0.99), "score"),
    "a cost": (lambda data: data["counterfactuals"][0]["costs"].update(changes=0.5), "cost changes"),
    "a plausibility": (lambda data: data["counterfactuals"][0].update(plausibility=0.3), "plausibility"),
    "a rule of plausibility": (
        lambda data: data["counterfactuals"][0].update(admitted_by="as plausible as today"),
        "plausibility",
    ),
    "the plausibility of today": (
        lambda data: data["certificate"].update(plausibility_today=-0.5),
        "plausibility",
    ),
    "what counts as plausible": (
        lambda data: data["problem"]["settings"].update(plausibility_of_today="ignore"),
        "facts",
    ),
    "a reason for no option": (lambda data: data["certificate"].update(none_because="model"), "status"),
    "a removed option": (lambda data: data["counterfactuals"].pop(), "front"),
    "no option": (lambda data: data.update(counterfactuals=[], status="NO_RECOURSE"), "front"),
    "the score of the person": (lambda data: data.update(person_score=0.01), "person"),
    "the status": (lambda data: data.update(status="ACCEPTED"), "person"),
    "the target": (lambda data: data.update(target=0), "settings"),
    "the margin": (lambda data: data.update(margin=0.1), "settings"),
    "a dominated option": (dominated_option, "dominance"),
    "a repeated option": (repeated_option, "repetition"),
    "a proof withdrawn": (lambda data: data["certificate"].update(proven=False), "status"),
    "a proof in spite of doubts": (lambda data: data["certificate"].update(open_boxes=1), "status"),
    "a proof that was cut": (lambda data: data.update(status="TIME_LIMIT"), "status"),
    "a proof by an estimate": (lambda data: data.update(status="HEURISTIC"), "status"),
    "no certificate": (lambda data: data.update(certificate=None), "status"),
    "no recourse with options": (lambda data: data.update(status="NO_RECOURSE"), "status"),
    "an optimum without options": (lambda data: data.update(counterfactuals=[]), "status"),
    "no end of a search": (lambda data: data.update(status="ERROR"), "status"),
    "a hash of the policy": (lambda data: data["problem"]["hashes"].update(policy="0" * 64), "hashes"),
    "the number of axes": (lambda data: data["certificate"].update(axes=4), "grid"),
    "the number of cells": (lambda data: data["certificate"].update(cells=1343), "grid"),
    "a direction": (forbidden_direction, "features"),
    "the limit of changes": (
        lambda data: data["certificate"].update(max_changes=1),
        "number of changes",
    ),
}
BREAK_MORE = {
    "a value",
    "the threshold",
    "the target",
    "a dominated option",
    "a direction",
    "the limit of changes",
    "the status",
    "an optimum without options",
}


@pytest.mark.parametrize("what", FORGERIES)
def test_a_forgery_is_found_by_its_check(what: str, files: dict[str, tuple[Case, Path]]) -> None:
    case, path = files["booster"]
    change, check = FORGERIES[what]
    found = broken(forged(path, change), case.model)
    assert check in found
    assert what in BREAK_MORE or found == {check}
    assert broken(forged(path, change, honest=True), case.model) == found | {"checksums"}


def test_another_threshold_than_the_explainers_is_found(tmp_path: Path) -> None:
    case = unwanted_class()
    case.saved(tmp_path / "case.zip")
    assert not broken(tmp_path / "case.zip", case.model)
    path = forged(tmp_path / "case.zip", lambda data: data.update(at_least=data["at_least"] - 0.01))
    assert "settings" in broken(path, case.model)


def test_another_limit_or_direction_than_the_explainers_is_found(tmp_path: Path) -> None:
    case = probability_of_default()
    case.saved(tmp_path / "case.zip")
    assert not broken(tmp_path / "case.zip", case.model)
    for change in ({"at_most": 0.26}, {"at_most": None, "at_least": 0.25}):
        path = forged(tmp_path / "case.zip", lambda data, change=change: data.update(change))
        assert "settings" in broken(path, case.model)


def test_a_grid_that_lacks_what_the_policy_lists_is_found(files: dict[str, tuple[Case, Path]]) -> None:
    case, path = files["ruled"]

    def change(data: dict[str, Any]) -> None:
        incomes = next(axis["values"] for axis in data["grid"] if axis["features"] == ["Income"])
        incomes.remove([40])

    assert "grid" in broken(forged(path, change, part="evidence.json"), case.model)


def without_axis(data: dict[str, Any]) -> None:
    data["grid"] = [axis for axis in data["grid"] if axis["features"] != ["Loans"]]


def second_axis(data: dict[str, Any]) -> None:
    data["grid"].append(data["grid"][0])


def repeated_move(data: dict[str, Any]) -> None:
    """Put a move in the place of another, so the number of cells is the same."""
    loans_held = next(axis["values"] for axis in data["grid"] if axis["features"] == ["Loans"])
    loans_held[0] = loans_held[1]


RECORD_FORGERIES: dict[str, tuple[Change, str]] = {
    "the hash of the policy": (lambda data: data["hashes"].update(policy="0" * 64), "hashes"),
    "the hash of the model": (lambda data: data["hashes"].update(model="0" * 64), "hashes"),
    "the hash of the reference": (lambda data: data["hashes"].update(reference="0" * 64), "hashes"),
    "the order of labels": (lambda data: data["labels"]["Area"].reverse(), "labels"),
    "labels of numbers": (lambda data: data["labels"].update(Job=[1, 2]), "labels"),
    "an axis": (without_axis, "grid"),
    "a second axis": (second_axis, "grid"),
    "a repeated move": (repeated_move, "grid"),
}


@pytest.mark.parametrize("what", RECORD_FORGERIES)
def test_a_forgery_of_the_record_is_found(what: str, files: dict[str, tuple[Case, Path]]) -> None:
    case, path = files["ruled"]
    change, check = RECORD_FORGERIES[what]
    assert check in broken(forged(path, change, part="evidence.json"), case.model)


@pytest.mark.parametrize(("name", "outcome"), [("reference", "broken"), ("model", "unchecked")])
def test_a_hash_that_is_forged_twice_is_not_held(
    name: str, outcome: str, files: dict[str, tuple[Case, Path]]
) -> None:
    case, path = files["booster"]
    once = forged(path, lambda data: data["problem"]["hashes"].update({name: "0" * 64}))
    twice = forged(once, lambda data: data["hashes"].update({name: "0" * 64}), part="evidence.json")
    assert outcomes_of(twice, case.model)["hashes"] == outcome


def test_a_group_without_an_axis_is_not_held(files: dict[str, tuple[Case, Path]]) -> None:
    case, path = files["ruled"]

    def drop(data: dict[str, Any]) -> None:
        data["grid"] = [axis for axis in data["grid"] if axis["features"] != ["Job", "Age"]]

    fewer = forged(path, drop, part="evidence.json")
    assert "grid" in broken(fewer, case.model)
    cells = 1
    for axis in json.loads(parts_of(fewer)["evidence.json"])["grid"]:
        cells *= 1 + len(axis["values"])

    def suit(data: dict[str, Any]) -> None:
        data["certificate"].update(axes=5, cells=cells - 1, max_changes=None)
        data["counterfactuals"] = [one for one in data["counterfactuals"] if "Job" not in one["changes"]]

    assert outcomes_of(forged(fewer, suit), case.model)["grid"] == "unchecked"


def test_another_policy_than_the_explainers_is_not_held(files: dict[str, tuple[Case, Path]]) -> None:
    """A forger who changes a policy and all its hashes is left with what the explainer holds."""
    case, path = files["booster"]

    def change(data: dict[str, Any]) -> None:
        text = data["problem"]["policy"].replace("kind: whole", "kind: whole\n    direction: up", 1)
        hashes = {**data["problem"]["hashes"], "policy": hashlib.sha256(text.encode()).hexdigest()}
        data["problem"].update(policy=text, hashes=hashes)
        data["problem"]["features"]["Income"]["moves"] = "up"

    first = forged(path, change)
    policy = json.loads(parts_of(first)["explanation.json"])["problem"]["hashes"]["policy"]
    second = forged(first, lambda data: data["hashes"].update(policy=policy), part="evidence.json")
    report = check(second, case.model)
    assert report.passed
    assert str(report).startswith("evidence: passed; unchecked: policy\n")


@pytest.mark.parametrize("levels", [["Own", "Rent"], ["Own", "Rent", "Else"]])
def test_a_group_that_the_reference_settles_is_the_explainers_own(levels: list[str], tmp_path: Path) -> None:
    frame = homes().assign(Else=lambda one: 1 - one["Own"] - one["Rent"])
    policy = (
        p2ce.Policy.infer(frame, protect=None)
        .fix("Age", "Job", "Area")
        .with_rules(p2ce.rules.one_hot("Home", levels))
    )
    case = made(worth, frame, {**WHO, "Else": 0}, policy=policy, plausibility=None, max_changes=2)
    case.saved(tmp_path / "case.zip")
    assert set(outcomes_of(tmp_path / "case.zip", case.model).values()) == {"held"}


def test_evidence_of_what_comes_next_holds_and_names_what_was_left_out(tmp_path: Path) -> None:
    case = made(loans.forest(), loans.people(), loans.PERSON, policy=FEW, max_changes=2)
    first = case.explained()
    near = p2ce.Near(first[-1], within=0.1)
    found = case.explainer.more(first, exclude=[first[0], near, {"Debt", "Rate"}])
    assert len(found)
    p2ce.evidence.save(found, tmp_path / "more.zip", explainer=case.explainer)
    outcomes = outcomes_of(tmp_path / "more.zip", case.model)
    assert outcomes["rule leave_out"] == "held"
    # The policy is not the explainer's own, as after `explain(row, policy=…)`.
    assert {what for what, outcome in outcomes.items() if outcome != "held"} == {"policy"}
    assert not p2ce.evidence.replay(tmp_path / "more.zip", case.model).differences

    def show_again(data: dict[str, Any]) -> None:
        where = {"Owns": data["counterfactuals"][0]["values"]["Owns"]}
        next(rule for rule in data["problem"]["rules"] if rule["rule"] == "leave_out")["where"] = where

    assert "rule leave_out" in broken(forged(tmp_path / "more.zip", show_again), case.model)
    hides = forged(tmp_path / "more.zip", lambda data: data.update(unlisted=1))
    assert "status" in broken(hides, case.model)


RULE_FORGERIES = {
    "change_at_most_one": ("ruled", {"columns": ["Income", "Job"]}),
    "inequality": ("ruled", {"text": "2*Loans + 0.5*Income <= `Job` + 1e0"}),
    "implies": ("ruled", {"condition": {"Income": {"changes": True}}, "consequence": {"Loans": 9}}),
    "one_hot": ("ruled", {"columns": ["Cards", "Loans"]}),
    "linked": ("ruled", {"ratio": 5}),
    "linked, one of two": ("added_links", {"ratio": 5}),
    "forbid": ("ruled", {"column": "Income", "transitions": [{"from": 20, "to": [30, 40, 50, 60]}]}),
    "allow_only": ("ruled", {"column": "Income", "transitions": [{"from": 10, "to": 20}]}),
    "together": ("other_rules", {"columns": ["Income", "Area"]}),
    "at_most_one_nonzero": ("other_rules", {"columns": ["Age", "Job"]}),
}


@pytest.mark.parametrize("kind", RULE_FORGERIES)
def test_a_broken_rule_is_found(kind: str, files: dict[str, tuple[Case, Path]]) -> None:
    name, changes = RULE_FORGERIES[kind]
    case, path = files[name]
    kind = kind.split(",")[0]

    def change(data: dict[str, Any]) -> None:
        next(rule for rule in data["problem"]["rules"] if rule["rule"] == kind).update(changes)

    found = broken(forged(path, change), case.model)
    assert f"rule {kind}" in found
    assert "policy" in found  # whose text says otherwise


def test_a_displayed_value_that_is_not_accepted_is_found(tmp_path: Path) -> None:
    case, path = rounded(), tmp_path / "case.zip"
    assert any(option.rounded for option in case.saved(path))

    def change(data: dict[str, Any]) -> None:
        option = next(one for one in data["counterfactuals"] if one["rounded"])
        option["rounded"] = {name: data["person"][name] for name in option["changes"]}

    assert broken(forged(path, change), case.model) == {"displayed values"}


def test_another_model_is_found(files: dict[str, tuple[Case, Path]]) -> None:
    other = RandomForestClassifier(3, max_depth=2, random_state=1).fit(loans.people(), loans.label())
    assert {"person", "score"} <= broken(files["booster"][1], other)


def test_what_cannot_be_checked_is_listed_and_never_held(tmp_path: Path) -> None:
    policy = FEW.with_rules(p2ce.rules.predicate("tests.compile.archive.predicates:modest", name="modest"))
    objectives = ["changes", "percentile_shift"]
    case = made(loans.forest(), loans.people(), loans.PERSON, objectives=objectives, policy=policy)
    case.saved(tmp_path / "case.zip")
    outcomes = outcomes_of(tmp_path / "case.zip", case.model)
    unchecked = {what for what, outcome in outcomes.items() if outcome == "unchecked"}
    assert unchecked == {"rule predicate", "cost percentile_shift", "dominance", "front"}
    assert outcomes["score"] == "held"


def test_a_sampled_front_is_not_held(tmp_path: Path) -> None:
    frame = homes().drop(columns="Area")
    model = RandomForestClassifier(5, max_depth=4, random_state=0).fit(frame, worth(homes()) > 0.5)
    person = {name: value for name, value in WHO.items() if name != "Area"}
    policy = p2ce.Policy.infer(frame, protect=None)
    case = made(model, frame, person, policy=policy, plausibility=None, max_changes=None)
    case.saved(tmp_path / "case.zip")
    report = check(tmp_path / "case.zip", case.model)
    assert report.passed
    assert report.checks[-1].outcome == "sampled"
    assert "a sample of" in report.checks[-1].details
    assert str(report).startswith("evidence: passed; sampled: front\n")
    none = forged(tmp_path / "case.zip", lambda data: data.update(counterfactuals=[], status="NO_RECOURSE"))
    assert broken(none, case.model) == {"front"}


def test_the_front_is_complete_exactly_where_the_oracle_says_so(tmp_path: Path) -> None:
    """Of all subsets of a front, only the whole one passes."""
    objectives = ["mean_distance", "max_distance", "changes"]
    for person in loans.rejected().head(8).to_dict("records"):
        case = made(loans.forest(), loans.people(), person, policy=FEW, plausibility=None, max_changes=3)
        explanation = case.saved(tmp_path / "case.zip")
        truth = brute_force_front(
            person,
            loans.people(),
            FEW,
            accepts=lambda rows: loans.forest().predict(rows) == 1,
            objectives=objectives,
            max_changes=3,
        )
        for left_out in range(-1, len(explanation)):
            kept = [place for place in range(len(explanation)) if place != left_out]

            def change(data: dict[str, Any], kept: list[int] = kept) -> None:
                data["counterfactuals"] = [data["counterfactuals"][place] for place in kept]

            quanta = reported_quanta(explanation)
            is_whole = {quanta[place] for place in kept} == truth.costs
            expected = set() if is_whole else {"front"} if kept else {"front", "status"}
            assert broken(forged(tmp_path / "case.zip", change), case.model) == expected
            assert is_whole is (left_out < 0)


def test_the_checker_loads_nothing_of_the_engine(files: dict[str, tuple[Case, Path]]) -> None:
    """A fresh interpreter checks a whole file, and has then loaded these modules of p2ce and no other."""
    _, path = files["ruled"]
    code = (
        "import sys; from typing import Any; import numpy as np, pandas as pd; from p2ce import evidence\n"
        f"{getsource(worth)}\n"
        "assert evidence.check(sys.argv[1], worth).passed\n"
        "print(*(name for name in sys.modules if name.partition('.')[0] == 'p2ce'))"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    bottom = ("limits", "visible", "zip_parts", "lazy_names")
    readers = {"p2ce", "p2ce.errors", "p2ce.base", *(f"p2ce.base.{name}" for name in bottom)}
    readers |= {"p2ce.evidence", "p2ce.portfolio", "p2ce.portfolio.evidence"}
    loaded = set(done.stdout.split()) - readers
    assert loaded
    assert all(f"{name}.".startswith("p2ce.portfolio.evidence.independent.") for name in loaded)


def test_the_frame_of_the_model_has_the_types_of_the_reference(files: dict[str, tuple[Case, Path]]) -> None:
    case, path = files["booster"]
    seen: list[pd.DataFrame] = []

    def score(frame: pd.DataFrame) -> Any:
        seen.append(frame)
        return case.model.predict_proba(frame)[:, 1]

    assert check(path, score).passed
    assert all((frame.dtypes == loans.people().dtypes).all() for frame in seen)


def test_options_that_are_as_plausible_as_today_are_checked_by_the_persons_own_row(tmp_path: Path) -> None:
    """Where the explainer ignores the plausibility of today, such an option is not accepted."""
    forest = p2ce.PlausibilityForest(contamination=0.4, n_estimators=20)
    seen = 0
    for person in loans.rejected().head(25).to_dict("records"):
        case = made(loans.forest(), loans.people(), person, policy=FEW, plausibility=forest, max_changes=2)
        found = case.saved(tmp_path / "case.zip")
        assert broken(tmp_path / "case.zip", case.model) == set()
        if any(option.admitted_by == "as plausible as today" for option in found):
            seen += 1
            strict = made(
                loans.forest(),
                loans.people(),
                person,
                policy=FEW,
                plausibility=forest,
                max_changes=2,
                plausibility_of_today="ignore",
            )
            strict.saved(tmp_path / "strict.zip")
            options = found.to_dict()["counterfactuals"]

            def change(data: dict[str, Any], options: Any = options) -> None:
                data.update(counterfactuals=options, status="OPTIMAL")

            assert "plausibility" in broken(forged(tmp_path / "strict.zip", change), case.model)
    assert seen
