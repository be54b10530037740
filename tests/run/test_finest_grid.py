"""Is no one without recourse while the data hold an option, and does every explanation name its grid?"""

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce.policy.file.policy_document import read_document
from p2ce.policy.file.policy_file import parse_policy, policy_text
from p2ce.result import Restriction
from p2ce.run import none_because as finest
from tests.populations import loans

RNG = np.random.default_rng(5)
PEOPLE = pd.DataFrame(
    {"Income": RNG.lognormal(7, 1, 800), "Stay": np.r_[RNG.integers(0, 6, 700), RNG.integers(6, 400, 100)]}
)
RARE = float(np.sort(PEOPLE["Income"])[400])  # an income that one person has, and no round number
PERSON = {"Income": 10.0, "Stay": 3}


def accepts_rare(rows: pd.DataFrame) -> np.ndarray:
    """Accept one income only."""
    return (rows["Income"].to_numpy() == RARE).astype(float)


def accepts_nobody_near(rows: pd.DataFrame) -> np.ndarray:
    """Accept incomes beyond all data."""
    return (rows["Income"].to_numpy() > 1e7).astype(float)


def explainer(model: object, policy: p2ce.Policy | None = None, **given: object) -> p2ce.Explainer:
    return p2ce.Explainer(model, PEOPLE, policy=policy, target=1, plausibility=None, **given)  # type: ignore[arg-type]


def test_an_option_that_only_the_finest_grid_holds_is_found_and_said_to_be_there() -> None:
    made = explainer(accepts_rare, p2ce.Policy.infer(PEOPLE).fix("Stay"))
    assert RARE not in made.policy["Income"].candidates()
    found = made.explain(PERSON)
    assert found.status is p2ce.Status.OPTIMAL
    assert found.certificate is not None
    assert found.certificate.grid == "finest"
    assert [option.values["Income"] for option in found] == [RARE]
    (many,) = made.explain_many(pd.DataFrame([PERSON]))
    assert many == found


def test_a_step_that_somebody_named_is_kept_and_named_among_what_can_be_lifted() -> None:
    policy = p2ce.Policy.infer(PEOPLE).step(Income=500).fix("Stay")
    made = explainer(accepts_rare, policy)
    found = made.explain(PERSON)
    assert found.status is p2ce.Status.NO_RECOURSE
    assert found.certificate is not None
    assert found.certificate.grid == "given"
    why = made.relaxations(found)
    named = Restriction(kind="step", feature="Income", step=500)
    assert [relaxation.restrictions for relaxation in why] == [(named,)]
    assert why.relaxations[0].counterfactual.values["Income"] == RARE


def test_where_the_finest_grid_holds_nothing_either_that_is_what_is_proven() -> None:
    found = explainer(accepts_nobody_near, p2ce.Policy.infer(PEOPLE).fix("Stay")).explain(PERSON)
    assert found.status is p2ce.Status.NO_RECOURSE
    assert found.certificate is not None
    assert (found.certificate.grid, found.certificate.finest_open) == ("finest", False)
    assert found.certificate.proven


def test_a_search_that_is_cut_on_the_finest_grid_is_unfinished_and_proves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(finest, "MOST_EVALUATIONS", 0)
    found = explainer(accepts_nobody_near, p2ce.Policy.infer(PEOPLE).fix("Stay")).explain(PERSON)
    assert found.status is p2ce.Status.TIME_LIMIT
    assert found.certificate is not None
    # The inferred grid was searched to its end.
    assert (found.certificate.grid, found.certificate.finest_open) == ("inferred", True)
    assert (found.certificate.open_boxes, found.certificate.open_costs) == (0, None)
    assert not found.certificate.proven
    assert found.certificate.none_because is None
    for audience in ("applicant", "officer", "auditor"):
        text = p2ce.to_text(found, audience=audience)
        assert (
            "do not know yet whether there is an option" if audience == "applicant" else "may exist"
        ) in text
        assert "Proven: on" not in text
    with pytest.raises(p2ce.errors.InvalidArgument, match="finest grid was not searched to its end"):
        explainer(accepts_nobody_near, p2ce.Policy.infer(PEOPLE).fix("Stay")).relaxations(found)


def test_people_of_one_batch_have_each_their_grid() -> None:
    def accepts(rows: pd.DataFrame) -> np.ndarray:
        rich = rows["Income"].to_numpy() >= 900
        return np.where(rows["Stay"] == 3, accepts_rare(rows), rich.astype(float))

    policy = p2ce.Policy.infer(PEOPLE).fix("Stay")
    people = pd.DataFrame([{"Income": 10.0, "Stay": stay} for stay in (1, 3, 2, 3)])
    many = explainer(accepts, policy).explain_many(people)
    grids = [found.certificate.grid for found in many if found.certificate is not None]
    assert grids == ["inferred", "finest", "inferred", "finest"]
    for row, found in zip(people.to_dict("records"), many, strict=True):
        assert found == explainer(accepts, policy).explain(row)


def test_an_axis_may_have_candidates_on_the_finest_grid_alone() -> None:
    """Listed candidates outside what was seen are none on the usual grid, which then lacks the axis."""
    policy = p2ce.Policy.infer(loans.people(), protect=None)
    low, high = (f"seen: [{policy[name].low:g}, {policy[name].high:g}]" for name in ("Income", "Debt"))
    text = policy_text(policy).replace(low, "SEEN").replace(high, low).replace("SEEN", high)
    swapped = parse_policy(read_document(text)).policy()
    assert not swapped["Income"].count()
    explainer = loans.explainer(policy=swapped, max_changes=2, plausibility=None)
    for person in loans.rejected().head(5).to_dict("records"):
        certificate = explainer.explain(person).certificate
        assert certificate is not None
        assert certificate.grid in ("inferred", "finest")
