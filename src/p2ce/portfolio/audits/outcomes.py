"""Reduce explanations of any kind to a few arrays: the outcome of each search, and the costs of options."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument
from p2ce.result import Explanations, ProblemRecord, Status
from p2ce.result.certificate import GIVEN, NoneBecause
from p2ce.result.explanations import shared_objectives
from p2ce.result.problem_record import ALONG
from p2ce.result.stated_date import StatedDates, dates_of

if TYPE_CHECKING:
    import pandas as pd

    from p2ce.portfolio.runs.portfolio_results import PortfolioResults


PROOF = (
    "proven",
    "unproven_because",
    "grid",
)  # fields of a certificate that show whether costs are proven or bounded
UNKNOWN = "unknown"
REASONS: tuple[str, ...] = (*get_args(NoneBecause), UNKNOWN)  # why there is no option


class Outcome(IntEnum):
    """The outcome of the search for one person. Every person has exactly one."""

    ACCEPTED = 0  # no change is needed
    WITH_RECOURSE = 1  # there is an option, which may or may not be proven to be the cheapest
    NO_RECOURSE = 2  # there is provably no option
    UNFINISHED = 3  # no option was found, but there may be one
    ERROR = 4  # the row could not be explained


# The outcomes of these statuses. The others depend on whether there is an option.
WITHOUT_OPTION = {
    Status.ACCEPTED: Outcome.ACCEPTED,
    Status.NO_RECOURSE: Outcome.NO_RECOURSE,
    Status.ERROR: Outcome.ERROR,
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AuditOutcomes:
    """The explanations of n people, as an audit needs them."""

    ids: "pd.Index[Any]"
    outcome: IntArray  # (n,) of `Outcome`
    none_because: IntArray  # (n,) the index in `REASONS` of why a person has no recourse; -1 for others
    proven: BoolArray  # (n,) whether the options are proven to be complete
    objectives: tuple[str, ...]
    costs: FloatArray  # (n, objectives): of the cheapest found option; NaN if there is none
    # (n, objectives): a proven lower bound of the cheapest option's cost; NaN if there certainly is none, or
    # if none is needed.
    least: FloatArray
    # The features that each person's first option changes: pairs of the person's and the feature's position.
    features: tuple[str, ...]
    changed_by: IntArray
    changed: IntArray
    column: "Callable[[str], pd.Series[Any]]"  # returns a column of the people by name, in their order
    columns: tuple[str, ...]
    problem: ProblemRecord | None
    dates: StatedDates

    def __len__(self) -> int:
        return len(self.outcome)


def outcomes_of(explanations: Any) -> AuditOutcomes:
    """Reduce explanations, or the folder that a portfolio run wrote."""
    if isinstance(explanations, Explanations):
        outcomes = _of_explanations(explanations)
    else:
        from p2ce.portfolio.runs.portfolio_results import PortfolioResults

        if isinstance(explanations, str | os.PathLike):
            explanations = PortfolioResults(explanations)
        if not isinstance(explanations, PortfolioResults):
            raise InvalidArgument(
                f"audit() needs Explanations or the folder of a run; got {type(explanations).__name__}. "
                "Pass what explain_many() returned, or the path of the folder."
            )
        explanations.verify_checksums()
        outcomes = _of_folder(explanations)
    if not len(outcomes):
        raise InvalidArgument("An audit needs at least one person, but there are no explanations.")
    _require_costs(outcomes)
    return outcomes


def least_costs(
    outcome: IntArray, proven: BoolArray, costs: FloatArray, bounded: BoolArray, open_costs: FloatArray
) -> FloatArray:
    """Return a proven lower bound of the cost of each person's cheapest option, objective by objective.

    The bound of a proven option is its cost. A search that stopped early has examined all but its open boxes,
    so any option that it missed costs at least `open_costs`. This holds (`bounded`) only if every other box
    was removed for a proven reason, and if the grid was given. On an inferred grid, a finished search
    continues with values between the candidates, and on a finer grid if there is no option. These may cost
    less. Otherwise the only bound is 0.
    """
    bound = np.where(bounded[:, None] & np.isfinite(open_costs), np.maximum(open_costs, 0.0), 0.0)
    has_option = outcome == Outcome.WITH_RECOURSE
    least = np.where((proven & has_option)[:, None], costs, np.fmin(costs, bound))
    return np.where((has_option | (outcome == Outcome.UNFINISHED))[:, None], least, np.nan)


def _is_bounded(because: Sequence[Any], grid: Sequence[Any]) -> BoolArray:
    """Return whether the costs of open boxes bound the missed options; see `least_costs`."""
    pairs = zip(because, grid, strict=True)
    return np.array([not isinstance(reason, str) and name == GIVEN for reason, name in pairs], dtype=bool)


def _of_explanations(explanations: Explanations) -> AuditOutcomes:
    import pandas as pd

    entries = list(explanations)
    objectives = shared_objectives(entries)
    problem = next((entry.problem for entry in entries if entry.problem is not None), None)
    costs = np.full((len(entries), len(objectives)), np.nan)
    has_option = np.array([len(entry) > 0 for entry in entries], dtype=bool)
    some = np.flatnonzero(has_option)
    for place in some.tolist():
        costs[place] = [min(option.costs[name] for option in entries[place]) for name in objectives]
    first = [list(entries[place][0].changes) for place in some.tolist()]
    certificates = [entry.certificate for entry in entries]
    outcome = _codes([entry.status for entry in entries], has_option)
    proven = np.array([one is not None and one.proven for one in certificates], dtype=bool)
    open_costs = [
        [(one.open_costs or {}).get(name, np.nan) if one is not None else np.nan for name in objectives]
        for one in certificates
    ]
    codes, names = pd.factorize(np.array([name for changed in first for name in changed], dtype=object))

    def column(name: str) -> "pd.Series[Any]":
        return pd.Series([entry.person.get(name) for entry in entries], dtype="object")

    return AuditOutcomes(
        ids=_index(list(explanations.ids)),
        outcome=outcome,
        none_because=_reasons(
            [entry.status for entry in entries],
            [None if one is None else one.none_because for one in certificates],
        ),
        proven=proven,
        objectives=objectives,
        costs=costs,
        least=least_costs(
            outcome,
            proven,
            costs,
            _is_bounded(
                [None if one is None else one.unproven_because for one in certificates],
                [None if one is None else one.grid for one in certificates],
            ),
            np.array(open_costs, dtype=np.float64).reshape(costs.shape),
        ),
        **_feature_pairs(np.repeat(some, list(map(len, first))), codes, names.tolist(), problem),
        column=column,
        columns=tuple(dict.fromkeys(name for entry in entries for name in entry.person)),
        problem=problem,
        dates=dates_of(entry.as_of for entry in entries),
    )


def _of_folder(results: "PortfolioResults") -> AuditOutcomes:
    names, columns = results.names, (*results.problem.features, *results.manifest.keep)
    objectives = tuple(names.best)
    people = results.people(
        [
            *(names[name] for name in ("id", "status", "none_because", "options", *PROOF)),
            *names.best.values(),
            *names.open.values(),
        ]
    )
    options = people[names["options"]].to_numpy(dtype=np.int64)
    costs, open_costs = (
        people[[columns[name] for name in objectives]].to_numpy(dtype=np.float64, na_value=np.nan)
        for columns in (names.best, names.open)
    )
    outcome = _codes(people[names["status"]].tolist(), options > 0)
    is_proven, because, grid = (people[names[name]] for name in PROOF)
    proven = is_proven.fillna(False).to_numpy(dtype=bool)
    some = np.flatnonzero(options)
    # Options are in the order of the people, and each person's first option comes first.
    changed = results.table("options", [names["changed"]]).column(0).combine_chunks()
    first = changed.take((np.cumsum(options) - options)[some])
    used = first.flatten().dictionary_encode()

    def column(name: str) -> "pd.Series[Any]":
        found: pd.Series[Any] = results.people([name])[name]
        return found

    return AuditOutcomes(
        ids=_index(people[names["id"]]),
        outcome=outcome,
        none_because=_reasons(
            people[names["status"]].tolist(),
            [one if isinstance(one, str) else None for one in people[names["none_because"]].tolist()],
        ),
        proven=proven,
        objectives=objectives,
        costs=costs,
        least=least_costs(outcome, proven, costs, _is_bounded(because.tolist(), grid.tolist()), open_costs),
        **_feature_pairs(
            np.repeat(some, first.value_lengths().to_numpy()),
            used.indices.to_numpy(),
            used.dictionary.to_pylist(),
            results.problem,
        ),
        column=column,
        columns=columns,
        problem=results.problem,
        dates=dates_of([results.manifest.as_of] * len(people)),
    )


def _index(ids: Any) -> "pd.Index[Any]":
    import pandas as pd

    index: pd.Index[Any] = pd.Index(ids, tupleize_cols=False)
    return index


def _codes(statuses: Sequence[str], has_option: BoolArray) -> IntArray:
    """Return the outcome of each person."""
    by_status = {status: WITHOUT_OPTION.get(status, Outcome.UNFINISHED) for status in Status}
    codes = np.array([by_status[Status(status)] for status in statuses], dtype=np.int64)
    return np.where(has_option & (codes == Outcome.UNFINISHED), Outcome.WITH_RECOURSE, codes)


def _reasons(statuses: Sequence[str], because: Sequence[str | None]) -> IntArray:
    """Return the reason why each person has no recourse; -1 if that is not proven."""
    place: dict[str | None, int] = {name: at for at, name in enumerate(REASONS)}
    place[None] = place[UNKNOWN]
    pairs = zip(statuses, because, strict=True)
    return np.array([place[one] if Status(status) is Status.NO_RECOURSE else -1 for status, one in pairs])


def _feature_pairs(
    changed_by: IntArray, codes: IntArray, columns: Sequence[str], problem: ProblemRecord | None
) -> dict[str, Any]:
    """Return `features`, `changed_by` and `changed`. A one-hot group counts once, a linked feature never.

    ``codes`` are the positions in ``columns`` of what these people change.
    """
    features = {} if problem is None else problem.features
    levers: dict[str, int] = {}
    lever_of = np.full(len(columns), -1)
    for place, name in enumerate(columns):
        feature = features.get(name)
        if feature is None or feature.moves != ALONG:
            lever = name if feature is None else feature.group or name
            lever_of[place] = levers.setdefault(lever, len(levers))
    found = lever_of[codes] if len(columns) else np.empty(0, dtype=np.int64)
    pairs = np.unique(np.column_stack([changed_by, found])[found >= 0], axis=0)
    return {"features": tuple(levers), "changed_by": pairs[:, 0], "changed": pairs[:, 1]}


def _require_costs(outcomes: AuditOutcomes) -> None:
    """Raise if the option of a person has a cost that is not finite."""
    bad = (outcomes.outcome == Outcome.WITH_RECOURSE)[:, None] & ~np.isfinite(outcomes.costs)
    if bad.any():
        place, objective = np.argwhere(bad)[0].tolist()
        people, cost = int(bad.any(axis=1).sum()), float(outcomes.costs[place, objective])
        raise InvalidArgument(
            f"An audit needs finite costs, but {echoed(outcomes.objectives[objective])} of "
            f"{echoed(outcomes.ids[place])} is {echoed(cost)}. This affects {people:,} of "
            f"{len(outcomes):,} people. Leave them out."
        )
