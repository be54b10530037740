"""Is every error ours, drawn in the tree, and does a wrong name find its neighbours?"""

import inspect

import pytest

from p2ce import errors
from p2ce.errors import P2CEError, nearest

ALL = [one for _, one in inspect.getmembers(errors, inspect.isclass) if issubclass(one, Exception)]


@pytest.mark.parametrize("error", ALL)
def test_every_error_derives_from_ours_and_stands_in_the_tree(error: type[Exception]) -> None:
    assert issubclass(error, P2CEError)
    assert error.__name__ in (errors.__doc__ or "")
    assert str(error("what to do")) == "what to do"  # a KeyError would quote it


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (errors.InvalidActions, ValueError),
        (errors.UnknownFeature, ValueError),
        (errors.ContradictoryConstraints, ValueError),
        (errors.InvalidReference, ValueError),
        (errors.UnsupportedColumn, TypeError),
        (errors.InvalidPerson, ValueError),
        (errors.InvalidTarget, ValueError),
        (errors.InvalidThreshold, ValueError),
        (errors.UnknownObjective, ValueError),
        (errors.InvalidObjective, ValueError),
        (errors.InvalidArgument, ValueError),
        (errors.UnsupportedModel, TypeError),
        (errors.UnsupportedDetector, TypeError),
        (errors.ModelMismatch, RuntimeError),
        (errors.NotFitted, ValueError),
        (errors.MissingData, FileNotFoundError),
        (errors.DamagedData, ValueError),
        (errors.MissingExtra, ImportError),
    ],
)
def test_an_error_is_also_the_builtin_that_people_expect(
    error: type[Exception], builtin: type[Exception]
) -> None:
    assert issubclass(error, builtin)


def test_nearest_forgives_capitals_and_letters() -> None:
    assert nearest("loanamount", ["Age", "LoanAmount"]) == "Did you mean 'LoanAmount'?"
    assert nearest("Ag", ["Age", "AGE"]) == "Did you mean 'Age' or 'AGE'?"


def test_nearest_lists_some_of_many_when_nothing_is_alike() -> None:
    known = [f"column{i}" for i in range(20)]
    assert nearest("zzz", known).endswith("'column11' and 8 more.")
    assert nearest("zzz", []) == "None is known."
    assert nearest(3, [1, 2]) == "Known are '1', '2'."
