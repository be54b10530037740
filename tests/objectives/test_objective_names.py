"""Is every objective of the folder registered, and does a wrong name list the known ones?"""

import importlib
import inspect
import pkgutil

import pytest

from p2ce import objectives
from p2ce.engine.grid.candidate_costs import Join
from p2ce.errors import InvalidObjective
from p2ce.objectives import Changes, CostTable, MaxDistance, Objective, WeightedDistance
from p2ce.objectives.objective_names import NAMED, WITH_ARGUMENTS, resolve

SUPPORT = {"distance", "objective", "objective_arguments", "objective_names"}
MODULES = [one.name for one in pkgutil.iter_modules(objectives.__path__) if one.name not in SUPPORT]


@pytest.mark.parametrize("module", MODULES)
def test_every_file_holds_one_registered_objective(module: str) -> None:
    found = importlib.import_module(f"p2ce.objectives.{module}")
    (own,) = (
        cls
        for _, cls in inspect.getmembers(found, inspect.isclass)
        if issubclass(cls, Objective) and cls.__module__ == found.__name__
    )
    assert own in (*WITH_ARGUMENTS, *NAMED.values()), f"register {own.__name__} in objective_names.py"
    assert own.__name__ in objectives.__all__


def test_objects_and_names_mix_and_one_may_stand_alone() -> None:
    mixed = resolve(["changes", MaxDistance(unit="own"), WeightedDistance({}), "max_distance"])
    names = ["changes", "max_distance_own_unit", "weighted_distance", "max_distance"]
    assert [one.name for one in mixed] == names
    assert [one.name for one in resolve(list(NAMED))] == list(NAMED)
    assert resolve("changes") == resolve(Changes()) == (Changes(),)


@pytest.mark.parametrize("name", ["mean_distnce", "Changes", "zzz", ""])
def test_an_unknown_name_lists_all(name: str) -> None:
    with pytest.raises(InvalidObjective) as caught:
        resolve([name])
    assert repr(name) in str(caught.value)
    assert all(repr(known) in str(caught.value) for known in NAMED)
    assert name != "mean_distnce" or caught.match("Did you mean 'mean_distance'")


class Nameless(Objective):
    """A user's own class that forgot its name."""

    name = ""
    join = Join.SUM

    def fit(self, reference: object) -> object:  # type: ignore[override]
        raise AssertionError


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "Expected at least one objective, got none"),
        (["changes", "changes"], "'changes' is listed more than once"),
        ([CostTable("changes", {"a": {1: 1}}), "changes"], "'changes' is listed more than once"),
        ([Changes], r"got the class Changes. Write Changes\(\)"),
        ([3], "name or an Objective object, got 3"),
        (None, "must be a list of names"),
        ([Nameless()], "needs a name"),
    ],
)
def test_other_mistakes_are_named(given: object, message: str) -> None:
    with pytest.raises(InvalidObjective, match=message):
        resolve(given)  # type: ignore[arg-type]
