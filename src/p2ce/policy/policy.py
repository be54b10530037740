"""Define the policy: what may change, and how."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from p2ce.base.limits import DEFAULT, Limits
from p2ce.base.visible import as_text, echoed
from p2ce.errors import InvalidPolicy, nearest
from p2ce.policy.features.describe_features import policy_table
from p2ce.policy.features.feature import Direction, FeaturePolicy, Kind
from p2ce.policy.inference.infer_features import GridChoice
from p2ce.policy.inference.infer_policy import infer_policy
from p2ce.policy.inference.known_outcomes import (
    associations,
    favourable_rows,
    known_outcomes,
    with_associations,
)
from p2ce.policy.inference.protection import Protect
from p2ce.policy.inference.special_values import SpecialValues
from p2ce.policy.policy_arguments import (
    read_change,
    read_choices,
    read_display,
    read_feature_names,
    read_range,
    read_rules,
    read_step,
)
from p2ce.policy.rules.one_hot import OneHot
from p2ce.tables import as_pandas

if TYPE_CHECKING:
    import os

    from p2ce.policy.rules.rule import Rule

# Nothing is stated, something is stated, or everything was reviewed.
Basis: TypeAlias = Literal["inferred", "stated", "reviewed"]
INFERRED: Basis = "inferred"
STATED: Basis = "stated"
REVIEWED: Basis = "reviewed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """Who reviewed a policy, and when.

    >>> Review(by="Ana Souza, credit policy", on="2026-11-18").on
    '2026-11-18'
    """

    by: str
    on: str  # a date: 2026-11-18

    def __post_init__(self) -> None:
        if not isinstance(self.by, str) or not self.by.strip():
            raise InvalidPolicy(
                f"A review needs the name of the reviewer, got {echoed(self.by)}. Write reviewed_by: a name."
            )
        try:
            date.fromisoformat(self.on)
        except (TypeError, ValueError):
            raise InvalidPolicy(
                f"A review needs its date as year-month-day, got {echoed(self.on)}. "
                "Write reviewed_on: 2026-11-18."
            ) from None


@dataclass(frozen=True, kw_only=True, repr=False)
class Policy:
    """What may change, and how. Every method returns a new Policy; a policy itself never changes.

    Start with `Policy.infer`, then add constraints. Methods that take names accept single names and lists.
    Methods that take keywords accept a dict too, for names that are not identifiers:
    ``within({"Loan amount": (0, 9)})``.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"Age": range(20, 70), "LoanAmount": range(500, 10_500, 200)})
    >>> policy = Policy.infer(people).within(LoanAmount=(1_000, 4_000)).step(LoanAmount=500)
    >>> policy["LoanAmount"].candidates().tolist()
    [1000.0, 1500.0, 2000.0, 2500.0, 3000.0, 3500.0, 4000.0]
    >>> policy
    Policy: 2 features, 1 may change
      feature     kind   may move          candidates
      Age         whole  never, protected
      LoanAmount  whole  either way        7: 1000–4000, every 500

    A person's current value is always a candidate, even if it is outside the range. A missing value may stay
    missing or become any candidate. A known value becomes missing only after `allow_missing`.
    """

    features: tuple[FeaturePolicy, ...]  # in the order of the reference's columns
    rules: "tuple[Rule, ...]" = ()  # between features, in the order they were added
    proposed_rules: "tuple[Rule, ...]" = ()  # hold in all of the data, but are not in force
    stated: bool = True  # False while the policy is only inferred from data
    review: Review | None = None  # who reviewed the policy; a later constraint removes the review

    def __post_init__(self) -> None:
        """Check the rules against the features."""
        if self.rules or self.proposed_rules:
            from p2ce.policy.rules.rule_conflicts import check_rules  # which knows the features itself

            check_rules(self.features, self.rules)
            for rule in self.proposed_rules:  # they need not agree with each other
                check_rules(self.features, [rule])

    @classmethod
    def infer(
        cls,
        reference: Any,
        y: Any = None,
        *,
        target: Any = None,
        grid: GridChoice = "data",
        special_values: SpecialValues | None = "detect",
        protect: Protect = "detect",
    ) -> "Policy":
        """Infer a first policy from the reference population.

        A column that holds only 0 and 1 is binary. A column of whole numbers stays whole. Text, objects and
        pandas categoricals are categories, with the labels that occur. The range of a number is that of its
        known values. Columns of counts with up to 10 % fractions, as left by imputing, get whole candidates.

        0/1 columns with a common prefix, of which exactly one is 1 in every row, become a `one_hot` group.
        Relations that hold in all rows, such as ``late_90d <= late_30d``, become ``proposed_rules``, which
        are not in force. All assumptions are logged once, with the way to override them.

        Args:
            reference: The population, also called background data, as `Explainer` takes it.
            y: The outcomes of the population. Optional. If a numeric column is clearly associated with the
                favourable outcome, its `association` states the direction. An association forbids nothing:
                options against it are flagged.
            target: The favourable outcome in ``y``: a label, or a range ``(low, high)``. It is not needed if
                the labels ("good", "bad") or the name of ``y`` ("approved", "default") say which one it is.
            grid: "data" (the default) chooses candidates where people are, so at most 1 % of them lie between
                two neighbours, and prefers round numbers. An `Explainer` adds the values on either side of a
                tree model's thresholds. "paper" uses the 1st to the 99th percentile in steps of exactly 5 %,
                without one-hot groups, as the paper does.
            special_values: Codes that are not numbers (such as -9 for "no record", or 999), by column:
                ``{"Months": [-9, -8]}``. Special values are not candidates, and do not count for ranges and
                distances. A person who has one keeps it, unless you call `leave_special`. The default,
                "detect", finds values that look like codes. None means that there are none.
            protect: The columns to `protect`. The default, "detect", goes by names: columns that look like
                sex, race, age, origin, religion, marital status, disability or children are protected.
                Columns that look like history (late payments, defaults) or time (years at a job) never fall.
                With a list, exactly these columns are protected. With None, none is. Call `free` to release a
                column.

        >>> import pandas as pd
        >>> people = pd.DataFrame({"Rate": [0.0, 0.5, 1.0], "Owns": [True, False, True]})
        >>> Policy.infer(people)["Rate"].candidates().tolist()
        [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
        >>> Policy.infer(pd.DataFrame({"Housing": ["own", "rent", None, "own"]}))["Housing"].labels
        ('own', 'rent')
        >>> Policy.infer(pd.DataFrame({"Age": [20, 40, 60], "YearsAtJob": [0, 5, 9]}))
        Policy: 2 features, 1 may change
          feature     kind   may move          candidates
          Age         whole  never, protected
          YearsAtJob  whole  up only           10: 0–9, every 1
        """
        frame = as_pandas(reference)[0]
        found = infer_policy(frame, grid=grid, special_values=special_values, protect=protect)
        features = found.features
        if y is not None:
            favourable = favourable_rows(known_outcomes(y, rows=len(frame), index=frame.index), target)
            features = with_associations(features, associations(features, frame, favourable))
        return cls(features=features, rules=found.groups, proposed_rules=found.proposed_rules, stated=False)

    def fix(self, *names: object) -> "Policy":
        """Fix features: they never change.

        Args:
            *names: Names of features, or a list of names.

        >>> import pandas as pd
        >>> policy = Policy.infer(pd.DataFrame({"Age": [20, 40, 60]})).fix("Age")
        >>> policy["Age"].fixed
        True
        """
        return self._change(read_feature_names(names), lambda feature, _: replace(feature, fixed=True))

    def protect(self, *names: object) -> "Policy":
        """Protect features: they never change, and are never named as a constraint to relax.

        Use it for attributes that no advice may name, such as race or sex. Use `fix` for features that merely
        cannot change.

        Args:
            *names: Names of features, or a list of names.

        >>> import pandas as pd
        >>> policy = Policy.infer(pd.DataFrame({"Sex": ["f", "m"]})).protect("Sex")
        >>> policy["Sex"].fixed, policy["Sex"].protected
        (True, True)
        """
        return self._change(
            read_feature_names(names), lambda feature, _: replace(feature, fixed=True, protected=True)
        )

    def free(self, *names: object) -> "Policy":
        """Release features, so they may change in both directions again.

        This undoes `protect`, `fix` and directions, whether inferred or stated. Ranges and candidates stay.

        Args:
            *names: Names of features or of one-hot groups, or a list of names.

        >>> import pandas as pd
        >>> policy = Policy.infer(pd.DataFrame({"Age": [20, 40, 60]}))
        >>> policy["Age"].protected, policy.free("Age")["Age"].protected
        (True, False)
        """
        groups = {rule.name: rule.columns for rule in self.rules if isinstance(rule, OneHot)}
        wanted = [one for name in read_feature_names(names) for one in groups.get(name, (name,))]
        return self._change(
            dict.fromkeys(wanted),
            lambda feature, _: replace(feature, fixed=False, protected=False, direction=Direction.BOTH),
        )

    def increase_only(self, *names: object) -> "Policy":
        """Allow features only to increase from the person's current value.

        Args:
            *names: Names of features, or a list of names. A category must be ordered.

        >>> import pandas as pd
        >>> policy = Policy.infer(pd.DataFrame({"Years": [0, 5, 9]})).increase_only("Years")
        >>> policy["Years"].direction.name
        'UP'
        """
        return self._change(read_feature_names(names), lambda feature, _: _turn(feature, Direction.UP))

    def decrease_only(self, *names: object) -> "Policy":
        """Allow features only to decrease from the person's current value.

        Args:
            *names: Names of features, or a list of names. A category must be ordered.

        >>> import pandas as pd
        >>> policy = Policy.infer(pd.DataFrame({"Debt": [0, 5, 9]})).decrease_only("Debt")
        >>> policy["Debt"].direction.name
        'DOWN'
        """
        return self._change(read_feature_names(names), lambda feature, _: _turn(feature, Direction.DOWN))

    def within(self, ranges: Mapping[Any, Any] | None = None, /, **named: Any) -> "Policy":
        """Set the range of the candidates, ends included, in the feature's own unit.

        The range may be wider than the inferred one. A later call for the same feature replaces the earlier
        one.

        Args:
            ranges: A dict from names to ranges ``(low, high)``. None as an end means the end of the inferred
                range: ``(None, 36)`` starts at the smallest value of the data.
            **named: The same as keywords.

        >>> import pandas as pd
        >>> policy = Policy.infer(pd.DataFrame({"Rooms": [20, 40, 60]})).within(Rooms=(30, 36))
        >>> policy["Rooms"].candidates().tolist()
        [30.0, 31.0, 32.0, 33.0, 34.0, 35.0, 36.0]
        >>> policy.within(Rooms=(57, None))["Rooms"].candidates().tolist()
        [57.0, 58.0, 59.0, 60.0]
        """
        given = self._keywords("within", ranges, named, example="(low, high)")
        return self._change(given, lambda f, value: replace(f, stated_range=read_range(f, value)))

    def within_change(self, limits: Mapping[Any, Any] | None = None, /, **named: Any) -> "Policy":
        """Limit how far features may move from the person's current value.

        ``"+10%"`` means: it may rise by at most 10 %, and may not fall. ``"-10%"`` lets it fall and not rise,
        and ``"±10%"`` lets it do both. A number is an amount in the feature's own unit: 2 means that it may
        rise by at most 2, and -2 that it may fall by at most 2. A pair has a limit for each direction:
        ``(-2, 5)``, or ``("-10%", None)`` for a rise without a limit. A later call for the same feature
        replaces the earlier one, and None removes it.

        A percentage refers to the size of the current value: with "+10%", -200 may rise to -180, and 0 may
        not change. The limit does not apply to a missing or special value, which has no size: `keep_missing`
        keeps it. The exact limit is a candidate itself, unless `step` or `candidates` names the candidates.

        Args:
            limits: A dict from names to limits.
            **named: The same as keywords.

        >>> import pandas as pd
        >>> policy = Policy.infer(pd.DataFrame({"Income": [20_000.0, 45_000.0], "Debt": [0.0, 9_000.0]}))
        >>> policy = policy.within_change(Income="+10%", Debt=(-500, 0))
        >>> policy["Income"].allows(30_000, 33_000), policy["Income"].allows(30_000, 33_000.01)
        (True, False)
        """
        given = self._keywords("within_change", limits, named, example="'+10%'")
        return self._change(given, lambda f, value: replace(f, change=read_change(f, value)))

    def step(self, steps: Mapping[Any, Any] | None = None, /, **named: Any) -> "Policy":
        """Set the step between candidates, in the feature's own unit. All candidates are multiples of it.

        In the paper's grid, steps count from the low end of the range. `candidates` replaces the step.

        Args:
            steps: A dict from names to steps.
            **named: The same as keywords.

        >>> import pandas as pd
        >>> policy = Policy.infer(pd.DataFrame({"Rate": [0.1, 0.25, 0.5]})).step(Rate=0.1)
        >>> policy["Rate"].candidates().tolist()
        [0.1, 0.2, 0.3, 0.4, 0.5]
        """
        given = self._keywords("step", steps, named, example="100")
        return self._change(
            given, lambda f, value: replace(f, step=read_step(f, value), anchor=_anchor(f), inferred=None)
        )

    def candidates(self, choices: Mapping[Any, Any] | None = None, /, **named: Any) -> "Policy":
        """List the candidates of features, in place of range and step.

        A range that `within` sets still applies.

        Args:
            choices: A dict from names to lists of candidates. For a category these are labels that occur in
                the data.
            **named: The same as keywords.

        >>> import pandas as pd
        >>> people = pd.DataFrame({"Term": [6, 24, 60], "Housing": ["free", "own", "rent"]})
        >>> policy = Policy.infer(people).candidates(Term=[12, 24, 36], Housing=["own", "rent"])
        >>> policy["Term"].candidates().tolist(), policy["Housing"].candidates().tolist()
        ([12.0, 24.0, 36.0], ['own', 'rent'])
        """
        given = self._keywords("candidates", choices, named, example="[1, 2, 3]")
        return self._change(given, lambda f, value: replace(f, choices=read_choices(f, value)))

    def keep_missing(self, *names: object) -> "Policy":
        """Keep missing values of features missing. By default, they may become any candidate.

        Args:
            *names: Names of features, or a list of names.

        >>> import numpy as np, pandas as pd
        >>> policy = Policy.infer(pd.DataFrame({"Income": [10.0, np.nan, 30.0]})).keep_missing("Income")
        >>> policy["Income"].allows(np.nan, 30.0)
        False
        """
        return self._change(read_feature_names(names), lambda feature, _: replace(feature, fillable=False))

    def allow_missing(self, *names: object) -> "Policy":
        """Allow known values of features to become missing. By default, they may not.

        Args:
            *names: Names of features, or a list of names.

        >>> import numpy as np, pandas as pd
        >>> policy = Policy.infer(pd.DataFrame({"Income": [10.0, np.nan, 30.0]})).allow_missing("Income")
        >>> policy["Income"].allows(30.0, np.nan)
        True
        """
        return self._change(
            read_feature_names(names), lambda feature, _: replace(feature, may_go_missing=True)
        )

    def leave_special(self, *names: object) -> "Policy":
        """Allow special values of features to become a number. By default, they stay.

        Args:
            *names: Names of features, or a list of names.

        >>> import pandas as pd
        >>> people = pd.DataFrame({"Months": [-9, 3, 5, 8]})
        >>> policy = Policy.infer(people, special_values={"Months": [-9]})
        >>> policy["Months"].allows(-9, 3), policy.leave_special("Months")["Months"].allows(-9, 3)
        (False, True)
        """
        return self._change(
            read_feature_names(names), lambda feature, _: replace(feature, leaves_special=True)
        )

    def display(self, displays: Mapping[Any, Any] | None = None, /, **named: Any) -> "Policy":
        """Set how features are named and written in texts and charts: name, unit, decimals, phrases.

        This changes only how results are displayed. A later call for the same feature replaces the earlier
        one.

        Args:
            displays: A dict from names to `p2ce.Display` objects, or to dicts with their entries.
            **named: The same as keywords.

        >>> import pandas as pd
        >>> policy = Policy.infer(pd.DataFrame({"LoanAmount": [500, 9_000]}))
        >>> policy = policy.display(LoanAmount={"name": "loan amount", "unit": "EUR"})
        >>> policy["LoanAmount"].display.name_in("en")
        'loan amount'
        """
        given = self._keywords("display", displays, named, example="{'name': 'loan amount'}")
        shown = self._change(given, lambda f, value: replace(f, display=read_display(f, value)))
        return replace(shown, stated=self.stated, review=self.review)

    def reviewed(self, *, by: str, on: "str | date") -> "Policy":
        """Record who reviewed the policy, and when.

        Texts for applicants begin with a notice that they are drafts if the policy was only inferred. A
        review removes the notice, and so does any constraint that you state. A constraint that is stated
        after the review removes the review.

        Args:
            by: The name of the reviewer.
            on: The date of the review, such as "2026-11-18".

        >>> import pandas as pd
        >>> policy = Policy.infer(pd.DataFrame({"Age": [20, 40, 60]}))
        >>> policy.basis, policy.fix("Age").basis, policy.reviewed(by="Ana", on="2026-11-18").basis
        ('inferred', 'stated', 'reviewed')
        """
        return replace(self, review=Review(by=by, on=on.isoformat() if isinstance(on, date) else on))

    @property
    def basis(self) -> Basis:
        """Whether the policy was "inferred", "stated" or "reviewed"."""
        if self.review is not None:
            return REVIEWED
        return STATED if self.stated else INFERRED

    def with_rules(self, *rules: "Rule | Iterable[Rule]") -> "Policy":
        """Add rules between features. A rule that the policy already has is not added again.

        A rule about unknown features, or one that contradicts the constraints on its features, is an error.
        So is a later constraint that contradicts a rule. A one-hot group replaces a group of the same
        columns.

        Args:
            *rules: Rules from `p2ce.rules`, or lists of rules.

        >>> import pandas as pd
        >>> from p2ce.rules import linked
        >>> people = pd.DataFrame({"Age": range(20, 70), "Years": range(50)})
        >>> Policy.infer(people).free("Age").with_rules(linked("Years", "Age"))
        Policy: 2 features, 2 may change, 1 rule
          feature  kind   may move    candidates
          Age      whole  either way  50: 20–69, every 1
          Years    whole  up only     50: 0–49, every 1
          rules
            Age moves as much as Years does
        """
        added = read_rules("with_rules", rules)
        all_rules = list(self.rules)
        for rule in added:
            if rule not in all_rules:
                all_rules = [*(one for one in all_rules if not _is_same_group(one, rule)), rule]
        if not added:
            return self
        proposed = tuple(rule for rule in self.proposed_rules if rule not in all_rules)
        return replace(self, rules=tuple(all_rules), proposed_rules=proposed, stated=True, review=None)

    def without_rules(self, *rules: "Rule | Iterable[Rule]") -> "Policy":
        """Remove rules. A rule is found by equality.

        Args:
            *rules: Rules that the policy has, or lists of rules.

        >>> import pandas as pd
        >>> from p2ce.rules import linked
        >>> people = pd.DataFrame({"Age": [20, 70], "Years": [1, 9]})
        >>> policy = Policy.infer(people, protect=None).increase_only("Age")
        >>> policy.with_rules(linked("Years", "Age")).without_rules(linked("Years", "Age")) == policy
        True
        """
        removed = read_rules("without_rules", rules)
        for rule in removed:
            if rule not in self.rules:
                texts = [one.text() for one in self.rules]
                raise InvalidPolicy(
                    f"There is no rule {echoed(rule.text())} to remove. {nearest(rule.text(), texts)}"
                )
        if not removed:
            return self
        kept = tuple(one for one in self.rules if one not in removed)
        return replace(self, rules=kept, stated=True, review=None)

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Write the policy to a YAML file that people can read and edit. `load` returns an equal policy.

        A predicate that is a Python function cannot be saved. Pass it to `p2ce.rules.predicate` as
        "module:function".

        Args:
            path: The file to write.
        """
        from p2ce.policy.file.policy_file import (
            save_policy,  # here, since only policy files need a YAML parser
        )

        save_policy(self, path)

    @classmethod
    def load(
        cls, path: "str | os.PathLike[str]", *, trust_predicates: bool = False, limits: Limits = DEFAULT
    ) -> "Policy":
        """Load a policy from a YAML file. An error names the file, the line and the nearest known name.

        Args:
            path: The file to read.
            trust_predicates: Whether to accept rules that name Python functions. Such rules run code that the
                file's author chose. The default is False.
            limits: The largest file that is parsed.
        """
        from p2ce.policy.file.policy_file import load_policy

        return load_policy(path, trust_predicates=trust_predicates, limits=limits)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all features, in the order of the reference's columns."""
        return tuple(feature.name for feature in self.features)

    def __getitem__(self, name: object) -> FeaturePolicy:
        wanted = as_text(name)
        if wanted in self._by_name:
            return self._by_name[wanted]
        raise InvalidPolicy(f"There is no feature {echoed(wanted)}. {nearest(wanted, self.names)}")

    @cached_property
    def _by_name(self) -> dict[str, FeaturePolicy]:
        return {feature.name: feature for feature in self.features}

    def __len__(self) -> int:
        return len(self.features)

    def __repr__(self) -> str:
        return policy_table(self.features, self.rules, self.proposed_rules)

    def _change(
        self, given: Mapping[Any, Any], change: Callable[[FeaturePolicy, Any], FeaturePolicy]
    ) -> "Policy":
        changed = {self[name].name: change(self[name], value) for name, value in given.items()}
        if not changed:
            return self
        features = tuple(changed.get(f.name, f) for f in self.features)
        return replace(self, features=features, stated=True, review=None)

    def _keywords(
        self, call: str, given: Mapping[Any, Any] | None, named: Mapping[str, Any], *, example: str
    ) -> dict[str, Any]:
        if given is not None and not isinstance(given, Mapping):
            raise InvalidPolicy(
                f"{call}() expects keywords or a dict, got {type(given).__name__}. "
                f"Write {call}({{{echoed(next(iter(self.names), 'feature'))}: {example}}})."
            )
        first = {as_text(name): value for name, value in (given or {}).items()}
        twice = sorted(first.keys() & named.keys())
        if twice:
            raise InvalidPolicy(
                f"{call}() got {echoed(twice[0])} twice, in the dict and as a keyword. Remove one of them."
            )
        return {**first, **named}


def _turn(feature: FeaturePolicy, direction: Direction) -> FeaturePolicy:
    if feature.direction == -direction:
        raise InvalidPolicy(
            f"{echoed(feature.name)} is both increase_only and decrease_only. Remove one of the two. If its "
            f"direction was inferred from its name, call free({echoed(feature.name)}) first. If it must not "
            f"change, use fix({echoed(feature.name)})."
        )
    return replace(feature, direction=direction)


def _is_same_group(one: "Rule", other: "Rule") -> bool:
    return isinstance(one, OneHot) and isinstance(other, OneHot) and set(one.levels) == set(other.levels)


def _anchor(feature: FeaturePolicy) -> float:
    # A constant column counts from its only value until a step is set.
    return 0.0 if feature.low == feature.high and feature.kind is not Kind.BINARY else feature.anchor
