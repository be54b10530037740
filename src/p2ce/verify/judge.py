"""Judge a proposal that somebody else made: is it valid, plausible, allowed, and worth its cost?"""

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.compiled.costs import Join
from p2ce.result.explanation import Explanation
from p2ce.result.judgement import Judgement
from p2ce.verify.asking import ask
from p2ce.verify.build import plain_value
from p2ce.verify.constraints import broken_rules
from p2ce.verify.people import People
from p2ce.verify.points import path_lengths_of_rows
from p2ce.verify.rows import rows_frame
from p2ce.verify.setup import Setup


def judge(setup: Setup, before: People, after: People, explanation: Explanation | None) -> Judgement:
    """Judge one proposal; both arguments hold one row."""
    old, new = before.values[0], after.values[0]
    frame = rows_frame(after.values, setup.labels, setup.dtypes)
    scores = np.array([ask(model.ask, frame, setup.name_of(i)) for i, model in enumerate(setup.models)])
    valid = all(score >= model.threshold for score, model in zip(scores[:, 0], setup.models, strict=True))
    plausibility = None
    if setup.detector is not None:
        if setup.detector.ask is not None:
            plausibility = float(ask(setup.detector.ask, frame, "detector")[0])
        else:
            plausibility = float(setup.detector.report(path_lengths_of_rows(setup, after.values))[0])
    then = dict(zip(setup.names, old.tolist(), strict=True))
    now = dict(zip(setup.names, new.tolist(), strict=True))
    broken = broken_rules(setup.actions, then, now, max_changes=setup.max_changes)
    moved = [name for name in setup.names if now[name] != then[name]]
    candidates = dict(zip(setup.grid.names, setup.grid.values, strict=True))
    costs = _costs(setup, old, new)
    return Judgement(
        valid=valid,
        score=float(setup.reported(scores)[0]),
        plausible=None if plausibility is None else plausibility >= 0.0,
        plausibility=plausibility,
        allowed=not broken,
        broken=tuple(broken),
        on_grid=all(name in candidates and now[name] in candidates[name] for name in moved),
        changes={
            name: (before.row(0, setup.names)[name], plain_value(now[name], setup.dtypes[name]))
            for name in moved
        },
        costs=costs,
        better=None
        if explanation is None
        else tuple(option for option in explanation if _beats(option.costs, costs, explanation)),
    )


def _costs(setup: Setup, old: FloatArray, new: FloatArray) -> dict[str, float]:
    """Price the change of every column, also of those that may not change."""
    found = {}
    for objective in setup.objectives:
        parts = np.array(
            [
                objective.costs(column, new[None, column, None], old[None, column, None])[0, 0]
                for column in range(len(old))
                if new[column] != old[column]
            ]
        )
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
