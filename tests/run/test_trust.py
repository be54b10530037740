"""A model that changes under its explainer: nothing that rests on the parsed scores is called proven."""

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce.result.certificate import Status


def changed_model() -> tuple[p2ce.Explainer, pd.DataFrame]:
    """Flip three leaves after the explainer was made: two now reject, one now accepts."""
    rng = np.random.default_rng(0)
    people = pd.DataFrame(rng.integers(0, 6, size=(300, 3)), columns=list("abc"))
    model = DecisionTreeClassifier(random_state=0).fit(
        people, (people.a + people.b - people.c > 4).astype(int)
    )
    explainer = p2ce.Explainer(model, people, target=1, plausibility=None)
    values = model.tree_.value
    leaves = np.flatnonzero(model.tree_.children_left < 0)
    rejecting = [leaf for leaf in leaves if values[leaf, 0, 1] == 0]
    accepting = [leaf for leaf in leaves if values[leaf, 0, 1] == 1]
    for leaf in (rejecting[3], accepting[0], accepting[1]):
        values[leaf, 0] = values[leaf, 0][::-1].copy()
    rejected = people[model.predict(people) == 0].drop_duplicates().iloc[:80]
    return explainer, rejected


@pytest.mark.parametrize("size", [512, 7, 1])
def test_one_contradiction_takes_everyones_proof_away(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("p2ce.run.many.explain_many.LARGEST_BATCH", size)
    explainer, rejected = changed_model()
    found = explainer.explain_many(rejected)
    assert set(found.statuses) <= {Status.HEURISTIC, Status.ACCEPTED}
    assert not any(one.certificate.proven for one in found if one.certificate is not None)


def test_the_explainer_remembers(caplog: pytest.LogCaptureFixture) -> None:
    explainer, rejected = changed_model()
    alone = [changed_model()[0].explain(row).status for _, row in rejected.iloc[:8].iterrows()]
    unaffected = alone.index(Status.OPTIMAL)  # no contradiction shows in this one alone
    explainer.explain_many(rejected)
    assert sum("contradicts" in record.message for record in caplog.records) >= 1
    said = len(caplog.records)
    assert explainer.explain(rejected.iloc[unaffected]).status is Status.HEURISTIC
    assert len(caplog.records) == said
