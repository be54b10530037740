"""Evaluate a proposed change: is it valid, plausible and allowed, and does an option dominate it?"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.comparing import quanta
from p2ce.base.visible import echoed
from p2ce.compile.batch import totals_of
from p2ce.compile.compiled_problem import ParsedProblem, Problem
from p2ce.compile.evaluate_rows import judge_rows, score_frame
from p2ce.compile.own_plausibility import own_plausibility
from p2ce.compile.own_ranges import own_ranges
from p2ce.engine.grid.grouped_axis import with_levels
from p2ce.engine.grid.placement import place
from p2ce.engine.solver.undominated import dominates
from p2ce.errors import InvalidArgument, InvalidRow, nearest
from p2ce.objectives.objective import reported
from p2ce.result.analysis import Evaluation
from p2ce.result.counterfactual import Counterfactual, admitted_by
from p2ce.result.explanation import Explanation
from p2ce.run.verify.constraints import violations
from p2ce.tables.cells import is_missing
from p2ce.tables.encode import EncodedRows, encode_row


def encode_proposal(
    problem: ParsedProblem, row: Any, proposal: Any, explanation: Explanation | None
) -> tuple[EncodedRows, EncodedRows]:
    """Encode an instance and a proposal: a whole row, a dict of the changed columns only, or an option.

    The codebook of the proposal decodes both.
    """
    before = encode_row(row, problem.codebook)
    if explanation is not None and not same_person(explanation.person, before.row(0, problem.names)):
        raise InvalidArgument(
            "The explanation is about another person. Pass the one that explain(row) returned."
        )
    if isinstance(proposal, Counterfactual):
        proposal = proposal.values
    if isinstance(proposal, Mapping):
        unknown = [str(name) for name in proposal if str(name) not in problem.names]
        if unknown:
            raise InvalidRow(
                f"The proposal changes {echoed(unknown[0])}, which is not a column of the model. "
                f"{nearest(unknown[0], problem.names)}"
            )
        proposal = before.row(0, problem.names) | {str(name): value for name, value in proposal.items()}
    return before, encode_row(proposal, before.codebook)


def same_person(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two rows hold the same values; a missing value equals itself."""
    return one.keys() == other.keys() and all(
        (is_missing(value) and is_missing(other[name])) or bool(value == other[name])
        for name, value in one.items()
    )


def evaluate_proposal(
    problem: Problem, before: EncodedRows, after: EncodedRows, explanation: Explanation | None
) -> Evaluation:
    """Check one proposal. Both arguments hold one row."""
    old, new = before.values[0], after.values[0]
    frame = problem.frame(after.values)
    scored = score_frame(problem, frame)
    own = own_plausibility(problem, before.values)
    judged = judge_rows(problem, own, np.zeros(1, dtype=np.int64), after.values, frame)
    plausibility = None if problem.detector is None else float(judged.values[0])
    # If the method does not require the detector, its result is reported but is not a failure.
    plausible = None if problem.required_detector is None else bool(judged.admitted[0])
    then = dict(zip(problem.names, old.tolist(), strict=True))
    now = dict(zip(problem.names, new.tolist(), strict=True))
    broken = violations(problem, old, new, frame)
    moved = [name for name in problem.names if now[name] != then[name]]
    totals = totals_of(problem, old, new)
    costs = reported(problem.objectives, totals[None, :])[0]
    score = problem.direction * float(scored.scores[0])
    return Evaluation(
        valid=bool(scored.accepted[0]),
        score=score,
        points=None if problem.report is None else problem.report.of_person(score),
        plausible=plausible,
        plausibility=plausibility,
        admitted_by=admitted_by(plausibility) if plausible and plausibility is not None else None,
        plausibility_today=None if own is None else float(own.values[0]),
        allowed=not broken,
        broken=broken,
        on_grid=_on_grid(problem, old, new),
        changes={
            name: (before.row(0, problem.names)[name], problem.codebook[name].plain(now[name]))
            for name in moved
        },
        costs=dict(zip(problem.objective_names, costs.tolist(), strict=True)),
        better=None
        if explanation is None or explanation.unlisted
        else _better(problem, old, totals, explanation),
    )


def _on_grid(problem: Problem, old: FloatArray, new: FloatArray) -> bool:
    """Return whether a row is a cell of the grid: every changed column is at a candidate of the instance."""
    rows = np.stack([old, new])
    then, now = np.column_stack(
        [
            with_levels(rows, problem.compounds),
            *(
                levels.codes_of(0, rows[:, chain.members])
                for chain, levels in zip(problem.chains, problem.levels_of(old[None, :]), strict=True)
            ),
        ]
    )
    ranges = own_ranges(problem, old[None, :], None) if problem.limits_changes else None
    candidates = place(problem.grid, then[None, :], ranges).values[0]
    axes = dict(zip(problem.grid.columns.tolist(), candidates, strict=True))
    together = {member for group in problem.groups for member in group.members.tolist()}
    return all(
        column in axes and now[column] in axes[column]
        for column in np.flatnonzero(then != now).tolist()
        if column not in together
    )


def _better(
    problem: Problem, old: FloatArray, totals: FloatArray, explanation: Explanation
) -> tuple[Counterfactual, ...]:
    """Return the counterfactuals that dominate the proposal, priced again and compared as the solver does.

    So no option of a front dominates another one. Reported costs would not do, since they may be roots of the
    numbers that the solver compares.
    """
    proposed = quanta(totals)
    return tuple(
        option
        for option in explanation
        if dominates(
            quanta(totals_of(problem, old, encode_row(option.values, problem.codebook).values[0])), proposed
        )
    )
