"""Tables of a run lose nothing: every explanation comes back as it was, and columns say the same."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)

import p2ce
from p2ce import Status, rules
from p2ce.policy.features.feature import Direction
from p2ce.portfolio.runs.portfolio_results import PortfolioResults
from p2ce.portfolio.runs.result_tables import schema_of, to_parquet, to_tables
from p2ce.tables.cells import is_missing
from p2ce.tables.json_values import plain_fields
from tests.optional import LazyLibrary
from tests.populations import loans
from tests.portfolio.written_runs import as_arrow, write_run

pl = LazyLibrary("polars")

ACTIONS = p2ce.Policy.infer(loans.people(), protect=None)


@dataclass(frozen=True)
class Case:
    """An explainer, people to explain, and what some explanation has to show for the case to say anything."""

    explainer: p2ce.Explainer
    people: Any
    shows: Callable[[p2ce.Explanation], Any]
    time_limit: float | None = None


def modest(frame: pd.DataFrame) -> Any:
    return frame["Income"] < 50


def numbers() -> Case:
    import lightgbm

    model = lightgbm.LGBMClassifier(n_estimators=8, num_leaves=6, min_child_samples=5, n_jobs=1, verbose=-1)
    model.fit(loans.people(), loans.label())
    # Income is 64 bits wide, Years 8, Rate single precision.
    return Case(
        loans.explainer(model=model),
        as_arrow(loans.people().head(12)),
        lambda entry: entry.status is Status.ACCEPTED,
    )


def places() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "Income": np.where(rng.random(150) < 0.2, np.nan, rng.integers(10, 60, 150)),
            "Place": pd.Categorical(
                rng.choice(["town", "coast", None], 150), categories=["hills", "town", "coast"]
            ),
            "Rooms": pd.array(np.where(rng.random(150) < 0.1, None, rng.integers(1, 5, 150)), dtype="Int64"),
        }
    )


def categories_and_missing_values() -> Case:
    reference = places()
    wanted = reference["Income"].isna() | (reference["Income"] > 50) | reference["Place"].isna()
    model = HistGradientBoostingClassifier(max_iter=6, max_leaf_nodes=5, categorical_features="from_dtype")
    model.fit(reference, wanted.astype(int))
    people = reference.head(14)
    # Every sort of missing value has to come back, and a label that no one in the reference has.
    people = people.astype({"Place": pd.CategoricalDtype(["hills", "town", "coast", "moon"])})
    people.loc[[0, 1], "Place"] = "moon"
    people.loc[2, ["Income", "Rooms"]] = [np.nan, pd.NA]
    policy = p2ce.Policy.infer(reference, protect=None).allow_missing("Place", "Income")
    explainer = p2ce.Explainer(model, reference, policy=policy, target=1, plausibility=None)
    return Case(explainer, people, becomes_missing)


def becomes_missing(entry: p2ce.Explanation) -> bool:
    return any(is_missing(after) for option in entry for _, after in option.changes.values())


def rows_that_fail() -> Case:
    rows = loans.rejected().head(8).astype(object).reset_index(drop=True)
    rows.loc[0, "Income"] = "forty"
    rows.loc[1, "Income"] = 2**70
    rows.loc[2, "Debt"] = np.inf
    rows.loc[3, "Rate"] = 0.1  # which single precision does not hold
    rows.loc[4, "Owns"] = None
    rows.loc[5, "Years"] = float("nan")
    rows.loc[6, "Owns"] = "\ud800"  # which no file holds
    return Case(loans.explainer(), rows, lambda entry: entry.status is Status.ERROR)


def found_none_on_the_finest_grid(entry: p2ce.Explanation) -> bool:
    certificate = entry.certificate
    return entry.status is Status.NO_RECOURSE and certificate is not None and certificate.grid == "finest"


def has_open_costs(entry: p2ce.Explanation) -> bool:
    return entry.status is Status.TIME_LIMIT and bool(entry.certificate and entry.certificate.open_costs)


def no_recourse() -> Case:
    fixed = loans.explainer(policy=ACTIONS.fix("Income", "Debt", "Owns"))
    return Case(fixed, loans.rejected().head(8), found_none_on_the_finest_grid)


def out_of_time() -> Case:
    return Case(loans.explainer(), loans.rejected().head(4), has_open_costs, time_limit=1e-9)


def rounded() -> Case:
    shown = ACTIONS.display(Debt={"decimals": 0})
    return Case(
        loans.explainer(policy=shown),
        loans.rejected().head(6),
        lambda entry: any(option.rounded_score for option in entry),
    )


def flagged() -> Case:
    """State the opposite of what the forest goes by, so options are flagged."""
    features = tuple(
        replace(one, association=Direction.DOWN if one.name == "Income" else one.association)
        for one in ACTIONS.features
    )
    return Case(
        loans.explainer(policy=replace(ACTIONS, features=features)),
        loans.rejected().head(6),
        lambda entry: any(option.flags for option in entry),
    )


def has_predictions(entry: p2ce.Explanation) -> bool:
    return entry.person_prediction is not None and any(option.prediction for option in entry)


def predicted_number() -> Case:
    model = RandomForestRegressor(6, max_depth=4, random_state=0)
    model.fit(loans.people(), loans.people()["Income"] * 2.0 - loans.people()["Debt"])
    explainer = loans.explainer(model=model, target=(70, 90), policy=ACTIONS.display(Debt={"decimals": 0}))
    return Case(explainer, loans.people().head(8), has_predictions)


def one_of_several_classes() -> Case:
    model = RandomForestClassifier(6, max_depth=4, random_state=0)
    model.fit(loans.people(), pd.cut(loans.people()["Income"], 3, labels=["low", "mid", "high"]))
    explainer = loans.explainer(model=model, target="high", objectives=["changes", "euclidean"], ties=True)
    return Case(explainer, loans.people().head(6), has_predictions)


def ruled() -> Case:
    policy = ACTIONS.with_rules(
        rules.linked("Years", "Income"),
        rules.inequality("Debt + Rate <= 1.5"),
        rules.predicate(modest, name="modest", columns=["Income"]),
    )
    return Case(loans.explainer(policy=policy), loans.rejected().head(4), len)


def estimated() -> Case:
    few = p2ce.Policy.infer(loans.people(), protect=None).fix("Rate", "Years")
    explainer = loans.explainer(policy=few, bound=p2ce.ShapEstimate(explainer="kernel"), plausibility=None)
    return Case(explainer, loans.rejected().head(3), lambda entry: entry.status is Status.HEURISTIC)


def our_names() -> Case:
    called = {"Income": "status", "Debt": "id", "Owns": "status_", "Rate": "A", "Years": "A_before"}
    reference = loans.people().rename(columns=called)
    model = RandomForestClassifier(12, max_depth=5, random_state=0).fit(reference, loans.label())
    explainer = p2ce.Explainer(
        model,
        reference,
        target=1,
        plausibility=None,
        objectives=[
            "changes",
            p2ce.objectives.WeightedDistance({}, name="score"),
            p2ce.objectives.WeightedDistance({}, name="grid"),
        ],
    )
    return Case(explainer, reference.head(20), len)


def labels_of_every_type() -> Case:
    rng = np.random.default_rng(3)
    reference = pd.DataFrame(
        {
            "mixed": pd.Series(rng.choice(np.array(["a", 1], dtype=object), 120), dtype=object),
            "code": pd.Categorical(rng.integers(1, 4, 120)),
            "day": pd.Categorical(pd.to_datetime(rng.choice(["2026-01-01", "2026-01-02"], 120))),
            "text": rng.choice(["x", "y", "z"], 120),
            "odd": pd.Series(list(rng.choice(["\ud800", "z"], 120)), dtype=object),  # which no file holds
        }
    )

    def score(frame: pd.DataFrame) -> Any:
        wanted = (frame["mixed"] == 1) & (frame["code"] != 2) & (frame["odd"] == "\ud800")
        return np.asarray(wanted).astype(float)

    explainer = p2ce.Explainer(score, reference, target=1, plausibility=None)
    people = reference.head(6).astype({"text": object})
    people["code"] = people["code"].astype(object)
    people.loc[3, "code"] = 2.5  # which whole numbers do not hold
    people.loc[0, "text"] = "unseen"
    people.loc[1, "text"] = 5
    people.loc[2, "text"] = None
    return Case(
        explainer, people, lambda entry: any({"mixed", "odd"} <= set(option.changes) for option in entry)
    )


def polars_tables() -> Case:
    rng = np.random.default_rng(5)
    reference = pl.DataFrame(
        {
            "Income": rng.integers(10, 60, 120),
            "Place": pl.Series(rng.choice(["town", "coast"], 120), dtype=pl.Enum(["coast", "town"])),
            "Owns": rng.random(120) < 0.5,
        }
    )

    def score(frame: Any) -> Any:
        return ((frame["Income"] > 30) | (frame["Place"] == "coast")).to_numpy().astype(float)

    people = reference.head(20).with_columns(
        pl.when(pl.arange(20) == 1).then(None).otherwise("Owns").alias("Owns")
    )
    return Case(p2ce.Explainer(score, reference, target=1, plausibility=None), people, len)


CASES: list[Callable[[], Case]] = [
    numbers,
    categories_and_missing_values,
    rows_that_fail,
    no_recourse,
    out_of_time,
    rounded,
    predicted_number,
    one_of_several_classes,
    ruled,
    estimated,
    our_names,
    flagged,
    labels_of_every_type,
    polars_tables,
]


@pytest.mark.parametrize("made", CASES, ids=lambda made: made.__name__)
def test_explanations_come_back_as_they_were(made: Callable[[], Case], tmp_path: Path) -> None:
    case = made()
    half = len(case.people) // 2
    run = write_run(
        tmp_path / "results",
        case.explainer,
        case.people,
        sizes=[half, len(case.people) - half],
        time_limit=case.time_limit,
    )
    assert any(map(case.shows, run.explanations))
    results = PortfolioResults(run.folder)
    for place, entry in enumerate(run.explanations):
        again = results.explanation(place)
        assert again == entry
        # Also what equality leaves out, other than times and the kind of table.
        assert {**again.to_dict(), "kind": None} == {**entry.to_dict(), "kind": None}
        assert [option.number for option in again] == [option.number for option in entry]
        assert str(again) == str(entry)


def test_tables_are_the_same_whatever_happens() -> None:
    explainer = loans.explainer()
    schema = schema_of(explainer, pa.string(), [pa.field("branch", pa.int16())])
    broken = loans.people().head(2).astype(object)
    broken[:] = "?"
    favourable = loans.people()[loans.forest().predict(loans.people()) == 1]
    for people in (loans.people().head(3), broken, favourable.head(2), loans.people().head(0)):
        branch = pa.table(
            {
                "Income": ["x"] * len(people),
                "score": ["y"] * len(people),
                "branch": pa.array([7] * len(people), pa.int64()),
            }
        )
        found = to_tables(
            explainer.explain_many(people), schema, pa.array(["k"] * len(people), pa.string()), branch
        )
        assert [table.schema for table in found] == [schema.people, schema.options]
        assert found[0].num_rows == len(people)
        assert found[0]["branch"].to_pylist() == [7] * len(people)


def test_ids_and_kept_columns_are_of_types_that_every_program_reads() -> None:
    explainer, labels = loans.explainer(), pa.array(["a", "b", "a"]).dictionary_encode()
    schema = schema_of(explainer, labels.type, [pa.field("branch", pa.large_string())])
    kept = pa.table({"branch": pa.array(["x", None, "z"], pa.large_string())})
    people, options = to_tables(explainer.explain_many(loans.rejected().head(3)), schema, labels, kept)
    assert {people.schema.field(name).type for name in ("id", "branch")} == {pa.string()}
    assert options.schema.field("id").type == pa.string()
    assert (people["id"].to_pylist(), people["branch"].to_pylist()) == (["a", "b", "a"], ["x", None, "z"])


def test_people_have_their_best_costs_and_options_their_changes() -> None:
    explainer = loans.explainer()
    explanations = explainer.explain_many(loans.people().head(20))
    schema = schema_of(explainer, pa.int64())
    people, options = to_tables(explanations, schema, pa.array(range(20)))
    frame = options.to_pandas()
    for row, entry in zip(people.to_pylist(), explanations, strict=True):
        assert row["options"] == len(entry)
        best = min((option.costs["changes"] for option in entry), default=None)
        assert row["best_changes"] == best
        own = frame[frame["id"] == row["id"]]
        assert own["option"].tolist() == list(range(1, len(entry) + 1))
        for option, (_, held) in zip(entry, own.iterrows(), strict=True):
            assert list(held["changed"]) == list(option.changes)
            for name, (before, after) in option.changes.items():
                assert (held[f"{name}_before"], held[f"{name}_after"]) == (before, after)
            assert held["Income_before"] == entry.person["Income"]
            assert held["Income_after"] == option.values["Income"]


def test_our_columns_give_way_to_the_models() -> None:
    case = our_names()
    schema = schema_of(case.explainer, pa.int64(), [pa.field("message", pa.string())])
    names = schema.names
    assert (names["id"], names["status"], names["message"]) == ("id_", "status__", "message_")
    assert names.before["A"] == "A_before_"
    assert names.costs == {"changes": "changes", "score": "score_", "grid": "grid_"}
    for table in (schema.people, schema.options):
        assert len(set(table.names)) == len(table.names)
        assert names["id"] == table.names[0]


def test_values_that_a_column_cannot_hold_are_null() -> None:
    case = rows_that_fail()
    schema = schema_of(case.explainer, pa.int64())
    people, _ = to_tables(case.explainer.explain_many(case.people), schema, pa.array(range(8)))
    assert people["Income"].to_pylist()[:2] == [None, None]
    assert "'forty'" in people["message"][0].as_py()
    assert people["Income"].to_pylist()[2:] == case.people["Income"].tolist()[2:]


def test_files_are_the_same_to_the_byte() -> None:
    explainer = loans.explainer()
    schema = schema_of(explainer, pa.int64())
    made = [
        tuple(
            map(
                to_parquet,
                to_tables(explainer.explain_many(loans.people().head(9)), schema, pa.array(range(9))),
            )
        )
        for _ in range(2)
    ]
    assert made[0] == made[1]
    assert plain_fields(schema_of(explainer, pa.int64()).names) == plain_fields(schema.names)
