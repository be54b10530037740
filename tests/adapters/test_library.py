"""Check how an object is recognised as a library's own."""

from fractions import Fraction

from p2ce.adapters.library import library_class, overrides


class Plain(Fraction):
    """Adds a method of its own."""

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


def test_an_attribute_on_the_instance_counts_as_well():
    value = Plain(1, 2)
    value.limit_denominator = lambda: value
    assert overrides(value, Fraction) == ["limit_denominator"]


def test_a_method_that_is_only_there_at_times_can_be_replaced_too() -> None:
    from sklearn.svm import SVC

    model = SVC()
    assert overrides(model, SVC) == []
    model.predict_proba = lambda rows: rows
    assert overrides(model, SVC) == ["predict_proba"]
