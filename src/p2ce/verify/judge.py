"""Judge a proposal that somebody else made: is it valid, plausible, allowed, and worth its cost?"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.compiled.costs import Join
from p2ce.errors import InvalidOption, InvalidPerson, nearest
from p2ce.grid.compound import widen
from p2ce.result.explanation import Explanation
from p2ce.result.judgement import Judgement
from p2ce.tables.cells import is_missing
from p2ce.verify.batch import compound_cost
from p2ce.verify.constraints import broken_rules
from p2ce.verify.people import People, read_row
from p2ce.verify.rows import judge_rows
from p2ce.verify.setup import Setup


def read_proposal(
    setup: Setup, row: Any, proposal: Any, explanation: Explanation | None
) -> tuple[People, People]:
    """Read a person, and what somebody proposes: a whole row, or a dict of the changed columns only."""
    before = read_row(row, setup.codebook, setup.actions)
    if explanation is not None and not isinstance(explanation, Explanation):
        raise InvalidOption(f"explanation must be an Explanation, got {type(explanation).__name__}.")
    if explanation is not None and not same_person(explanation.person, before.row(0, setup.names)):
        raise InvalidOption("The explanation is about another person. Pass the one that explain(row) gave.")
    if isinstance(proposal, Mapping):
        unknown = [str(name) for name in proposal if str(name) not in setup.names]
        if unknown:
            raise InvalidPerson(
                f"The proposal changes {unknown[0]!r}, which is not a column of the model. "
                f"{nearest(unknown[0], setup.names)}"
            )
        proposal = before.row(0, setup.names) | {str(name): value for name, value in proposal.items()}
    return before, read_row(proposal, setup.codebook, None)


def same_person(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether two rows hold the same; a missing value equals itself."""
    return one.keys() == other.keys() and all(
        (is_missing(value) and is_missing(other[name])) or bool(value == other[name])
        for name, value in one.items()
    )


def judge(setup: Setup, before: People, after: People, explanation: Explanation | None) -> Judgement:
    """Judge one proposal; both arguments hold one row."""
    old, new = before.values[0], after.values[0]
    verdict = judge_rows(setup, before.values, after.values)
    plausibility = None if setup.detector is None else float(verdict.plausibility[0])
    then = dict(zip(setup.names, old.tolist(), strict=True))
    now = dict(zip(setup.names, new.tolist(), strict=True))
    broken = broken_rules(setup, old, new, setup.frame(after.values))
    moved = [name for name in setup.names if now[name] != then[name]]
    costs = _costs(setup, old, new)
    return Judgement(
        valid=bool(verdict.accepted[0]),
        score=float(verdict.scores[0]),
        plausible=None if plausibility is None else plausibility >= 0.0,
        plausibility=plausibility,
        allowed=not broken,
        broken=tuple(broken),
        on_grid=_on_grid(setup, old, new),
        changes={
            name: (before.row(0, setup.names)[name], setup.codebook[name].plain(now[name])) for name in moved
        },
        costs=costs,
        better=None
        if explanation is None
        else tuple(option for option in explanation if _beats(option.costs, costs, explanation)),
    )


def _on_grid(setup: Setup, old: FloatArray, new: FloatArray) -> bool:
    """Tell whether the search would look at a row: every changed column is at a candidate of its axis."""
    then, now = widen(old[None, :], setup.compounds)[0], widen(new[None, :], setup.compounds)[0]
    axes = dict(zip(setup.grid.columns.tolist(), setup.grid.values, strict=True))
    together = {member for compound in setup.compounds for member in compound.members.tolist()}
    return all(
        column in axes and now[column] in axes[column]
        for column in np.flatnonzero(then != now).tolist()
        if column not in together
    )


def _costs(setup: Setup, old: FloatArray, new: FloatArray) -> dict[str, float]:
    """Price the change of every column, also of those that may not change."""
    found = {}
    together = {member for compound in setup.compounds for member in compound.members.tolist()}
    for objective in setup.objectives:
        alone = [
            objective.costs(column, new[None, column, None], old[None, column, None])[0, 0]
            for column in range(len(old))
            if new[column] != old[column] and column not in together
        ]
        joint = [
            compound_cost(
                objective, compound, old[None, None, compound.members], new[None, None, compound.members]
            )[0, 0]
            for compound in setup.compounds
        ]
        parts = np.array([*alone, *joint])
        joined = parts.max(initial=0.0) if objective.join is Join.MAX else parts.sum()
        found[objective.name] = float(objective.report(np.array([joined]))[0])
    return found


def _beats(option: dict[str, float], costs: dict[str, float], explanation: Explanation) -> bool:
    """Compare costs as the search does: differences below the resolution are none."""
    fine = {} if explanation.certificate is None else explanation.certificate.cost_resolution
    gains = [costs[name] - option[name] for name in costs]
    slack = [fine.get(name, 0.0) for name in costs]
    return all(gain >= -least for gain, least in zip(gains, slack, strict=True)) and any(
        gain > least for gain, least in zip(gains, slack, strict=True)
    )
