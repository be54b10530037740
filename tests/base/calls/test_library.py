"""Check how an object is recognised as a library's own."""

import threading
import warnings
from fractions import Fraction

import pytest
from sklearn.svm import SVC

from p2ce.base.calls.library import caught_warnings, library_class, overrides, without_warnings


class Plain(Fraction):
    """Adds its own method."""

    def shout(self) -> str:
        return str(self).upper()


class Other(Fraction):
    """Replaces a method of the library."""

    def limit_denominator(self, max_denominator: int = 1_000_000) -> Fraction:
        return self


def test_only_listed_classes_of_the_package_count():
    assert library_class(Plain(1, 2), root="fractions", names={"Fraction"}) is Fraction
    assert library_class(Plain(1, 2), root="fractions", names={"Another"}) is None
    assert library_class(3, root="fractions", names={"Fraction"}) is None


def test_what_is_replaced_is_listed():
    assert overrides(Fraction(1, 2), Fraction) == []
    assert overrides(Plain(1, 2), Fraction) == []
    assert overrides(Other(1, 2), Fraction) == ["limit_denominator"]
    value = Plain(1, 2)
    value.limit_denominator = lambda: value  # on the instance
    assert overrides(value, Fraction) == ["limit_denominator"]
    model = SVC()  # whose method is only there at times
    assert overrides(model, SVC) == []
    model.predict_proba = lambda rows: rows
    assert overrides(model, SVC) == ["predict_proba"]


def test_threads_that_suppress_warnings_leave_the_filters_as_they_were() -> None:
    before, inside, leave = list(warnings.filters), threading.Event(), threading.Event()

    def first() -> None:
        with without_warnings():
            inside.set()
            leave.wait()

    def second() -> None:
        with without_warnings():
            pass

    threads = [threading.Thread(target=first), threading.Thread(target=second)]
    threads[0].start()
    inside.wait()
    threads[1].start()
    threads[1].join(0.05)  # it would be over by now, and later restore what the first had set
    leave.set()
    for thread in threads:
        thread.join()
    assert list(warnings.filters) == before


def test_other_warnings_are_shown_and_those_that_are_errors_remain_errors() -> None:
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        with caught_warnings("wanted (") as found:
            warnings.warn("wanted (1)", stacklevel=1)
            warnings.warn("another", stacklevel=1)
    assert found == ["wanted (1)"]
    assert [str(one.message) for one in shown] == ["another"]
    with pytest.raises(UserWarning, match="another"), caught_warnings("wanted"):
        warnings.warn("another", stacklevel=1)
