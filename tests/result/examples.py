"""Make explanations for the tests of results and their presentation."""

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from p2ce.result import Categories, Certificate, Counterfactual, Explanation, Status
from p2ce.result.certificate import FINEST, GIVEN, INFERRED
from p2ce.tables import KINDS

PERSON = {"Age": 41, "LoanAmount": 7500, "Rate": 0.5, "HasGuarantor": False}
DTYPES = {"Age": "int32", "LoanAmount": "int64", "Rate": "float32", "HasGuarantor": "bool"}
OBJECTIVES = ("mean_distance", "changes")
CERTIFICATE = Certificate(
    proven=True,
    method="exact",
    model_family="LightGBM",
    detector_family="isolation forest",
    bound="tree leaves",
    cells=1_234_567,
    axes=3,
    max_changes=3,
    boxes=431,
    scored=2_000,
    pruned={"dominated": 400, "model bound": 12},
    verified=2,
)


def option(*, mean_distance: float, score: float = 0.53, **changes: Any) -> Counterfactual:
    return Counterfactual(
        values={**PERSON, **changes},
        changes={name: (PERSON[name], new) for name, new in changes.items()},
        costs={"mean_distance": mean_distance, "changes": float(len(changes))},
        score=score,
        plausibility=0.02,
    )


def explanation(**fields: Any) -> Explanation:
    """An optimal answer with two options, except for the fields given."""
    options = (
        option(mean_distance=0.1, LoanAmount=6000, HasGuarantor=True),
        option(mean_distance=0.4, LoanAmount=2500),
    )
    answer = Explanation(
        status=Status.OPTIMAL,
        person=PERSON,
        person_score=0.31,
        threshold=0.5,
        target=1,
        counterfactuals=options,
        certificate=CERTIFICATE,
        objectives=OBJECTIVES,
        dtypes=DTYPES,
        elapsed=0.012,
        timings={"search": 0.0003, "verification": 0.0117},
    )
    return replace(answer, **fields)


# Any answer at all: strange names, every float (infinities and NaN too), integers of any length.
names = st.text(max_size=8)
floats = st.floats()
known_floats = st.floats(allow_nan=False)
values = st.booleans() | st.integers() | floats | names | st.none()
counts = st.integers(min_value=0, max_value=2**62)
cells = counts | st.integers(0, 6000).map(lambda axes: 20**axes)


def filled(keys: list[str], content: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Dictionaries with just these keys, in this order."""
    return st.tuples(*[content for _ in keys]).map(lambda found: dict(zip(keys, found, strict=True)))


@st.composite
def explanations(draw: st.DrawFn) -> Explanation:
    columns = draw(st.lists(names, unique=True, max_size=5))
    objectives = draw(st.lists(names, unique=True, max_size=3))
    costs = filled(objectives, floats)
    options = st.builds(
        Counterfactual,
        values=filled(columns, values),
        changes=st.dictionaries(st.sampled_from(columns), st.tuples(values, values))
        if columns
        else st.just({}),
        costs=costs,
        score=floats,
        plausibility=st.none() | floats,
        prediction=st.none() | floats,
    )
    labels = st.builds(
        Categories,
        labels=st.lists(st.booleans() | st.integers() | known_floats | names, max_size=4).map(tuple),
        ordered=st.booleans(),
        dtype=names,
    )
    certificates = st.builds(
        Certificate,
        proven=st.booleans(),
        method=names,
        model_family=names,
        detector_family=st.none() | names,
        bound=names,
        cells=cells,
        axes=counts,
        grid=st.sampled_from([GIVEN, INFERRED, FINEST]),
        finest_open=st.booleans(),
        max_changes=st.none() | counts,
        boxes=counts,
        pruned=st.dictionaries(names, counts, max_size=3),
        rules=st.lists(names, max_size=2).map(tuple),
        checked_rules=st.lists(names, max_size=2).map(tuple),
        open_costs=st.none() | filled(objectives, known_floats),
    )
    return draw(
        st.builds(
            Explanation,
            status=st.sampled_from(Status),
            person=st.dictionaries(names, values, max_size=5),
            person_score=st.none() | floats,
            threshold=floats,
            person_prediction=st.none() | floats,
            scale=st.sampled_from(["probability", "decision", "lead"]),
            models=st.integers(1, 3),
            target=values | st.tuples(st.none() | floats, st.none() | floats),
            counterfactuals=st.lists(options, max_size=3).map(tuple),
            certificate=st.none() | certificates,
            objectives=st.just(tuple(objectives)),
            dtypes=filled(columns, names),
            categories=st.dictionaries(st.sampled_from(columns), labels) if columns else st.just({}),
            kind=st.sampled_from(KINDS),
            message=st.none() | names,
            elapsed=st.floats(min_value=0, allow_nan=False),
        )
    )
