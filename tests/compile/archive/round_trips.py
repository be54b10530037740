"""Save explainers, load them, and hold the results of both against each other."""

from pathlib import Path
from typing import Any

import pandas as pd
from pandas.testing import assert_frame_equal

import p2ce
from p2ce.result.certificate import Status

FEW = p2ce.PlausibilityForest(n_estimators=10, contamination=0.1)


def saved(explainer: p2ce.Explainer, folder: Path, name: str = "credit.p2ce") -> Path:
    """Save into a folder, and give the path."""
    path = folder / name
    explainer.save(path)
    return path


def again(explainer: p2ce.Explainer, model: Any, folder: Path, **given: Any) -> p2ce.Explainer:
    """Save and load; a second save has to give the very same bytes."""
    path = saved(explainer, folder)
    loaded = p2ce.Explainer.load(path, model, trust_predicates=True, **given)
    assert saved(loaded, folder, "twice.p2ce").read_bytes() == path.read_bytes()
    return loaded


def assert_same_results(first: p2ce.Explainer, second: p2ce.Explainer, people: Any) -> list[Any]:
    """Compare the explanations of both for all people, alone and together."""
    assert repr(first) == repr(second)
    assert first.policy == second.policy
    assert first.at_least == second.at_least
    results = []
    for at in range(len(people)):
        row = people.iloc[at].to_dict() if isinstance(people, pd.DataFrame) else people[at : at + 1]
        one, other = first.explain(row), second.explain(row)
        assert one.to_dict() == other.to_dict()
        assert_frame_equal(one.to_frame(kind="pandas"), other.to_frame(kind="pandas"))
        assert type(one.to_frame()) is type(other.to_frame())
        results.append(one)
        if one.status is Status.NO_RECOURSE:
            assert first.relaxations(one) == second.relaxations(other)
        if len(one):
            proposal = one[0].values
            assert first.evaluate(row, proposal, explanation=one) == second.evaluate(
                row, proposal, explanation=other
            )
    for one, other in zip(first.explain_many(people), second.explain_many(people), strict=True):
        assert one.to_dict() == other.to_dict()
    return results


def assert_same_after(
    model: Any,
    reference: Any,
    people: Any,
    folder: Path,
    *,
    given: dict[str, Any] | None = None,
    **arguments: Any,
) -> p2ce.Explainer:
    """Make an explainer, save and load it, and compare the results; at least one person has options."""
    arguments = {"plausibility": FEW, **arguments}
    explainer = p2ce.Explainer(model, reference, **{"target": 1, **arguments})
    loaded = again(explainer, model, folder, **(given or {}))
    results = assert_same_results(explainer, loaded, people)
    assert any(len(explanation) for explanation in results)
    return loaded
