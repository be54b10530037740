"""Define what a check states: its report, or the AssertionError that says what failed."""

from dataclasses import dataclass
from typing import NoReturn

BLACK_BOX = "none (black box)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was checked. A report exists only if every check passed."""

    family: str
    bound: str  # "tree leaves", "additive", the name that an external score gives its bound, or BLACK_BOX
    rows: int  # rows on which scores were compared
    accepted: int  # of these: accepted by the model, or plausible to the detector
    missing: int  # of these: with a missing value
    unseen: int  # of these: with a label that the reference does not have
    undecided: int  # of these: where the compiled score is within its error band
    largest_error: float | None  # of the compiled score, relative above 1; None if several scores decide
    tolerance: float  # the difference that the adapter allows
    thresholds: int  # the number of thresholds at which the bound was tried
    boxes: int  # boxes that were bounded, all thresholds together
    pruned: int  # of these: pruned
    cells: int  # cells of those boxes, all of which the user's own object rejected
    people: int  # people whose fronts were compared with brute force
    points: int  # points on those fronts
    state: str  # what was compared to detect changes

    def __str__(self) -> str:
        return "\n  ".join([f"{self.family}: conforms", *self._lines()])

    def _lines(self) -> list[str]:
        scores = f"scores: {self.rows} rows, {self.accepted} accepted"
        if self.missing or self.unseen:
            scores += f", {self.missing} with missing values, {self.unseen} with unseen labels"
        if self.bound == BLACK_BOX and self.largest_error is None:
            scores += "; no score to compare"
        elif self.largest_error is None:
            scores += f", {self.undecided} undecided; several scores decide"
        else:
            scores += f", {self.undecided} undecided; largest error {self.largest_error:.2g}"
            scores += f", allowed {self.tolerance:.2g}"
        bound = f"bound: {self.bound}"
        if self.bound != BLACK_BOX:
            bound += f"; {self.pruned} of {self.boxes} boxes pruned at {self.thresholds} thresholds, "
            bound += f"{self.cells} cells evaluated" if self.pruned else "so nothing was tried"
        fronts = f"fronts: {self.people} people, {self.points} points, equal to brute force"
        return [scores, bound, fronts, f"unchanged: {self.state}"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReport(Report):
    """What was checked of a model. A report exists only if every check passed."""

    scale: str
    threshold: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorReport(Report):
    """What was checked of a detector. A report exists only if every check passed."""

    contamination: float | None
    plausible: float  # the share of the reference

    def _lines(self) -> list[str]:
        requested = "" if self.contamination is None else f", contamination {self.contamination:g}"
        share = f"plausible: {self.plausible:.1%} of the reference{requested}"
        return [share, *Report._lines(self)]


def require(holds: object, message: str) -> None:
    """Raise an AssertionError unless ``holds`` is true, also under ``python -O``."""
    if not holds:
        fail(message)


def fail(message: str) -> NoReturn:
    """Raise an AssertionError."""
    raise AssertionError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectiveReport:
    """What was checked of an objective. A report exists only if every check passed."""

    family: str  # the name of the objective
    join: str
    columns: int
    costs: int  # how many were compared
    largest: float

    def __str__(self) -> str:
        how = {"sum": "sum", "max": "maximum"}[self.join]
        costs = f"costs: {self.costs} of {self.columns} columns, joined by their {how}; "
        return f"{self.family}: conforms\n  {costs}largest {self.largest:.4g}\n  copies: pickled"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleReport:
    """What was checked of a rule. A report exists only if every check passed."""

    family: str  # the rule as text
    budgets: int
    rows: int  # changes that were judged
    kept: int  # of these: changes that the rule allows

    def __str__(self) -> str:
        judged = f"budgets: {self.budgets}; {self.rows} changes judged, {self.kept} keep the rule"
        return f"{self.family}: conforms\n  {judged}\n  copies: pickled"
