"""Judge a proposal that somebody else made: is it valid, plausible, allowed, and worth its cost?"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.comparing import beats
from p2ce.errors import InvalidOption, InvalidPerson, nearest
from p2ce.compilation.compiled_problem import Setup
from p2ce.explain.encode import People, read_row
from p2ce.grid.grouped_axis import widen
from p2ce.grid.placement import place
from p2ce.result.counterfactual import Counterfactual
from p2ce.result.explanation import Explanation
from p2ce.result.judgement import Judgement
from p2ce.tables.cells import is_missing
from p2ce.verification.constraints import broken_rules
from p2ce.verification.evaluate_rows import plausibility_of, score_frame
from p2ce.verification.row_costs import reported, totals_of
from p2ce.visible import echoed


def read_proposal(
    setup: Setup, row: Any, proposal: Any, explanation: Explanation | None
) -> tuple[People, People]:
    """Read a person, and what somebody proposes: a whole row, or a dict of the changed columns only."""
    before = read_row(row, setup.codebook)
    if explanation is not None and not same_person(explanation.person, before.row(0, setup.names)):
        raise InvalidOption("The explanation is about another person. Pass the one that explain(row) gave.")
    if isinstance(proposal, Mapping):
        unknown = [str(name) for name in proposal if str(name) not in setup.names]
        if unknown:
            raise InvalidPerson(
                f"The proposal changes {echoed(unknown[0])}, which is not a column of the model. "
                f"{nearest(unknown[0], setup.names)}"
            )
        proposal = before.row(0, setup.names) | {str(name): value for name, value in proposal.items()}
    return before, read_row(proposal, setup.codebook)


def same_person(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether two rows hold the same; a missing value equals itself."""
    return one.keys() == other.keys() and all(
        (is_missing(value) and is_missing(other[name])) or bool(value == other[name])
        for name, value in one.items()
    )


def judge(setup: Setup, before: People, after: People, explanation: Explanation | None) -> Judgement:
    """Judge one proposal; both arguments hold one row."""
    old, new = before.values[0], after.values[0]
    frame = setup.frame(after.values)
    said = score_frame(setup, frame)
    plausibility = None
    if setup.detector is not None:
        plausibility = float(plausibility_of(setup, after.values, frame)[0])
    then = dict(zip(setup.names, old.tolist(), strict=True))
    now = dict(zip(setup.names, new.tolist(), strict=True))
    broken = broken_rules(setup, old, new, frame)
    moved = [name for name in setup.names if now[name] != then[name]]
    totals = totals_of(setup, old, new)
    costs = reported(setup, totals[None, :])[0]
    return Judgement(
        valid=bool(said.accepted[0]),
        score=float(said.scores[0]),
        # A detector whose opinion the method does not ask for is told, and is no failing.
        plausible=None if plausibility is None or setup.judges is None else plausibility >= 0.0,
        plausibility=plausibility,
        allowed=not broken,
        broken=tuple(broken),
        on_grid=_on_grid(setup, old, new),
        changes={
            name: (before.row(0, setup.names)[name], setup.codebook[name].plain(now[name])) for name in moved
        },
        costs=dict(zip(setup.objective_names, costs.tolist(), strict=True)),
        better=None if explanation is None else _better(setup, old, totals, explanation),
    )


def _on_grid(setup: Setup, old: FloatArray, new: FloatArray) -> bool:
    """Tell whether the search would look at a row: every changed column is at a candidate of the person's."""
    then, now = widen(old[None, :], setup.compounds), widen(new[None, :], setup.compounds)[0]
    candidates = place(setup.grid, then).values[0]
    axes = dict(zip(setup.grid.columns.tolist(), candidates, strict=True))
    together = {member for compound in setup.compounds for member in compound.members.tolist()}
    return all(
        column in axes and now[column] in axes[column]
        for column in np.flatnonzero(then[0] != now).tolist()
        if column not in together
    )


def _better(
    setup: Setup, old: FloatArray, totals: FloatArray, explanation: Explanation
) -> tuple[Counterfactual, ...]:
    """Give the options that cost less: priced anew, as the proposal is, and compared as the search does.

    So no option of a front beats another one of it. What is reported would not do: it may be the root of what
    the search compares.
    """
    return tuple(
        option
        for option in explanation
        if beats(totals_of(setup, old, read_row(option.values, setup.codebook).values[0]), totals)
    )
