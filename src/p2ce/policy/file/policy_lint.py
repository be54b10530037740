"""Check a policy against its data, and list likely mistakes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.visible import echoed
from p2ce.errors import InvalidPolicy, InvalidReference, nearest
from p2ce.policy.features.category_labels import shown_labels
from p2ce.policy.features.decimals import as_typed, round_step
from p2ce.policy.features.feature import FeaturePolicy, Kind, shown_number, shown_range
from p2ce.policy.features.spread import BULK, plain_spread, robust_spread
from p2ce.policy.file.policy_columns import PolicyColumn, codebook, read_policy_column
from p2ce.policy.file.policy_features import runs_of, usual_step
from p2ce.policy.file.policy_file import ParsedPolicy
from p2ce.policy.inference.infer_features import infer_number, is_count
from p2ce.policy.inference.name_hints import likely_protected
from p2ce.policy.rules.linked import Linked
from p2ce.policy.rules.one_hot import OneHot
from p2ce.policy.rules.predicate import Predicate
from p2ce.policy.rules.rule import Rule

if TYPE_CHECKING:
    import pandas as pd

HEAVY = 3.0  # tails are heavy if the deviation is this many times that without tails
VERY_HEAVY = 10.0  # and very heavy if that is this many times the deviation estimated from quartiles
NORMAL_QUARTILES = 1.349  # the distance between a normal distribution's quartiles, in standard deviations
FAR = 3.0  # how many widths of the bulk a range may extend beyond it


class Severity(StrEnum):
    """Whether a finding must be fixed."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A likely mistake in a policy, with its line."""

    line: int
    severity: Severity
    code: str  # the kind of finding, for filtering
    message: str


def lint(policy: ParsedPolicy, frame: "pd.DataFrame", *, protected: Sequence[str] = ()) -> list[Finding]:
    """Find everything in a policy that does not fit the data, in the order of the file's lines.

    ``protected`` names columns that must not change. The cells of the frame may all be text, as read from a
    file.
    """
    linter = _Linter(policy, frame)
    findings = [
        *(
            Finding(line=p.line, severity=Severity.ERROR, code="invalid-entry", message=p.message)
            for p in policy.faults
        ),
        *linter.names(),
        *linter.protection(protected),
        *linter.features(),
        *linter.rules(),
    ]
    return sorted(findings, key=lambda finding: finding.line)


class _Linter:
    def __init__(self, policy: ParsedPolicy, frame: "pd.DataFrame") -> None:
        self.policy, self.frame = policy, frame
        places = {str(name): place for place, name in enumerate(frame.columns)}
        self.columns = [
            read_policy_column(feature, frame.iloc[:, places[feature.name]])
            for feature in policy.features
            if feature.name in places
        ]
        self.data_names = tuple(places)

    def names(self) -> Iterator[Finding]:
        content = self.policy.document.content
        given = content.get("features") if isinstance(content, dict) else None
        named = list(given) if isinstance(given, dict) else []
        for name in named:
            if name not in self.data_names:
                text = f"{echoed(name)} is not a column of the data. {nearest(name, self.data_names)}"
                yield self._at(("features", name), "unknown-column", text)
        left = [name for name in self.data_names if name not in named]
        if left and named:
            text = (
                f"The data have columns that the policy does not name: {_listed(left)}. "
                "Add them, with may_change: false if they must not change, or drop the columns if the model "
                "does not use them."
            )
            yield self._at(("features",), "unnamed-column", text, Severity.WARNING)

    def protection(self, protected: Sequence[str]) -> Iterator[Finding]:
        features = {feature.name: feature for feature in self.policy.features}
        followers = {rule.follower for _, rule in self.policy.rules if isinstance(rule, Linked)}
        for name in protected:
            if name not in features:
                if name not in self.data_names:
                    known = nearest(name, self.data_names)
                    text = f"--protected names {echoed(name)}, which is not a column. {known}"
                    yield self._at(("features",), "unknown-column", text)
            elif not features[name].fixed:
                text = f"{echoed(name)} is protected but may change. Write 'protected: true'."
                yield self._at(("features", name), "protected-changeable", text)
        for name, feature in features.items():
            # A follower such as age changes only with its driver, and advice does not name it.
            if name in protected or feature.fixed or name in followers:
                continue
            if (word := likely_protected(name)) is not None:
                text = (
                    f"{echoed(name)} may change, but looks like a protected attribute ({word}). "
                    f"Write 'protected: true', or 'may_change: false'."
                )
                yield self._at(("features", name), "protected-changeable", text, Severity.WARNING)

    def features(self) -> Iterator[Finding]:
        for column in self.columns:
            yield from self._cells(column)
            if not column.feature.fixed:
                yield from self._labels(column) if column.feature.is_category else self._numbers(column)

    def rules(self) -> Iterator[Finding]:
        by_name = {column.feature.name: column for column in self.columns}
        rows = {name: column.codes for name, column in by_name.items()}
        for place, rule in self.policy.rules:
            if isinstance(rule, Predicate):
                text = f"The predicate {echoed(rule.name)} was not checked, since that would run its code."
                yield self._at(("rules", place), "predicate-not-tried", text, Severity.WARNING)
            if any(name not in by_name for name in rule.columns):
                continue  # reported as an unknown column
            usable = ~np.logical_or.reduce(
                [np.zeros(len(self.frame)), *(np.isnan(rows[n]) for n in rule.columns)]
            )
            chosen = {name: rows[name][usable] for name in rule.columns}
            try:
                broken = self._broken(rule, chosen, list(by_name.values()))
            except InvalidPolicy as error:
                yield self._at(("rules", place), "wrong-value", str(error))
                continue
            if broken:
                yield self._breaks(place, rule, broken, int(usable.sum()))

    def _broken(self, rule: Rule, rows: dict[str, FloatArray], columns: list[PolicyColumn]) -> int:
        if isinstance(rule, OneHot):
            return int(np.count_nonzero(~rule.closed(rows)))
        book = codebook(columns)
        rule.budgets(book)  # raises if a column or value is unknown
        return 0 if isinstance(rule, Predicate) else int(np.count_nonzero(~rule.holds(rows, rows, book)))

    def _breaks(self, place: int, rule: Rule, broken: int, rows: int) -> Finding:
        share = f"{broken:,} of {rows:,} rows"
        if isinstance(rule, OneHot):
            none = " or none" if rule.may_be_none is False else ""
            text = (
                f"The group {echoed(rule.name)} is not valid: {share} of the data have several levels{none}."
            )
            return self._at(("rules", place), "group-not-closed", text)
        text = (
            f"{share} of the data break '{rule.text()}'. Their options must include a change that repairs it."
        )
        severity = Severity.ERROR if broken == rows else Severity.WARNING
        return self._at(("rules", place), "broken-by-data", text, severity)

    def _cells(self, column: PolicyColumn) -> Iterator[Finding]:
        feature = column.feature
        path = ("features", feature.name)
        if column.strange and feature.is_category:
            strange = _listed(column.strange)
            text = f"The data have labels of {echoed(feature.name)} that the policy lacks: {strange}."
            yield self._at((*path, "labels"), "unknown-label", text, Severity.WARNING)
        elif column.strange:
            strange = _listed(column.strange)
            text = f"{echoed(feature.name)} has the kind {feature.kind}, but the data have {strange}."
            yield self._at((*path, "kind"), "wrong-kind", text)
        fits = {
            Kind.BINARY: np.isin(column.known, (0.0, 1.0)),
            Kind.WHOLE: column.known == np.floor(column.known),
        }.get(feature.kind)
        if fits is not None and not fits.all():
            example = shown_number(float(column.known[~fits][0]))
            text = f"{echoed(feature.name)} has the kind {feature.kind}, but the data have {example}."
            # Imputed counts keep whole candidates, and a person's current value may be a fraction.
            imputed = feature.dtype.kind == "f" and is_count(column.known)
            severity = Severity.WARNING if imputed else Severity.ERROR
            yield self._at((*path, "kind"), "wrong-kind", text, severity)

    def _labels(self, column: PolicyColumn) -> Iterator[Finding]:
        feature, labels = column.feature, column.coding.labels
        assert labels is not None
        seen = {labels[int(code)] for code in np.unique(column.known)}
        key, named = (
            ("labels", feature.labels) if feature.choices is None else ("candidates", feature.choices)
        )
        unseen = [label for label in named or () if label not in seen]
        if unseen:
            text = f"No row of the data has {_listed(unseen)} in {echoed(feature.name)}."
            yield self._at(("features", feature.name, key), "never-seen", text, Severity.WARNING)

    def _numbers(self, column: PolicyColumn) -> Iterator[Finding]:
        feature = column.feature
        known = column.known[~np.isin(column.known, feature.special)]
        path = ("features", feature.name)
        if known.size:
            low, high = float(known.min()), float(known.max())
            yield from self._range(feature, low, high)
            yield from self._change(feature, known)
            yield from self._tails(feature, known)
            unseen = [value for value in feature.choices or () if value not in known]
            if unseen:
                text = (
                    f"No row of the data has {_listed(map(shown_number, unseen))} in {echoed(feature.name)}."
                )
                yield self._at((*path, "candidates"), "never-seen", text, Severity.WARNING)
        yield from self._ignored_step(column)
        first, last = feature.ends()
        if feature.choices is None and feature.inferred is None and 0 < last - first < feature.step:
            wide = shown_range(first, last)
            step = shown_number(feature.step)
            text = f"The step {step} of {echoed(feature.name)} is larger than its range {wide}."
            yield self._at((*path, "step"), "step-too-large", text, Severity.WARNING)
        try:
            feature.candidates()
        except InvalidPolicy as error:
            yield self._at(path, "too-many-candidates", str(error))

    def _ignored_step(self, column: PolicyColumn) -> Iterator[Finding]:
        """Warn if someone has stated a step that the inferred candidates override."""
        feature, path = column.feature, ("features", column.feature.name, "step")
        known = feature.inferred or ()
        if path not in self.policy.document.lines or feature.choices is not None or len(known) < 2:
            return
        runs = runs_of(known)
        agrees = len(runs) == 1 and runs[0].step == as_typed(feature.step)
        if agrees or not _is_stated_step(column, is_regular=len(runs) == 1):
            return
        first, last = feature.ends()
        beyond = first < min(feature.low, known[0]) or last > max(feature.high, known[-1])
        effect = "applies only beyond them" if beyond else "has no effect"
        text = (
            f"{echoed(feature.name)} has both step and inferred_candidates, so step {effect}. "
            "Delete inferred_candidates, or delete step."
        )
        yield self._at(path, "ignored-step", text, Severity.WARNING)

    def _range(self, feature: FeaturePolicy, low: float, high: float) -> Iterator[Finding]:
        entry = "range" if feature.stated_range is not None else "seen"
        if feature.choices is not None and entry == "seen":
            return  # 'seen' does not restrict candidates
        first, last = feature.ends()
        where = f"the data are in {shown_range(low, high)}"
        if first > high or last < low:
            text = (
                f"The {entry} {shown_range(first, last)} of {echoed(feature.name)} misses the data: {where}."
            )
            yield self._at(("features", feature.name, entry), "outside-the-data", text)
        elif first < low or last > high:
            name = echoed(feature.name)
            text = f"The {entry} {shown_range(first, last)} of {name} goes beyond the data: {where}."
            yield self._at(("features", feature.name, entry), "outside-the-data", text, Severity.WARNING)

    def _change(self, feature: FeaturePolicy, known: FloatArray) -> Iterator[Finding]:
        """Warn if a limit in percent allows some people no change, since they are at 0."""
        limits = () if feature.change is None else feature.change.both
        none = int((known == 0).sum())
        if none and any(limit is not None and limit.percent for limit in limits):
            text = (
                f"within_change of {echoed(feature.name)} is in percent, and {none:,} of {len(known):,} "
                "people are at 0, where it allows no change. Write the amount in the column's own unit."
            )
            path = ("features", feature.name, "within_change")
            yield self._at(path, "percent-of-zero", text, Severity.WARNING)

    def _tails(self, feature: FeaturePolicy, known: FloatArray) -> Iterator[Finding]:
        """Warn about tails without a stated range, and about ranges that extend far into the tails."""
        if feature.choices is not None:
            return
        text = heavy_tails(feature.name, known, has_range=feature.stated_range is not None)
        if text is not None:
            yield self._at(("features", feature.name), "heavy-tails", text, Severity.WARNING)
        if feature.stated_range is None:
            return
        (first, last), (low, high) = feature.ends(), np.percentile(known, BULK).tolist()
        beyond = max(low - first, last - high)
        inside = known.min() <= first and last <= known.max()  # otherwise another finding reports it
        if inside and high > low and beyond > FAR * (high - low):
            text = (
                f"The range {shown_range(first, last)} of {echoed(feature.name)} extends far beyond 98 % of "
                f"the data, which are in {shown_range(low, high)}. Narrow it unless it is intended."
            )
            yield self._at(("features", feature.name, "range"), "range-in-tails", text, Severity.WARNING)

    def _at(
        self, path: tuple[str | int, ...], code: str, message: str, severity: Severity = Severity.ERROR
    ) -> Finding:
        return Finding(line=self.policy.line(*path), severity=severity, code=code, message=message)


def _is_stated_step(column: PolicyColumn, *, is_regular: bool) -> bool:
    """Return whether the step of a feature with inferred candidates surely differs from the draft's.

    A draft's step is a round number that suits the bulk of the data. The file holds it only if it is smaller
    than the one that suits all of the data. Any such step may be a draft's, unless the draft can be inferred
    again. That needs the same data, which show in the same candidates, if these are not ``is_regular``.
    """
    feature = column.feature
    # An explainer's policy narrows 'seen' to the range, but keeps the step.
    is_narrowed = feature.stated_range == (feature.low, feature.high)
    if not is_narrowed and feature.step >= usual_step(feature.low, feature.high, feature.kind):
        return True
    if feature.step != round_step(20 * as_typed(feature.step), whole=False):
        return True
    if is_regular or np.isin(column.known, feature.special).all():
        return False
    try:
        draft = infer_number(column.coding, column.known, "data", feature.special)
    except InvalidReference:
        return False
    return draft.inferred == feature.inferred and draft.step != feature.step


def heavy_tails(name: str, known: FloatArray, *, has_range: bool = False) -> str | None:
    """Return a warning if tails dominate the spread of a column's known numbers, or None.

    Leave special values out, since they are no numbers. If the policy states a range, only tails that also
    affect the unit of distances are reported.

    >>> ages = np.append(np.arange(20.0, 70.0).repeat(20), 9e6)
    >>> heavy_tails("Age", ages).partition(". ")[0]
    "'Age' has heavy tails: its standard deviation is 284,319, without the outermost 1 % on either side 14.4"
    >>> heavy_tails("Age", ages, has_range=True) is heavy_tails("Age", ages[:-1]) is None
    True
    """
    if not len(known):
        return None
    plain, robust = plain_spread(known), robust_spread(known)
    first, third = np.percentile(known, (25, 75)).tolist()
    if (third - first) / NORMAL_QUARTILES * VERY_HEAVY < robust and third > first:
        return (
            f"{echoed(name)} has heavy tails: even without the outermost 1 % on either side its standard "
            f"deviation is {_short(robust)}, while half of the rows are in {_short(first)}–{_short(third)}. "
            "So changes there cost almost nothing. Clip values that cannot be real, or make them missing."
        )
    if has_range or plain <= HEAVY * robust:
        return None
    return (
        f"{echoed(name)} has heavy tails: its standard deviation is {_short(plain)}, without the outermost "
        f"1 % on either side {_short(robust)}. Clip values that cannot be real, or state the range of "
        "candidates (within(), or 'range')."
    )


def _short(number: float) -> str:
    return f"{number:,.0f}" if 1_000 <= abs(number) < 1e15 else f"{number:.3g}"


def _listed(values: Iterable[object]) -> str:
    return shown_labels(repr(value) if isinstance(value, str) else value for value in values)
