"""Say what was checked, and how much of it."""

from dataclasses import dataclass

ASKED = "no bound, asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReport:
    """What was checked of a model; that there is a report means that all of it holds."""

    family: str
    scale: str
    threshold: float
    bound: str  # "tree leaves", "additive", "network", "foreign", or "no bound, asked"
    rows: int  # rows on which answers were compared
    accepted: int  # of these
    doubtful: int  # of these: where only the model itself knows
    largest_error: float | None  # of the reported score, relative above 1; None for a model that is asked
    tolerance: float  # what the reading allows it
    thresholds: int  # at which the bound was tried
    boxes: int  # boxes put to the bound, all thresholds together
    dropped: int  # of these: said to be hopeless
    cells: int  # cells of those boxes, all of which the model itself refused
    people: int  # for whom the front was compared with brute force
    points: int  # on those fronts
    state: str  # what was compared to see that the model has not changed

    def __str__(self) -> str:
        return "\n".join(
            [
                f"{self.family}: conforms",
                f"  {_scores(self.rows, self.accepted, 'accepted', self.doubtful, self.largest_error, self.tolerance)}",
                f"  {_bounds(self.bound, self.boxes, self.dropped, self.cells, self.thresholds)}",
                f"  fronts: {self.people} people, {self.points} points, equal to brute force",
                f"  unchanged: {self.state}",
            ]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorReport:
    """What was checked of a detector; that there is a report means that all of it holds."""

    family: str
    contamination: float | None
    plausible: float  # share of the reference
    bound: str
    rows: int
    accepted: int  # plausible ones of these
    doubtful: int
    largest_error: float | None
    tolerance: float
    thresholds: int
    boxes: int
    dropped: int
    cells: int
    people: int
    points: int
    state: str

    def __str__(self) -> str:
        asked = "" if self.contamination is None else f", contamination {self.contamination:g}"
        return "\n".join(
            [
                f"{self.family}: conforms",
                f"  plausible: {self.plausible:.1%} of the reference{asked}",
                f"  {_scores(self.rows, self.accepted, 'plausible', self.doubtful, self.largest_error, self.tolerance)}",
                f"  {_bounds(self.bound, self.boxes, self.dropped, self.cells, self.thresholds)}",
                f"  fronts: {self.people} people, {self.points} points, equal to brute force",
                f"  unchanged: {self.state}",
            ]
        )


def _scores(rows: int, accepted: int, word: str, doubtful: int, error: float | None, tolerance: float) -> str:
    told = f"answers: {rows} rows, {accepted} {word}"
    if error is None:
        return f"{told}; no score to compare"
    return f"{told}, {doubtful} in doubt; largest error {error:.2g}, allowed {tolerance:.2g}"


def _bounds(bound: str, boxes: int, dropped: int, cells: int, thresholds: int) -> str:
    if bound == ASKED:
        return f"bound: {bound}"
    told = (
        f"bound ({bound}): {dropped} of {boxes} boxes dropped at {thresholds} thresholds, {cells} cells asked"
    )
    return told if dropped else f"{told}; it never said anything"
