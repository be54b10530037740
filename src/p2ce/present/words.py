"""Put one change into words."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from p2ce.result.numbers import readable
from p2ce.result.plain import Value

# (feature, new value) → the words for that change, such as ("HasGuarantor", True) → "get a guarantor".
Phrases: TypeAlias = Mapping[tuple[str, Value], str]


def change_in_words(name: str, old: Any, new: Any, *, dtype: str = "", phrases: Phrases | None = None) -> str:
    """Say what to do with one feature, in the imperative and without a capital.

    >>> change_in_words("LoanAmount", 7500, 5200)
    'lower LoanAmount from 7,500 to 5,200'
    >>> change_in_words("HasGuarantor", False, True)
    'change HasGuarantor from no to yes'
    >>> change_in_words("HasGuarantor", False, True, phrases={("HasGuarantor", True): "get a guarantor"})
    'get a guarantor'
    >>> change_in_words("Housing", "rent", "own"), change_in_words("Income", None, 42_000)
    ('change Housing from rent to own', 'change Income from missing to 42,000')
    """
    if phrases and (own := _phrase(name, new, phrases)) is not None:
        return own
    # Yes and no have no order that people would call higher or lower.
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (old, new))
    # Nothing is higher or lower than a missing value, not even NaN, which is a float.
    ordered = numbers and old == old and new == new
    verb = "change" if not ordered else "raise" if new > old else "lower"
    return f"{verb} {name} from {readable(old, dtype)} to {readable(new, dtype)}"


def _phrase(name: str, new: Any, phrases: Phrases) -> str | None:
    """Find the own words for a change; those for None are for every missing value."""
    return phrases.get((name, None if new != new else new))


def joined(parts: list[str]) -> str:
    """Join parts as a sentence does.

    >>> joined(["a", "b", "c"])
    'a, b and c'
    """
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1] if parts else ""


def sentence(text: str) -> str:
    """Begin with a capital, but leave the rest (feature names) as it is."""
    return text[:1].upper() + text[1:]


def counted(count: int, one: str, many: str | None = None) -> str:
    """Give a number with its noun.

    >>> counted(1, "option"), counted(1200, "box", "boxes")
    ('1 option', '1,200 boxes')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"
