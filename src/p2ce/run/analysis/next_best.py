"""Turn what a caller leaves out into rules, and list a few of the options that are left."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from p2ce.base.visible import echoed
from p2ce.compile.compile_arguments import described_reference
from p2ce.compile.compiled_problem import EXACT, Problem
from p2ce.errors import InvalidArgument, nearest
from p2ce.policy.rules.conditions import CHANGES
from p2ce.policy.rules.leave_out import LeaveOut, leave_out
from p2ce.policy.rules.linked import Linked
from p2ce.policy.rules.one_hot import OneHot
from p2ce.result.certificate import Status
from p2ce.result.counterfactual import Counterfactual
from p2ce.result.explanation import Explanation
from p2ce.result.near import Near
from p2ce.tables.cells import is_missing

if TYPE_CHECKING:
    import pandas as pd

EXPECTED = (
    "options such as explanation[0], p2ce.Near(explanation[0], within=0.5), the name of a feature, or a set "
    "of features that must not all change"
)


def rules_to_leave_out(
    problem: Problem, reference: "pd.DataFrame", explanation: Explanation, exclude: Any
) -> tuple[LeaveOut, ...]:
    """Return a rule for each thing to leave out; by default, for each option of the explanation."""
    if explanation.status is Status.ACCEPTED:
        raise InvalidArgument("more() looks for further options, but this person needs no change.")
    if problem.method is not None:
        raise InvalidArgument(
            f"more() needs rules between features, which the method {echoed(problem.method_name)} does not "
            f"support. Make an explainer with method={echoed(EXACT)}."
        )
    if exclude is None:
        if not len(explanation):
            raise InvalidArgument(
                "more() leaves out the options of an explanation, but this one has none. Pass exclude=, or "
                "call relaxations()."
            )
        exclude = list(explanation)
    if isinstance(exclude, str | Counterfactual | Near):
        exclude = [exclude]
    if isinstance(exclude, Mapping) or not isinstance(exclude, Iterable) or not (things := list(exclude)):
        raise InvalidArgument(f"more() expects exclude= as a list of {EXPECTED}; got {echoed(exclude)}.")
    units = _units(problem, reference) if any(isinstance(one, Near) for one in things) else {}
    return tuple(dict.fromkeys(_rule(problem, explanation, one, units) for one in things))


def check_listed(n: object) -> None:
    """Reject anything but a number of options to list, or None for all."""
    if n is not None and (isinstance(n, bool) or not isinstance(n, int) or n < 1):
        raise InvalidArgument(
            f"more() expects n= as a whole number of options to list, at least 1; got {echoed(n)}. Leave it "
            "out to list all."
        )


def listing(explanation: Explanation, n: int | None) -> Explanation:
    """List the ``n`` options of an explanation that `Explanation.pick` chooses, and count the rest.

    What is proven stays about all options that were found.
    """
    if n is None or len(explanation) <= n:
        return explanation
    kept = tuple(one.counterfactual for one in explanation.pick(n))
    return replace(explanation, counterfactuals=kept, unlisted=len(explanation) - n)


def _rule(problem: Problem, explanation: Explanation, thing: Any, units: Mapping[str, float]) -> LeaveOut:
    if isinstance(thing, Near):
        values = _values(problem, explanation, thing.option)
        return leave_out({name: _close(value, thing.within * units[name]) for name, value in values.items()})
    if isinstance(thing, Counterfactual):
        return leave_out({name: [value] for name, value in _values(problem, explanation, thing).items()})
    names = [thing] if isinstance(thing, str) else thing
    is_several = isinstance(names, list | tuple | set | frozenset)
    if not is_several or not names or not all(isinstance(one, str) for one in names):
        raise InvalidArgument(f"exclude= of more() expects {EXPECTED}; got {echoed(thing)}.")
    for name in names:
        if name not in problem.names:
            raise InvalidArgument(
                f"exclude= of more() names {echoed(name)}, which is not a column. "
                f"{nearest(name, problem.names)}"
            )
    return leave_out(dict.fromkeys(sorted(names, key=problem.names.index), CHANGES))


def _values(problem: Problem, explanation: Explanation, option: Counterfactual) -> dict[str, Any]:
    """Return the values of an option in the columns that may change."""
    before = {name: option.changes.get(name, (value,))[0] for name, value in option.values.items()}
    if before.keys() != explanation.person.keys() or any(
        not _same(before[name], value) for name, value in explanation.person.items()
    ):
        raise InvalidArgument(
            "exclude= of more() holds an option of another person. Pass options of this explanation, or of "
            "an earlier one of the same person."
        )
    grouped = [rule.columns for rule in problem.policy.rules if isinstance(rule, Linked | OneHot)]
    free = {name for names in grouped for name in names}
    free |= {feature.name for feature in problem.features if not feature.fixed}
    return {name: option.values[name] for name in problem.names if name in free}


def _same(one: Any, other: Any) -> bool:
    return (is_missing(one) and is_missing(other)) or bool(one == other)


def _close(value: Any, apart: float) -> Any:
    """Return the condition of a value close to another one."""
    if is_missing(value) or isinstance(value, bool) or not isinstance(value, int | float):
        return [value]
    apart = float(f"{apart:.4g}")  # the rule is read by people
    return tuple(float(f"{end:.12g}") for end in (value - apart, value + apart))


def _units(problem: Problem, reference: "pd.DataFrame") -> dict[str, float]:
    """Return the unit of each column, as "mean_distance" uses it."""
    codes = problem.codebook.encode(reference)
    described = described_reference(problem.policy, problem.codebook, codes)
    return dict(zip(described.names, described.unit("robust").tolist(), strict=True))
