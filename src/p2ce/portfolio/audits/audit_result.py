"""Define the result of an audit: the counts and metrics of each group, its differences, and their tests."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from p2ce.base.limits import DEFAULT, Limits
from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument, nearest
from p2ce.portfolio.audits.metrics import Metric, metrics_of
from p2ce.portfolio.audits.outcomes import REASONS
from p2ce.result import ProblemRecord
from p2ce.result.json_data import parse_json, to_record
from p2ce.result.rendered import rendered
from p2ce.result.stated_date import StatedDates
from p2ce.tables.json_values import Count, Number, plain_fields, to_plain

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "p2ce.audit/1"
COUNTS = (
    "people",
    "errors",
    "accepted",
    "rejected",
    "with_recourse",
    "no_recourse",
    "unfinished",
    "unproven",
)
BECAUSE = "none_because_"  # plus the reason: a count of people without recourse
References: TypeAlias = Literal["overall", "best"]
TO: tuple[References, ...] = ("overall", "best")
ENDS = ("low", "high")
AND = " × "  # between the columns of an intersection, and between its values


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricValue:
    """A figure with its interval."""

    value: Number
    low: Number
    high: Number


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """How a group compares to the whole or to the best-off group in one metric."""

    difference: MetricValue
    ratio: MetricValue | None = None  # None if the other value is 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A permutation test of the hypothesis that a group is like the whole in one metric."""

    p_value: Number
    corrected: Number  # for all comparisons of the audit, with Holm's method


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The figures of one group. Metrics based on too few people are left out."""

    columns: tuple[str, ...] = ()  # none for all people
    values: tuple[str, ...] = ()
    people: Count
    errors: Count  # rows that could not be explained; no other count includes them
    accepted: Count
    rejected: Count
    with_recourse: Count  # have an option
    no_recourse: Count  # proven to have none
    # Of `no_recourse`: the number of people by "model", "plausibility", "rules", "max_changes", "unknown".
    none_because: dict[str, Count] = field(default_factory=dict)
    unfinished: Count  # no option found, and none excluded
    unproven: Count  # of `with_recourse`: a cheaper option may exist
    metrics: dict[str, MetricValue] = field(default_factory=dict)
    to_overall: dict[str, Contrast] = field(default_factory=dict)
    # Without metrics in which this group is the best, or in which unfinished searches leave the best open.
    to_best: dict[str, Contrast] = field(default_factory=dict)
    tests: dict[str, Comparison] = field(default_factory=dict)
    features: dict[str, Number] = field(default_factory=dict)  # → share of people whose first option uses it

    @property
    def grouping(self) -> str:
        """The name of the grouping in the frames of an audit."""
        return AND.join(self.columns)

    @property
    def name(self) -> str:
        """The name of the group in the frames of an audit."""
        return AND.join(self.values)

    @property
    def recourse_at_most(self) -> float | None:
        """The share with recourse if every unfinished search found an option."""
        return (self.with_recourse + self.unfinished) / self.rejected if self.rejected else None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Audit:
    """Rejection rates, shares with recourse, costs and burden of groups, with intervals and tests.

    Frames have a row per group. Their index is the grouping ("sex", "age band", "sex × age band") and the
    group. A figure is missing if it is based on fewer than `min_size` people.

    >>> from p2ce import audit
    >>> from p2ce.result import Explanation, Explanations, Status
    >>> def one(status):
    ...     return Explanation(status=status, person={}, at_least=0.5, target=1, objectives=(), dtypes={})
    >>> people = [one(Status.NO_RECOURSE)] * 3 + [one(Status.ACCEPTED)]
    >>> found = audit(Explanations(people), {"sex": ["f", "f", "m", "m"]}, min_size=1)
    >>> found.by_group["rejection_rate"].tolist(), float(found.overall["no_recourse_rate"])
    ([1.0, 0.5], 1.0)
    """

    all_people: Group
    groups: tuple[Group, ...]  # grouping by grouping
    objectives: tuple[str, ...]
    min_size: Count
    confidence: Number
    resamples: Count
    permutations: Count
    random_state: Count
    comparisons: Count  # the number of tests that p-values are corrected for
    package: str
    problem: ProblemRecord | None = None  # for the names of features
    dates: StatedDates = field(default_factory=StatedDates)  # that the explanations state

    @property
    def all_metrics(self) -> tuple[Metric, ...]:
        """The metrics in the order of the columns."""
        return metrics_of(self.objectives)

    @property
    def groupings(self) -> dict[str, tuple[Group, ...]]:
        """The groups of each grouping."""
        names = dict.fromkeys(group.grouping for group in self.groups)
        return {name: tuple(group for group in self.groups if group.grouping == name) for name in names}

    @property
    def by_group(self) -> "pd.DataFrame":
        """A row per group: counts, then metrics."""
        return self._frame(lambda group: _counts(group) | _values(group, self.all_metrics))

    @property
    def overall(self) -> "pd.Series[Any]":
        """The same for all people."""
        import pandas as pd

        return pd.Series(
            _counts(self.all_people) | _values(self.all_people, self.all_metrics), name="overall"
        )

    @property
    def ci(self) -> "pd.DataFrame":
        """A row per group: ``low`` and ``high`` of each metric, at the confidence of the audit."""
        return self._frame(
            lambda group: {
                (metric.name, end): getattr(group.metrics.get(metric.name), end, None)
                for metric in self.all_metrics
                for end in ENDS
            }
        )

    @property
    def overall_ci(self) -> "pd.DataFrame":
        """A row per metric: the interval for all people."""
        import pandas as pd

        rows = {
            metric.name: [getattr(self.all_people.metrics.get(metric.name), end, None) for end in ENDS]
            for metric in self.all_metrics
        }
        return pd.DataFrame.from_dict(rows, orient="index", columns=list(ENDS), dtype="float64")

    def difference(self, to: References = "overall") -> "pd.DataFrame":
        """Return each group's difference to all people, or to the best-off group of its grouping.

        The best-off group is chosen from the same data, so a difference to it tends to be too large.
        """
        return self._contrasts(to, "difference")

    def ratio(self, to: References = "overall") -> "pd.DataFrame":
        """Return each group's metric divided by that of all people, or of the best-off group."""
        return self._contrasts(to, "ratio")

    @property
    def tests(self) -> "pd.DataFrame":
        """A row per comparison of a group with all people: ``p_value``, and Holm's ``corrected`` one."""
        import pandas as pd

        rows = [
            (group.grouping, group.name, name, test.p_value, test.corrected)
            for group in self.groups
            for name, test in group.tests.items()
        ]
        return pd.DataFrame(rows, columns=["grouping", "group", "metric", "p_value", "corrected"])

    @property
    def features(self) -> "pd.DataFrame":
        """A row per group: the share of people with recourse whose first option changes each feature."""
        return self._frame(
            lambda group: {name: group.features.get(name) for name in self.all_people.features}
        )

    def to_frame(self) -> "pd.DataFrame":
        """Return everything as a flat table, all people first, as in ``p2ce audit --out audit.csv``."""
        import pandas as pd

        flat = pd.DataFrame([_flat(group, self.all_metrics) for group in (self.all_people, *self.groups)])
        return flat.assign(as_of_first=self.dates.first, as_of_last=self.dates.last)

    def to_dict(self) -> dict[str, Any]:
        """Return the same content as JSON-ready data."""
        return {"format": FORMAT, **plain_fields(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, limits: Limits = DEFAULT) -> "Audit":
        """Build an audit from what `to_dict` returned."""
        found = to_record(data, cls, "Audit.from_dict()", limits, form=FORMAT)
        for place, group in enumerate(found.groups):
            if problem := _inconsistency(group, found.all_people, {one.name for one in found.all_metrics}):
                raise InvalidArgument(
                    f"Audit.from_dict(): groups[{place}] {problem}. Pass what to_dict() returned."
                )
        return found

    @classmethod
    def from_json(cls, text: str | bytes, *, limits: Limits = DEFAULT) -> "Audit":
        """Parse the untrusted content of a file that ``p2ce audit --out audit.json`` wrote."""
        return cls.from_dict(parse_json(text, "Audit.from_json()", limits), limits=limits)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Audit) and _compared(self) == _compared(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Audit of {self.all_people.people:,} people in {len(self.groups):,} groups>"

    def __str__(self) -> str:
        return rendered("audit_text", self)

    def _contrasts(self, to: References, what: str) -> "pd.DataFrame":
        if to not in TO:
            raise InvalidArgument(f"to must be one of {list(TO)}; got {echoed(to)}. {nearest(to, TO)}")
        compared = [metric for metric in self.all_metrics if metric.best]

        def row(group: Group) -> dict[Any, Any]:
            contrasts = group.to_overall if to == "overall" else group.to_best
            found = {name: getattr(contrast, what) for name, contrast in contrasts.items()}
            return {
                (metric.name, part): getattr(found.get(metric.name), part, None)
                for metric in compared
                for part in ("value", "low", "high")
            }

        return self._frame(row)

    def _frame(self, row: Callable[[Group], dict[Any, Any]]) -> "pd.DataFrame":
        import pandas as pd

        rows = [row(group) for group in self.groups]
        names = [group.grouping for group in self.groups], [group.name for group in self.groups]
        index = pd.MultiIndex.from_arrays(names, names=["grouping", "group"])
        columns = {
            name: pd.Series(
                [one[name] for one in rows], index=index, dtype="int64" if _is_count(name) else "float64"
            )
            for name in (rows[0] if rows else ())
        }
        frame = pd.DataFrame(columns, index=index)
        if any(isinstance(name, tuple) for name in columns):
            frame.columns = pd.MultiIndex.from_tuples(list(columns), names=["metric", None])
        return frame


def _is_count(name: Any) -> bool:
    return name in COUNTS or (isinstance(name, str) and name.startswith(BECAUSE))


def _counts(group: Group) -> dict[str, Any]:
    because = {f"{BECAUSE}{reason}": group.none_because.get(reason, 0) for reason in REASONS}
    return {**{name: getattr(group, name) for name in COUNTS}, **because}


def _values(group: Group, metrics: tuple[Metric, ...]) -> dict[str, Any]:
    return {one.name: getattr(group.metrics.get(one.name), "value", None) for one in metrics}


def _flat(group: Group, metrics: tuple[Metric, ...]) -> dict[str, Any]:
    """Return everything about a group as one row."""
    row: dict[str, Any] = {"grouping": group.grouping, "group": group.name, **_counts(group)}
    row["recourse_at_most"] = group.recourse_at_most
    for metric in metrics:
        row |= _parts(metric.name, group.metrics.get(metric.name))
        if metric.best:
            for to, contrasts in (("overall", group.to_overall), ("best", group.to_best)):
                contrast = contrasts.get(metric.name)
                for what in ("difference", "ratio"):
                    row |= _parts(f"{metric.name}_{what}_to_{to}", getattr(contrast, what, None))
            test = group.tests.get(metric.name)
            row |= {
                f"{metric.name}_p_value": getattr(test, "p_value", None),
                f"{metric.name}_p_corrected": getattr(test, "corrected", None),
            }
    return row | {f"uses_{name}": share for name, share in group.features.items()}


def _parts(name: str, estimate: MetricValue | None) -> dict[str, Any]:
    return {
        name: getattr(estimate, "value", None),
        f"{name}_low": getattr(estimate, "low", None),
        f"{name}_high": getattr(estimate, "high", None),
    }


def _inconsistency(group: Group, all_people: Group, known: set[str]) -> str:
    """Return how a group contradicts the rest of an audit, or "" if it does not."""
    if not group.columns or len(group.columns) != len(group.values):
        return "does not have one value per column"
    if group.people > all_people.people:
        return "has more people than the audit"
    stated = {*group.metrics, *group.to_overall, *group.to_best, *group.tests}
    if unknown := stated - known:
        return f"has the metric {echoed(min(unknown), most=60)}, which the audit lacks"
    if not set(group.tests) <= group.metrics.keys() & group.to_overall.keys() & all_people.metrics.keys():
        return "has a test of a metric that it lacks"
    return ""


def _compared(audit: Audit) -> Any:
    return to_plain(plain_fields(audit, ("problem",)))
