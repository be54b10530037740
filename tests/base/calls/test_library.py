"""Check how an object is recognised as a library's own."""

from fractions import Fraction

from sklearn.svm import SVC

from p2ce.base.calls.library import library_class, overrides


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
