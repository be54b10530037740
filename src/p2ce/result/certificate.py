"""Hold the optimality certificate of an explanation: what was proven, and by what work."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from p2ce.limits import DEFAULT, Limits
from p2ce.result.plain import plain_values, to_plain
from p2ce.result.untrusted_json import Entry, entry_of
from p2ce.visible import echoed

# GIVEN: the user states all candidates. INFERRED: the data and the model's thresholds choose some. FINEST:
# where those hold no option, all values that data, model or detector distinguish.
GIVEN, INFERRED, FINEST = "given", "inferred", "finest"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Certificate:
    """What the search proved, over which grid, and what each rule removed.

    How much work it was (`boxes`, `scored`, `pruned`, `verified`, `discrepancies`) is no part of what was
    proven, and depends on who else was explained at the same time: equality leaves it out.

    >>> certificate = Certificate(
    ...     proven=True, method="exact", model_family="LightGBM", bound="tree leaves", cells=1_000, axes=3
    ... )
    >>> Certificate.from_dict(certificate.to_dict()) == certificate
    True
    """

    proven: bool  # every pruned box was pruned by a proven rule, none is open, every point verified
    # "estimate", "contradiction", "doubt" or "misprint" (an algorithm of the paper as printed).
    unproven_because: str | None = None
    method: str
    model_family: str
    detector_family: str | None = None
    bound: str  # "tree leaves", "additive", "network", "complete", "shap", …: what cells were pruned by
    cells: int  # grid cells in reach; a Python int, since it can exceed any machine integer
    axes: int  # features that may change
    grid: str = "given"  # which one this speaks of: GIVEN, INFERRED or FINEST
    finest_open: bool = False  # the finest grid was searched as well, but not to its end
    max_changes: int | None = None
    ties: bool = False  # options of equal cost are all listed; else one of them stands for the others
    boxes: int = field(default=0, compare=False)  # boxes looked at
    scored: int = field(default=0, compare=False)  # cells scored one by one
    attributed: int = field(default=0, compare=False)  # points at which SHAP values were computed
    pruned: dict[str, int] = field(default_factory=dict, compare=False)  # rule → boxes that it removed
    # Points re-scored by the user's own model (and detector, if it is theirs), and those on which these
    # disagreed with the compiled scores.
    verified: int = field(default=0, compare=False)
    discrepancies: int = field(default=0, compare=False)
    miss_rate: float | None = (
        None  # share of rejected people for whom an estimate is expected to miss options
    )
    sample_size: int | None = None  # people it was calibrated on
    explainer: str | None = None  # what computed the attributions of an estimate
    residual: float | None = None  # by how much the estimate was widened for that
    open_boxes: int = 0  # boxes not looked at when time ran out
    open_costs: dict[str, float] | None = None  # the least an open box could still cost
    rules: tuple[str, ...] = ()  # rules between features that narrowed the search, in words
    checked_rules: tuple[str, ...] = ()  # rules that candidates were only checked against: they prune nothing

    def __repr__(self) -> str:
        # Not Python's own, which does not write counts of more than 4,300 digits.
        shown = (f"{one.name}={echoed(getattr(self, one.name))}" for one in fields(self))
        return f"Certificate({', '.join(shown)})"

    def to_dict(self) -> dict[str, Any]:
        """Give the same content as JSON-ready data."""
        return {
            "proven": to_plain(self.proven),
            "unproven_because": self.unproven_because,
            "method": self.method,
            "model_family": self.model_family,
            "detector_family": self.detector_family,
            "bound": self.bound,
            "cells": to_plain(self.cells),
            "axes": to_plain(self.axes),
            "grid": self.grid,
            "finest_open": to_plain(self.finest_open),
            "max_changes": to_plain(self.max_changes),
            "ties": to_plain(self.ties),
            "boxes": to_plain(self.boxes),
            "scored": to_plain(self.scored),
            "attributed": to_plain(self.attributed),
            "pruned": plain_values(self.pruned),
            "verified": to_plain(self.verified),
            "discrepancies": to_plain(self.discrepancies),
            "miss_rate": to_plain(self.miss_rate),
            "sample_size": to_plain(self.sample_size),
            "explainer": self.explainer,
            "residual": to_plain(self.residual),
            "open_boxes": to_plain(self.open_boxes),
            "open_costs": None if self.open_costs is None else plain_values(self.open_costs),
            "rules": list(self.rules),
            "checked_rules": list(self.checked_rules),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, limits: Limits = DEFAULT) -> "Certificate":
        """Undo `to_dict`."""
        return cls._read(entry_of(data, cls, limits))

    @classmethod
    def _read(cls, entry: Entry) -> "Certificate":
        costs = entry["open_costs"].optional(lambda one: one.read_all(Entry.number))
        plain: dict[str, Any] = {
            name: read(entry[name])
            for name, read in READ.items()
            if name in REQUIRED or name in entry.mapping()
        }
        return cls(
            **plain,
            pruned=entry["pruned"].read_all(Entry.whole),
            open_costs=costs,
            rules=entry.get("rules", ()).texts(),
            checked_rules=entry.get("checked_rules", ()).texts(),
        )


def _optional(read: Callable[[Entry], Any]) -> Callable[[Entry], Any]:
    return lambda entry: entry.optional(read)


READ: dict[str, Callable[[Entry], Any]] = {
    **dict.fromkeys(("proven", "finest_open", "ties"), Entry.flag),
    **dict.fromkeys(("method", "model_family", "bound"), Entry.text),
    **dict.fromkeys(("unproven_because", "detector_family", "explainer"), _optional(Entry.text)),
    "cells": lambda entry: entry.whole(most=None),
    "grid": lambda entry: entry.word((GIVEN, INFERRED, FINEST)),
    **dict.fromkeys(("axes", "boxes", "scored", "attributed", "verified"), Entry.whole),
    **dict.fromkeys(("discrepancies", "open_boxes"), Entry.whole),
    **dict.fromkeys(("max_changes", "sample_size"), _optional(Entry.whole)),
    **dict.fromkeys(("miss_rate", "residual"), _optional(Entry.number)),
}
REQUIRED = ("proven", "method", "model_family", "bound", "cells", "axes")
