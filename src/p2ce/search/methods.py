"""Say which settings of the one engine are the project's own search and which are the paper's algorithms."""

from dataclasses import dataclass

from p2ce.errors import InvalidOption, nearest

# Boxes of up to this many cells are scored whole: 64 KB of 32-bit totals stay in the second-level cache.
DENSE_CELLS = 16384
# Supports of up to this many changes are listed one by one, from leaves sorted by disagreement set.
LISTED_CHANGES = 3

NEVER, ALWAYS, WHEN_WORTH_IT = 0, 1, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One way to explore the grid; every one of them is sound, they differ in what they look at."""

    name: str
    plausible: bool = True  # points must pass the detector
    partial_check: int = WHEN_WORTH_IT  # when the detector is bounded over whole boxes
    dense_cells: int = DENSE_CELLS
    listed: int = LISTED_CHANGES
    trim: bool = True
    by_value: bool = False
    best_first: bool = True


def _paper(name: str, *, plausible: bool, partial_check: int) -> Method:
    """Branch on one feature after the other, one value at a time, nearest first, as Alg. 1 and 2 do."""
    return Method(
        name=name,
        plausible=plausible,
        partial_check=partial_check,
        dense_cells=0,
        listed=0,
        trim=False,
        by_value=True,
        best_first=False,
    )


METHODS: dict[str, Method] = {
    "exact": Method(name="exact"),
    # Alg. 2; its lines 20-21 ask at every partial point whether all completions are outliers.
    "p2ce": _paper("p2ce", plausible=True, partial_check=ALWAYS),
    "p2ce-ablation": _paper("p2ce-ablation", plausible=True, partial_check=NEVER),
    # Alg. 1: no detector at all.
    "mapocam": _paper("mapocam", plausible=False, partial_check=NEVER),
}


def find_method(name: object) -> Method:
    """Look a method up by its name."""
    if not isinstance(name, str) or name not in METHODS:
        hint = nearest(str(name), METHODS)
        known = f" Known are {', '.join(map(repr, METHODS))}." if hint.startswith("Did") else ""
        raise InvalidOption(f"There is no method {name!r}. {hint}{known}")
    return METHODS[name]
