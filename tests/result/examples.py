"""Make explanations for the tests of results and their presentation."""

from dataclasses import replace
from typing import Any, get_args

from hypothesis import strategies as st

from p2ce.policy.features.display import Display
from p2ce.policy.rules import rule_from_plain
from p2ce.result import (
    Candidates,
    Categories,
    Certificate,
    Counterfactual,
    Distribution,
    Explanation,
    Feature,
    ProblemRecord,
    Relaxation,
    Relaxations,
    Restriction,
    Status,
)
from p2ce.result.certificate import GridName, NoneBecause, Unproven
from p2ce.result.counterfactual import AdmittedBy
from p2ce.result.explanation import ErrorKind, ScoreScale
from p2ce.result.problem_record import FeatureKind, FeatureMoves
from p2ce.result.relaxations import RestrictionKind
from p2ce.result.rule_data import rule_data
from p2ce.rules import predicate
from p2ce.tables import KINDS
from p2ce.tables.json_values import Value
from tests.policy.random_displays import displays

PERSON: dict[str, Value] = {"Age": 41, "LoanAmount": 7500, "Rate": 0.5, "HasGuarantor": False}
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
    """An optimal explanation with two options, except for the fields given."""
    options = (
        option(mean_distance=0.1, LoanAmount=6000, HasGuarantor=True),
        option(mean_distance=0.4, LoanAmount=2500),
    )
    explained = Explanation(
        status=Status.OPTIMAL,
        person=PERSON,
        person_score=0.31,
        at_least=0.5,
        target=1,
        counterfactuals=options,
        certificate=CERTIFICATE,
        objectives=OBJECTIVES,
        dtypes=DTYPES,
        elapsed=0.012,
        timings={"search": 0.0003, "verification": 0.0117},
    )
    return replace(explained, **fields)


RULE = {"rule": "linked", "driver": "Age", "follower": "LoanAmount", "ratio": 2}
LOAN = Feature(
    name="LoanAmount",
    kind="whole",
    moves="down",
    candidates=Candidates(count=7, low=1000, high=4000, steps=(500, 500), special=(-9,)),
    display=Display(name={"en": "loan amount"}, unit="EUR", values={1: "one"}),
    distribution=Distribution(edges=(0.0, 1000.0, 9000.0), shares=(0.4, 0.6)),
)
HOUSING = Feature(
    name="Housing",
    kind="category",
    candidates=Candidates(count=2, values=("own", "rent")),
    distribution=Distribution(labels=("own", "rent"), shares=(0.4, 0.6)),
)
PROBLEM = ProblemRecord(
    features={"LoanAmount": LOAN, "Housing": HOUSING},
    rules=(RULE,),
    policy="version: 1",
    people=7,
    versions={"p2ce": "1"},
    hashes={"model": "ab"},
    settings={"contamination": 0.05, "end": float("inf")},
)
# One of everything.
FULL = replace(
    explanation(),
    problem=PROBLEM,
    categories={"Age": Categories(labels=("a", 1), dtype="object")},
    counterfactuals=(
        replace(option(mean_distance=0.1, LoanAmount=6000), rounded={"LoanAmount": 5900}, rounded_score=0.51),
    ),
    certificate=replace(CERTIFICATE, open_costs={"changes": 1.0}, rules=(RULE,)),
)
WIDER = Restriction(kind="range", feature="Age", low=18, high=40, wider_low=18, wider_high=70)
WHY = Relaxations(
    person=PERSON,
    relaxations=(Relaxation(restrictions=(WIDER,), counterfactual=replace(FULL[0], number=0), proven=True),),
    undecided=((Restriction(kind="rule", rule=RULE), Restriction(kind="plausibility")),),
    considered=(WIDER, Restriction(kind="changes", most=1, instead=2)),
    complete=False,
    objectives=OBJECTIVES,
    dtypes=DTYPES,
)

# Any explained at all: strange names, every float (infinities and NaN too), integers of any length.
names = st.text(max_size=8)
floats = st.floats()
known_floats = st.floats(allow_nan=False)
values = st.booleans() | st.integers() | floats | names | st.none()
counts = st.integers(min_value=0, max_value=2**62)
numbers = floats | st.integers(-(2**80), 2**80)
rules = st.sampled_from(
    [
        RULE,
        rule_data(predicate(lambda rows: rows["a"] > 0, name="own check", columns="a")),
        rule_data(
            rule_from_plain(
                {"rule": "implies", "condition": {"a": [1, None]}, "consequence": {"b": {"from": 2}}}
            )
        ),
        {"rule": "of another library", "text": "as it says", "columns": ["a", "b"]},
    ]
)
rule_lists = st.lists(rules, max_size=2).map(tuple)
cells = counts | st.integers(0, 6000).map(lambda axes: 20**axes)


def filled(keys: list[str], content: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Dictionaries with just these keys, in this order."""
    return st.tuples(*[content for _ in keys]).map(lambda found: dict(zip(keys, found, strict=True)))


@st.composite
def distributions(draw: st.DrawFn) -> Distribution:
    """Shares of labels, or between edges."""
    shares = tuple(draw(st.lists(st.floats(0, 1), max_size=4)))
    count, between = len(shares), draw(st.booleans())
    edges = st.lists(st.floats(-1e9, 1e9), min_size=count + 1, max_size=count + 1).map(tuple)
    labels = st.lists(values, min_size=count, max_size=count).map(tuple)
    return Distribution(
        edges=draw(edges) if between else (),
        labels=() if between else draw(labels),
        shares=shares,
        other=draw(st.floats(0, 1)),
    )


@st.composite
def problems(draw: st.DrawFn, columns: list[str]) -> ProblemRecord:
    candidates = st.builds(
        Candidates,
        count=counts,
        low=st.none() | numbers,
        high=st.none() | numbers,
        steps=st.none() | st.tuples(st.floats(0, 1), st.integers(1, 10**9)),
        values=st.lists(values | st.tuples(values, values), max_size=3).map(tuple),
        missing_stays=st.booleans(),
        special=st.lists(numbers, max_size=2).map(tuple),
    )
    parts = {
        "kind": st.sampled_from(get_args(FeatureKind)),
        "moves": st.sampled_from(get_args(FeatureMoves)),
        "group": names,
        "candidates": st.none() | candidates,
        "display": displays,
        "distribution": st.none() | distributions(),
    }
    texts = st.dictionaries(names, names, max_size=2)
    return ProblemRecord(
        features={name: draw(st.builds(Feature, name=st.just(name), **parts)) for name in columns},
        rules=draw(rule_lists),
        policy=draw(names),
        people=draw(counts),
        versions=draw(texts),
        hashes=draw(texts),
        settings=draw(st.dictionaries(names, values, max_size=2)),
    )


restrictions = st.builds(
    Restriction,
    kind=st.sampled_from(get_args(RestrictionKind)),
    feature=names,
    most=st.none() | counts,
    direction=st.sampled_from(["up", "down"]),
    low=st.none() | numbers,
    wider_high=st.none() | numbers,
    within_change=st.sampled_from([(0, "+10%"), ("-2.5%", 3), (None, 0.5)]),
    values=st.lists(values, max_size=3).map(tuple),
    value=values,
    rule=rules,
)


@st.composite
def whys(draw: st.DrawFn) -> Relaxations:
    """Why there is no option, with the counterfactuals of any explanation."""
    from_one = draw(explanations())
    sets = st.lists(restrictions, max_size=3).map(tuple)
    relaxations = [
        Relaxation(restrictions=draw(sets), counterfactual=replace(one, number=0), proven=draw(st.booleans()))
        for one in from_one
    ]
    return Relaxations(
        person=from_one.person,
        relaxations=tuple(relaxations),
        undecided=draw(st.lists(sets, max_size=2).map(tuple)),
        considered=draw(sets),
        fixed=tuple(draw(st.lists(names, max_size=2))),
        complete=draw(st.booleans()),
        objectives=from_one.objectives,
        dtypes=from_one.dtypes,
        categories=from_one.categories,
        _kind=from_one._kind,
    )


@st.composite
def explanations(draw: st.DrawFn) -> Explanation:
    columns = draw(st.lists(names, unique=True, max_size=5))
    objectives = draw(st.lists(names, unique=True, max_size=3))
    costs = filled(objectives, floats)
    changed = st.sets(st.sampled_from(columns)) if columns else st.just(set())
    options = st.builds(
        Counterfactual,
        values=filled(columns, values),
        changes=changed.flatmap(
            lambda some: filled([name for name in columns if name in some], st.tuples(values, values))
        ),
        rounded=changed.flatmap(lambda some: filled(sorted(some), values)),
        rounded_score=st.none() | floats,
        costs=costs,
        score=floats,
        plausibility=st.none() | floats,
        admitted_by=st.none() | st.sampled_from(get_args(AdmittedBy)),
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
        plausibility_today=st.none() | floats,
        none_because=st.none() | st.sampled_from(get_args(NoneBecause)),
        bound=names,
        cells=cells,
        axes=counts,
        grid=st.sampled_from(get_args(GridName)),
        finest_open=st.booleans(),
        max_changes=st.none() | counts,
        boxes=counts,
        pruned=st.dictionaries(names, counts, max_size=3),
        unproven_because=st.none() | st.sampled_from(get_args(Unproven)),
        rules=rule_lists,
        checked_rules=rule_lists,
        open_costs=st.none() | filled(objectives, known_floats),
    )
    return draw(
        st.builds(
            Explanation,
            status=st.sampled_from(Status),
            person=filled(columns, values),
            person_score=st.none() | floats,
            at_least=floats,
            person_prediction=st.none() | floats,
            scale=st.sampled_from(get_args(ScoreScale)),
            models=st.integers(1, 3),
            target=values | st.tuples(st.none() | floats, st.none() | floats),
            counterfactuals=st.lists(options, max_size=3).map(tuple),
            certificate=st.none() | certificates,
            objectives=st.just(tuple(objectives)),
            dtypes=filled(columns, names),
            categories=st.dictionaries(st.sampled_from(columns), labels) if columns else st.just({}),
            _kind=st.sampled_from(KINDS),
            error=st.none() | st.sampled_from(get_args(ErrorKind)),
            message=st.none() | names,
            problem=st.none() | problems(columns),
            elapsed=st.floats(min_value=0, allow_nan=False),
        )
    )
