"""Say what was checked, and how much of it."""

from dataclasses import dataclass

ASKED = "no bound, asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was checked; that there is a report means that all of it holds."""

    family: str
    bound: str  # "tree leaves", "additive", what a foreign score calls its own, or "no bound, asked"
    rows: int  # rows on which answers were compared
    accepted: int  # of these: accepted by the model, or plausible to the detector
    missing: int  # of these: with a missing value
    unseen: int  # of these: with a label that the reference does not have
    doubtful: int  # of these: where the score as read is sure of nothing
    largest_error: float | None  # of the score as read, relative above 1; None if no single score tells
    tolerance: float  # what the reading allows it
    thresholds: int  # at which the bound was tried
    boxes: int  # boxes put to the bound, all thresholds together
    dropped: int  # of these: said to be hopeless
    cells: int  # cells of those boxes, all of which the user's own object rejected
    people: int  # for whom the front was compared with brute force
    points: int  # on those fronts
    state: str  # what was compared to see that nothing has changed

    def __str__(self) -> str:
        return "\n  ".join([f"{self.family}: conforms", *self._lines()])

    def _lines(self) -> list[str]:
        answers = f"answers: {self.rows} rows, {self.accepted} accepted"
        if self.missing or self.unseen:
            answers += f", {self.missing} with missing values, {self.unseen} with unseen labels"
        if self.bound == ASKED and self.largest_error is None:
            answers += "; no score to compare"
        elif self.largest_error is None:
            answers += f", {self.doubtful} in doubt; no single score tells the answer"
        else:
            answers += f", {self.doubtful} in doubt; largest error {self.largest_error:.2g}"
            answers += f", allowed {self.tolerance:.2g}"
        bound = f"bound: {self.bound}"
        if self.bound != ASKED:
            bound += f"; {self.dropped} of {self.boxes} boxes dropped at {self.thresholds} thresholds, "
            bound += f"{self.cells} cells asked" if self.dropped else "so that nothing was tried"
        fronts = f"fronts: {self.people} people, {self.points} points, equal to brute force"
        return [answers, bound, fronts, f"unchanged: {self.state}"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReport(Report):
    """What was checked of a model; that there is a report means that all of it holds."""

    scale: str
    threshold: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorReport(Report):
    """What was checked of a detector; that there is a report means that all of it holds."""

    contamination: float | None
    plausible: float  # share of the reference

    def _lines(self) -> list[str]:
        asked = "" if self.contamination is None else f", contamination {self.contamination:g}"
        share = f"plausible: {self.plausible:.1%} of the reference{asked}"
        return [share, *Report._lines(self)]
