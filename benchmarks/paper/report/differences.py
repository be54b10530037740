"""Where do the paper and the authors' published code differ, and which one does this run follow?"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One topic on which the two disagree."""

    topic: str
    paper: str
    code: str
    followed: str
    why: str
    other: str  # how to get the other variant; an option of the command begins with --
    setting: tuple[str, Any] | None = None  # the run's setting when it was given that option

    def followed_by(self, settings: Mapping[str, Any]) -> str:
        """Which variant a run with these settings follows, and why that is, or is not, the usual one."""
        followed = f"{self.followed[0].upper()}{self.followed[1:]}. {self.why}"
        if self.setting is None or settings.get(self.setting[0]) != self.setting[1]:
            return followed
        return f"This run took the other, by {self.other}. Usually: {followed}"


DIFFERENCES = (
    Difference(
        topic="Split",
        paper="40 % training, 10 % validation, 50 % test",
        code="45 % / 5 % / 50 %: a tenth of the first half is the validation part",
        followed="the paper",
        why="It is what the tables are said to rest on; the test half is the same in both.",
        other="--split code",
        setting=("split", "code"),
    ),
    Difference(
        topic="Largest distance, c₂",
        paper="the largest |x(i) − w(i)|, in the features' own units",
        code="divided by the standard deviation σ of the feature",
        followed="the code",
        why="Without σ one feature in dollars decides c₂ alone, and changes of the others cost nothing.",
        other="--unscaled-maximum",
        setting=("scaled_maximum", False),
    ),
    Difference(
        topic="DiCE",
        paper="the genetic method",
        code="the random method",
        followed="both methods",
        why="They are cheap to run; the one published figure stands beside both rows.",
        other="both are rows of every table",
    ),
    Difference(
        topic="DiCE's settings",
        paper="not said; an example suggests 97 hours of work a week, so that there were no ranges",
        code="given which features may change, but no ranges",
        followed="both, with ranges and without",
        why="It takes ranges, so it gets them; without them it is the paper's.",
        other="both are rows of every table",
    ),
    Difference(
        topic="Share of outliers",
        paper="the percentage of solutions",
        code="each person's share of outliers, then the mean over people",
        followed="the code",
        why="Else people with many answers decide, and an interval for 50 people would not fit the share.",
        other="not offered; answers.csv has every answer",
    ),
    Difference(
        topic="Reference point of the hypervolume",
        paper="“the worse performance identified”",
        code="the largest cost of any method for any person of the experiment, data set and model",
        followed="the code",
        why="Only so can the figures stand beside the paper's.",
        other="a column: by the grid, which does not depend on who else was run",
    ),
    Difference(
        topic="Judge of outliers",
        paper="an extended isolation forest",
        code="cuts along the axes (ndim = 1), which is an ordinary isolation forest",
        followed="the paper",
        why="A judge of another kind than the detector inside P²CE is the stricter test.",
        other="both are columns: extended, and axis-parallel",
    ),
    Difference(
        topic="Isolation forest inside P²CE",
        paper="an isolation forest on the training part, 5 % outliers; nothing else is said",
        code="isotree: 100 trees, a quarter of the rows each, missing values followed to both sides in "
        "proportion",
        followed="neither: scikit-learn's forest of 100 trees on 256 rows each, as first published by Liu "
        "et al.",
        why="It is read and bounded exactly, and installs everywhere. With a quarter of 20,000 rows per tree "
        "paths are longer, so that single answers may be judged otherwise. The authors' code is given this "
        "forest too; partial solutions follow both sides in proportion there, as isotree does.",
        other="not offered",
    ),
    Difference(
        topic="Search spaces of Optuna",
        paper="50 trials; spaces not said",
        code="spaces in model_training.ipynb; networks are trained for 100 epochs",
        followed="the code's spaces",
        why="Ours are three things only: a first trial with usual values, so that few trials end with a "
        "usable model; a seeded sampler; and networks that stop when the validation part gets no better.",
        other="not offered",
    ),
    Difference(
        topic="Mutable features of Adult",
        paper="8",
        code="6: age and gender are fixed",
        followed="the code",
        why="Advice cannot be to change age or gender.",
        other="--everything-may-change",
        setting=("everything_may_change", True),
    ),
    Difference(
        topic="Gender on German Credit",
        paper="unchangeable personal features are left out, 21 remain",
        code="mutable by a misspelling (isMale for is_male), which makes the 21; 20 were meant",
        followed="what was meant",
        why="Advice to change one's gender is no advice.",
        other="--gender-may-change",
        setting=("gender_may_change", True),
    ),
    Difference(
        topic="Output of the MLP",
        paper="f(x) ≥ 0.5 is the favourable decision",
        code="trained with softmax over two outputs, read with independent sigmoids: the larger output "
        "(NICE, DiCE) and f ≥ 0.5 (P²CE, MAPOCAM) are then different decisions",
        followed="the paper, with one logit",
        why="The mismatch is an error: methods would answer different questions. With one logit they agree.",
        other="not offered",
    ),
    Difference(
        topic="Ends of the grid",
        paper="a discretised grid for each feature; where it ends is not said",
        code="steps of 5 % from the 1st to the 99th percentile; the last step may pass the 99th",
        followed="the code, but never beyond the range",
        why="A range that is passed is no range, and answers beyond it would count as not allowed.",
        other="not offered",
    ),
)
