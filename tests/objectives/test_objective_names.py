"""Is every objective of the folder registered, and does a wrong name list the known ones?"""

import inspect
import pkgutil
from importlib import import_module

import pytest

from p2ce import objectives
from p2ce.errors import InvalidObjective
from p2ce.extend import Join
from p2ce.objectives import Changes, CostTable, MaxDistance, Objective, WeightedDistance
from p2ce.objectives.objective_names import built_in, objectives_by_name, resolve

MODULES = [one.name for one in pkgutil.iter_modules(objectives.__path__)]


def test_every_objective_of_the_folder_is_listed() -> None:
    found = set()
    for module in MODULES:
        of_module = import_module(f"p2ce.objectives.{module}")
        classes = [cls for _, cls in inspect.getmembers(of_module, inspect.isclass)]
        found |= {cls for cls in classes if issubclass(cls, Objective) and not inspect.isabstract(cls)}
    missing = {cls.__name__ for cls in found} - {cls.__name__ for cls in built_in()}
    assert not missing, f"add one line to p2ce/objectives/__init__.py for each of {sorted(missing)}"
    assert {cls.__name__ for cls in built_in()} <= set(objectives.__all__)


def test_objects_and_names_mix_and_one_may_stand_alone() -> None:
    mixed = resolve(["changes", MaxDistance(unit="own"), WeightedDistance({}), "max_distance"])
    names = ["changes", "max_distance_own_unit", "weighted_distance", "max_distance"]
    assert [one.name for one in mixed] == names
    assert [one.name for one in resolve(list(objectives_by_name()))] == list(objectives_by_name())
    assert resolve("changes") == resolve(Changes()) == (Changes(),)


@pytest.mark.parametrize("name", ["mean_distnce", "Changes", "zzz", ""])
def test_an_unknown_name_lists_all(name: str) -> None:
    with pytest.raises(InvalidObjective) as caught:
        resolve([name])
    assert repr(name) in str(caught.value)
    assert all(repr(known) in str(caught.value) for known in objectives_by_name())
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
