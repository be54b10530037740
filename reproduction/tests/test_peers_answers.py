"""Each peer, from its own package, explains a tiny model.

They need the peers' environments: `python -m reproduction.peers` installs them in the user's cache, and so do
the tests if CI is set. The authors' code runs if P2CE_AUTHORS names a checkout.
"""

import os
from dataclasses import replace
from pathlib import Path

import lightgbm
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import IsolationForest, RandomForestClassifier

from p2ce.datasets.load_dataset import cache_folder
from reproduction.names import AUTHORS
from reproduction.peers import Request, Search, run_peer
from reproduction.peers.environments import FAMILIES, Missing, is_made, python_of, stamp_of
from reproduction.peers.run_peer import PEERS
from reproduction.tests.made_up import trained
from reproduction.training import probabilities

PEOPLE = 2
HOW = "run python -m reproduction.peers, which installs the peers' environments, or set CI"

made = [is_made(cache_folder() / "peers" / make().folder, stamp_of(make())) for make in FAMILIES]
if not any(made) and not os.environ.get("CI"):
    pytest.skip(HOW, allow_module_level=True)


@pytest.fixture(scope="module")
def table() -> tuple[pd.DataFrame, "pd.Series[int]"]:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 70, 300),
            "income": rng.integers(10, 90, 300),
            "branch": 1,  # constant
            "debts": rng.integers(0, 8, 300),
            "owner": rng.integers(0, 2, 300),
            "persons": rng.integers(1, 3, 300),
        }
    )
    good = frame["income"] / 10 - frame["debts"] + 2 * frame["owner"] + rng.normal(0, 0.5, 300) > 5
    return frame, good.astype(int)


def request_of(table: tuple[pd.DataFrame, "pd.Series[int]"], kind: str, *, answers: int) -> Request:
    frame, outcome = table
    model = {
        "lightgbm": lightgbm.LGBMClassifier(n_estimators=20, n_jobs=1, verbose=-1, random_state=0),
        "forest": RandomForestClassifier(n_estimators=10, max_depth=4, random_state=0),
    }[kind].fit(frame, outcome)
    made = trained(kind, model, frame.columns)
    people = frame[probabilities(made, frame) < 0.5][:PEOPLE].copy()
    people.loc[people.index[0], "debts"] = 60  # beyond its range, and beyond all other people
    assert (probabilities(made, people) < 0.5).all()
    return Request(
        trained=made,
        train=frame,
        train_outcome=outcome,
        people=people,
        mutable=("income", "debts", "owner"),
        ranges={"income": (12.0, 80.0), "debts": (0.0, 6.5), "owner": (0.0, 1.0)},
        answers=answers,
        seed=0,
        seconds_per_person=30.0,
    )


@pytest.fixture
def environments(method: str) -> Path:
    """Return the folder of the environments, which contains that of this method."""
    folder, family = cache_folder() / "peers", PEERS[method].family()
    if not is_made(folder / family.folder, stamp_of(family)):
        if not os.environ.get("CI"):
            pytest.skip(HOW)
        try:
            python_of(family, environments=folder)
        except Missing as reason:
            pytest.skip(str(reason))
    return folder


@pytest.mark.parametrize("method", [method for method in PEERS if method not in AUTHORS])
def test_a_peer_finds_counterfactuals(
    method: str, environments: Path, table: tuple[pd.DataFrame, "pd.Series[int]"], tmp_path: Path
) -> None:
    kind, answers = ("forest", 1) if method == "ocean" else ("lightgbm", 1 if "nice" in method else 3)
    request = request_of(table, kind, answers=answers)
    found = run_peer(method, request=request, folder=tmp_path / "work", environments=environments)
    assert found.missing is None
    assert {"python", "numpy"} < set(found.versions)
    assert [person.error for person in found.people] == [None] * PEOPLE
    for number, person in enumerate(found.people):
        assert 0 < person.seconds < 30
        assert 1 <= len(person.rows) <= answers
        rows = pd.DataFrame(list(person.rows), columns=request.train.columns)
        assert (probabilities(request.trained, rows) >= 0.5).all()
        assert (rows % 1 == 0).all(axis=None)
        assert (person.counts["calls"] > 0) == (method != "ocean")
        if method not in ("nice", "dice-free", "dice-code"):  # which take no constraints, or got none
            assert_allowed(rows, request.people.iloc[number], request)


@pytest.mark.skipif("P2CE_AUTHORS" not in os.environ, reason="P2CE_AUTHORS names no checkout")
@pytest.mark.parametrize("method", AUTHORS)
def test_the_authors_code_searches_the_same_grid(
    method: str, environments: Path, table: tuple[pd.DataFrame, "pd.Series[int]"], tmp_path: Path
) -> None:
    frame, _ = table
    candidates = {"income": [12.0, 20.0, 40.0, 60.0, 80.0], "debts": [0.0, 3.0, 6.0], "owner": [0.0, 1.0]}
    search = Search(
        checkout=Path(os.environ["P2CE_AUTHORS"]),
        candidates=candidates,
        detector=IsolationForest(contamination=0.05, random_state=0).fit(frame.to_numpy(float)),
        objectives=3,
    )
    request = replace(request_of(table, "lightgbm", answers=1), search=search)
    found = run_peer(method, request=request, folder=tmp_path / "work", environments=environments)
    assert found.missing is None
    for number, person in enumerate(found.people):
        assert person.error is None
        assert person.counts["cells"] > 0
        assert (person.counts["explanations"] > 0) == (method != "authors-mapocam")
        for row in person.rows:
            for name, value in zip(frame.columns, row, strict=True):
                assert value == request.people.iloc[number][name] or value in candidates[name]
        if person.rows and method != "authors-mapocam":
            assert (search.detector.predict(np.array(person.rows)) == 1).all()


@pytest.mark.parametrize("method", ["ocean"])
def test_nothing_is_nearer_than_what_ocean_proves_to_be(
    method: str, environments: Path, table: tuple[pd.DataFrame, "pd.Series[int]"], tmp_path: Path
) -> None:
    request = request_of(table, "forest", answers=1)
    found = run_peer(method, request=request, folder=tmp_path / "work", environments=environments)
    width = (request.train.max() - request.train.min()).replace(0, 1)
    for number, answered in enumerate(found.people):
        person = request.people.iloc[number]
        rows = pd.MultiIndex.from_product(
            [sorted({*range(12, 81), person["income"]}), sorted({*range(7), person["debts"]}), [0, 1]],
            names=["income", "debts", "owner"],
        ).to_frame(index=False)
        rows = rows.assign(**person.drop(list(rows.columns)))[list(request.train.columns)]
        accepted = rows[probabilities(request.trained, rows) >= 0.5]
        nearest = ((accepted - person).abs() / width).sum(axis=1).min()
        distance = ((pd.Series(answered.rows[0], index=width.index) - person).abs() / width).sum()
        # OCEAN counts to a threshold, half a step before the whole number behind it, in two columns here.
        assert nearest - 1e-9 <= distance <= nearest + 0.5 / width["income"] + 0.5 / width["debts"] + 1e-9


def assert_allowed(rows: pd.DataFrame, person: "pd.Series[float]", request: Request) -> None:
    for name in rows.columns:
        moved = rows.loc[rows[name] != person[name], name]
        if name not in request.mutable:
            assert moved.empty, name
        else:
            low, high = request.ranges[name]
            assert moved.between(low, high).all(), name
