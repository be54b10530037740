"""Is every error ours, drawn in the tree, and does a wrong name find its neighbours?"""

import builtins
import inspect
import re
import shlex
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest
from packaging.requirements import Requirement
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce import errors
from p2ce.errors import P2CEError, nearest, not_installed

HELD = [one for _, one in inspect.getmembers(errors, inspect.isclass) if issubclass(one, Exception)]
ALL = [*HELD, errors.NotFitted]  # which is loaded when it is first needed
PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = {
    name: lines
    for name, lines in PROJECT["optional-dependencies"].items()
    if not any(line.startswith("p2ce[") for line in lines)
}
TREE = dict(re.findall(r"[├└]── (\w+)(?: \((\w+)\))?", errors.__doc__ or ""))


@pytest.mark.parametrize("error", [one for one in ALL if one is not P2CEError])
def test_every_error_is_what_the_tree_says(error: type[Exception]) -> None:
    """It is ours, and the builtin that people expect."""
    assert issubclass(error, P2CEError)
    assert issubclass(error, getattr(builtins, TREE[error.__name__] or "Exception"))
    assert issubclass(error, ValueError | TypeError | RuntimeError | OSError | ImportError)
    assert str(error("what to do")) == "what to do"  # a KeyError would quote it


def test_the_tree_draws_every_error() -> None:
    assert {error.__name__ for error in ALL} == {"P2CEError", *TREE}


def test_what_is_not_fitted_can_be_caught_as_in_scikit_learn() -> None:
    with pytest.raises(NotFittedError, match="is not fitted") as caught:
        p2ce.Explainer(DecisionTreeClassifier(), pd.DataFrame({"Age": [30, 40]}), target=1)
    assert type(caught.value) is errors.NotFitted


def test_nearest_forgives_capitals_and_letters() -> None:
    assert nearest("loanamount", ["Age", "LoanAmount"]) == "Did you mean 'LoanAmount'?"
    assert nearest("Ag", ["Age", "AGE"]) == "Did you mean 'Age' or 'AGE'?"


def test_nearest_lists_some_of_many_when_nothing_is_alike() -> None:
    known = [f"column{i}" for i in range(20)]
    assert nearest("zzz", known).endswith("'column11' and 8 more.")
    assert nearest("zzz", []) == "None is known."
    assert nearest(3, [1, 2]) == "Known are '1', '2'."


@pytest.mark.parametrize("extra", sorted(EXTRAS))
def test_a_missing_library_is_named_as_the_index_has_it(extra: str) -> None:
    text = str(not_installed("This", extra))
    assert "p2ce" not in text
    assert "\n" not in text
    for line in EXTRAS[extra]:
        requirement = Requirement(line)
        here = requirement.marker is None or requirement.marker.evaluate()
        assert (shlex.quote(line.partition(";")[0]) in text) == here


def test_each_system_has_its_own_package_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for platform, package in (("darwin", "xgboost"), ("linux", "xgboost-cpu"), ("win32", "xgboost-cpu")):
        monkeypatch.setattr(sys, "platform", platform)
        assert f"needs {package}, which is not installed" in str(not_installed("This", "xgboost"))


def test_a_library_that_is_no_extra_is_named_alone() -> None:
    found = not_installed("A table of polars", "polars", instead="Or use pandas.")
    assert str(found).endswith(
        "needs polars, which is not installed. Type: pip install polars. Or use pandas."
    )
