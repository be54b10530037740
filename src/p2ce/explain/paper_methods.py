"""Run the paper's algorithms on this project's grid, costs, scores and verification, person by person."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from p2ce.adapters.evaluate import ask
from p2ce.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.compilation.batch import Batch
from p2ce.compilation.compiled_problem import Problem
from p2ce.compilation.grouped_features import moves_as_one
from p2ce.errors import InvalidArgument
from p2ce.estimates.attributions import Attributor
from p2ce.estimates.link_scale import Link
from p2ce.explain.fit_estimate import parsed_of
from p2ce.paper.algorithm_1 import mapocam
from p2ce.paper.algorithm_2 import p2ce
from p2ce.paper.maximum import shap_maximum
from p2ce.paper.methods import Mapocam
from p2ce.paper.paper_problem import BOUND, DOMINATED, OUTLIER, TOO_MANY, Node, PaperProblem, Record
from p2ce.scores.external import REJECT
from p2ce.scores.score import CompiledScore
from p2ce.solver.branch_and_bound import CELL_WORK, Fronts, Listener, Progress
from p2ce.solver.brute_force import front_of, point_costs
from p2ce.verification.constraints import kept_rows
from p2ce.verification.evaluate_rows import score_frame
from p2ce.verification.verify_points import compiled_scores
from p2ce.visible import echoed

Cells = Callable[[Int32Array], tuple[FloatArray, BoolArray]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Attributions:
    """What the paper takes from SHAP values: made once for an explainer."""

    attributor: Attributor
    largest: FloatArray  # (d,) φ̄ of every column
    importance: FloatArray  # (d,) the mean magnitude of φ


def bound_of(problem: Problem) -> str:
    """Settle which bound a paper's algorithm prunes by: "shap", "tree", "monotone" or "none".

    A model that is a black box to somebody, because of a label that the reference lacks, has no other
    proven bound than none.
    """
    settings = problem.method
    assert settings is not None
    is_forest, is_additive = _kind_of(problem)
    if settings.bound == "auto":
        if is_additive:
            return "monotone"
        if settings.plausible:
            return "shap"
        return "tree" if is_forest else "none"
    if (settings.bound == "tree" and not is_forest) or (settings.bound == "monotone" and not is_additive):
        return "none"
    return settings.bound


def _kind_of(problem: Problem) -> tuple[bool, bool]:
    """Tell whether the model is parsed as one forest, or as one sum."""
    parsed = parsed_of(problem.models)
    if parsed is None or not isinstance(parsed.score, CompiledScore):
        return False, False
    return parsed.score.forest is not None, parsed.score.weights is not None


def check_paper(problem: Problem, *, bound: object) -> None:
    """Refuse what the paper's algorithms do not know."""
    settings = problem.method
    assert settings is not None
    if bound != "auto":
        raise InvalidArgument(
            f"bound={echoed(bound)} is a setting of the exact search. The paper's algorithms have bounds "
            "of their "
            'own: method=p2ce.paper.P2CE(bound="shap"), for example.'
        )
    if problem.keep_ties:
        raise InvalidArgument(
            "ties=True needs method='exact': the paper's algorithms prune what costs the same."
        )
    require_single_features(problem)
    kinds = {"tree": "a tree ensemble", "monotone": "a linear model"}
    if settings.bound in kinds and bound_of(problem) != settings.bound:
        raise InvalidArgument(
            f'bound="{settings.bound}" needs {kinds[settings.bound]} that is supported natively; the model '
            f'is {problem.family}. Pass bound="shap" or "none".'
        )


def require_single_features(problem: Problem) -> None:
    """Refuse features that move together, of which neither the listings nor their bounds know."""
    if moves_as_one(problem.actions):
        raise InvalidArgument(
            "The paper's algorithms change one feature at a time, so that they cannot go with linked() or "
            "one_hot(). Use method='exact', or drop these rules."
        )


def fit_attributions(
    problem: Problem,
    *,
    evaluate: Callable[[FloatArray], FloatArray],
    reference: FloatArray,
    random_state: int | None,
) -> Attributions | None:
    """Compute what the algorithm needs of SHAP values; None where it needs nothing."""
    settings = problem.method
    assert settings is not None
    if bound_of(problem) != "shap" and settings.order != "importance":
        return None
    attributor = Attributor(
        settings, parsed_of(problem.models), evaluate, reference, problem.names, random_state, Link.IDENTITY
    )
    known = attributor.explain(attributor.background)
    return Attributions(
        attributor=attributor, largest=known.max(axis=0), importance=np.abs(known).mean(axis=0)
    )


class _Stopped(Exception):
    """The person's time or work is used up, or the listener has heard enough."""


def search_by_paper(
    problem: Problem,
    batch: Batch,
    who: IntArray,
    bans: Mapping[int, Sequence[Int32Array]],
    limits: FloatArray | None,
    most_work: IntArray | None,
    listener: Listener | None,
) -> Fronts:
    """Run one of the paper's algorithms for some people of a batch.

    Whoever is not finished keeps what was found. As printed, an algorithm returns points that are dominated
    or have one change too many: they prune others, but are not shown.
    """
    from p2ce.solver.counters import ATTRIBUTED, BOXES, COUNTERS, ESTIMATE, EXTERNAL, SCORED, WORK
    from p2ce.solver.counters import BOUND as BY_SCORE
    from p2ce.solver.counters import DOMINATED as BY_COST
    from p2ce.solver.counters import TOO_MANY as MANY

    assert problem.method is not None
    require_single_features(problem)  # actions for one person come past the constructor
    algorithm = p2ce if problem.method.plausible else mapocam
    counters = np.zeros((len(who), COUNTERS), dtype=np.int64)
    finished = np.ones(len(who), dtype=np.bool_)
    seconds = np.zeros(len(who))
    fronts: list[Int32Array] = []
    said: list[FloatArray] = []
    begin = time.perf_counter()
    stopped = False
    for at, person in enumerate(who.tolist()):
        start = time.perf_counter()
        until = np.inf if limits is None else start + float(limits[at])
        most = np.inf if most_work is None else float(most_work[at])
        record = Record(as_printed=problem.method.as_printed)

        def go_on(at: int = at, until: float = until, most: float = most, record: Record = record) -> None:
            nonlocal stopped
            now = time.perf_counter()
            if listener is not None and not stopped:
                news = Progress(
                    person=at,
                    people=len(who),
                    found=len(record.solutions),
                    open_boxes=1,
                    elapsed=now - begin,
                )
                stopped = listener(news) is False
            if stopped or now > until or counters[at, WORK] > most:
                raise _Stopped

        instance = _Instance(problem, batch, person, bans.get(person, ()), go_on, counters[at])
        try:
            algorithm(instance.paper_problem(), record)
        except _Stopped:
            finished[at] = False
            counters[at, SCORED] = max(counters[at, SCORED], 1)  # something was looked at
        fronts.append(_front(problem, batch, person, record))
        said.append(instance.said_about(fronts[-1]))
        counters[at, [BOXES, BY_COST, MANY]] = (
            record.visited,
            record.pruned[DOMINATED],
            record.pruned[TOO_MANY],
        )
        counters[at, ESTIMATE if instance.bound == "shap" else EXTERNAL] = record.pruned[BOUND]
        if problem.slots.detector is not None:
            counters[at, BY_SCORE + problem.slots.detector] = record.pruned[OUTLIER]
        counters[at, ATTRIBUTED] = len(instance.attributed)
        seconds[at] = time.perf_counter() - start
    first = np.cumsum([0, *map(len, fronts)], dtype=np.int64)
    return Fronts(
        points=np.concatenate([*fronts, np.zeros((0, len(problem.grid.names)), dtype=np.int32)]),
        first=first,
        counters=counters,
        finished=finished,
        open_boxes=(~finished).astype(np.int64),
        open_totals=np.zeros((len(who), len(problem.objectives))),
        seconds=seconds,
        stopped=stopped,
        said=np.concatenate(said) if said else np.zeros((0, 0)),
    )


def _front(problem: Problem, batch: Batch, person: int, record: Record) -> Int32Array:
    """Take the points out of S that are allowed and that no other dominates, one for each cost."""
    most = len(problem.grid.names) if problem.max_changes is None else problem.max_changes
    cells = [node.cell for node in record.solutions if 0 < node.changes <= most]
    points = np.array(cells, dtype=np.int32).reshape(len(cells), len(problem.grid.names))
    return front_of(points, batch.tables, batch.placement, person)


class _Instance:
    """One person of a batch, as the algorithms see them."""

    def __init__(
        self,
        problem: Problem,
        batch: Batch,
        person: int,
        banned: Sequence[Int32Array],
        go_on: Callable[[], None],
        counters: IntArray,
    ) -> None:
        assert problem.method is not None
        self.problem, self.batch, self.person = problem, batch, person
        self.settings: Mapocam = problem.method
        self.banned = {tuple(cell[:-1].tolist()) for cell in banned}
        self.go_on, self.counters = go_on, counters
        self.bound = bound_of(problem)
        self.score_cells = self._scoring()
        self.attributed: dict[bytes, FloatArray] = {}
        # What black boxes said about accepted cells, to see whether they say it again.
        self.by_models: dict[bytes, FloatArray] = {}
        self.by_detector: dict[bytes, float] = {}
        self.start = batch.placement.position[person].astype(np.int32)

    def paper_problem(self) -> PaperProblem:
        """Write the problem in the symbols of the paper."""
        problem = self.problem
        axes = len(problem.grid.names)
        features = self._order()
        detector = problem.judges
        partial = None
        if detector is not None and problem.slots.detector is not None:
            largest = self._largest(problem.slots.detector)
            assert detector.score is not None
            reject_below = detector.score.reject_below

            def partial(cell: Int32Array, open_axes: IntArray) -> bool:
                return largest(cell, open_axes) < reject_below

        return PaperProblem(
            settings=self.settings,
            start=self.start,
            features=features,
            candidates=tuple(self._candidates(axis) for axis in features.tolist()),
            max_changes=axes if problem.max_changes is None else min(problem.max_changes, axes),
            evaluate=self._evaluate,
            costs=lambda cells: point_costs(cells, self.batch.tables, self.person),
            is_outlier=self._is_outlier,
            keeps_rules=self._keeps_rules,
            falls_short=self._bound(features),
            is_partial_outlier=partial,
        )

    def said_about(self, points: Int32Array) -> FloatArray:
        """Give what black boxes said about points, as `Found.said`: (points, black boxes)."""
        asked = [number for number, model in enumerate(self.problem.models) if model.is_black_box]
        columns = [[self.by_models[cell.tobytes()][number] for cell in points] for number in asked]
        if self.problem.judges is not None and self.problem.slots.detector is None:
            columns.append([self.by_detector[cell.tobytes()] for cell in points])
        return np.array(columns, dtype=np.float64).reshape(len(columns), len(points)).T

    def _order(self) -> IntArray:
        columns = self.problem.grid.columns
        if self.settings.order == "index":
            return np.argsort(columns, kind="stable")
        attributions = self.problem.attributions
        assert attributions is not None
        return np.argsort(-attributions.importance[columns], kind="stable")

    def _candidates(self, axis: int) -> Int32Array:
        """List Ā(i): what the person may go to, by distance from where they stand, which comes first."""
        placement, person = self.batch.placement, self.person
        places: Int32Array = np.arange(
            placement.lowest[person, axis], placement.highest[person, axis] + 1, dtype=np.int32
        )
        values = placement.values[person, axis, places]
        with np.errstate(invalid="ignore"):  # a missing value is -inf
            distance = np.nan_to_num(np.abs(values - placement.current[person, axis]), nan=np.inf)
        distance[places == placement.position[person, axis]] = -1.0
        nearest: Int32Array = places[np.argsort(distance, kind="stable")]
        return nearest

    def _rows(self, cells: Int32Array) -> FloatArray:
        return self.batch.rows(self.problem, np.full(len(cells), self.person), cells)

    def _scoring(self) -> Cells:
        """Give f of cells on the reported scale, and whether it reaches τ."""
        problem, parsed = self.problem, parsed_of(self.problem.models)
        if parsed is None:

            def by_model(cells: Int32Array) -> tuple[FloatArray, BoolArray]:
                scored = score_frame(problem, problem.frame(self._rows(cells)))
                for at in np.flatnonzero(scored.accepted).tolist():
                    self.by_models[cells[at].tobytes()] = scored.each[:, at]
                return scored.scores, scored.accepted

            return by_model
        score, report = parsed
        if isinstance(score, CompiledScore):
            slot = problem.slots.models[0][0]
            assert slot is not None

            def compiled(cells: Int32Array) -> tuple[FloatArray, BoolArray]:
                owner = np.full(len(cells), self.person)
                values = compiled_scores(problem, self.batch.people, slot, owner, cells)
                return report(values), np.asarray(values >= score.reject_below)

            return compiled
        columns = problem.columns_of(problem.model)

        def outside(cells: Int32Array) -> tuple[FloatArray, BoolArray]:
            verdict, values = score.judge_rows(self._rows(cells)[:, columns])
            return report(values), np.asarray(verdict != REJECT)

        return outside

    def _evaluate(self, cells: Int32Array) -> tuple[FloatArray, BoolArray]:
        values, reaches = self._at_least(cells)
        if self.settings.as_printed and self.settings.plausible:  # line 5 of Alg. 2
            reaches = reaches & (values > self.problem.threshold)
        return values, reaches

    def _at_least(self, cells: Int32Array) -> tuple[FloatArray, BoolArray]:
        from p2ce.solver.counters import SCORED, WORK

        self.go_on()
        if not len(cells):
            return np.zeros(0), np.zeros(0, dtype=np.bool_)
        self.counters[SCORED] += len(cells)
        self.counters[WORK] += CELL_WORK * len(cells)
        return self.score_cells(cells)

    def _keeps_rules(self, cell: Int32Array) -> bool:
        if tuple(cell.tolist()) in self.banned or (cell == self.start).all():
            return False
        if not self.problem.rules:
            return True
        rows = self._rows(cell[None])
        kept = kept_rows(self.problem, self.batch.values[[self.person]], rows, self.problem.frame(rows))
        return bool(kept.allowed[0])

    def _is_outlier(self, cell: Int32Array) -> bool:
        detector, slot = self.problem.judges, self.problem.slots.detector
        if detector is None:
            return False
        if slot is not None:
            assert detector.score is not None
            owner = np.array([self.person])
            value = compiled_scores(self.problem, self.batch.people, slot, owner, cell[None])[0]
            return bool(value < detector.score.reject_below)
        assert detector.ask is not None, "a detector without a compiled score is called"
        said = float(ask(detector.ask, self.problem.frame(self._rows(cell[None])), "detector")[0])
        self.by_detector[cell.tobytes()] = said
        return said < 0.0

    def _largest(self, slot: int) -> Callable[[Int32Array, IntArray], float]:
        """Give the largest score of a forest that is left when some axes are open."""
        from p2ce.scores.tree_kernels import largest_sum

        score = self.problem.scores[slot]
        forest = score.forest
        if forest is None:
            return lambda cell, open_axes: np.inf  # noqa: ARG005
        best = np.empty(len(forest.value))
        is_open = np.zeros(score.column_count, dtype=np.bool_)

        def largest(cell: Int32Array, open_axes: IntArray) -> float:
            is_open[:] = False
            is_open[self.problem.grid.columns[open_axes]] = True
            seen = np.ascontiguousarray(score.see(self._rows(cell[None]))[0])
            return float(
                largest_sum(
                    forest.root,
                    forest.feature,
                    forest.threshold,
                    forest.right,
                    forest.value,
                    score.offset,
                    seen,
                    is_open,
                    best,
                )
            )

        return largest

    def _bound(self, features: IntArray) -> Callable[[Node], bool]:
        """Give the test f̄ < τ."""
        if self.bound == "tree":
            slot = self.problem.slots.models[0][0]
            assert slot is not None
            largest, reject_below = self._largest(slot), self.problem.scores[slot].reject_below
            return lambda node: largest(node.cell, features[node.i :]) < reject_below
        if self.bound == "monotone":
            best = self._best_cell()

            def short_at_corner(node: Node) -> bool:
                corner = node.cell.copy()
                corner[features[node.i :]] = best[features[node.i :]]
                return not self._at_least(corner[None])[1][0]

            return short_at_corner
        if self.bound == "shap":
            return lambda node: self._estimate(node, features[node.i :]) < self.problem.threshold
        return lambda node: False  # noqa: ARG005

    def _best_cell(self) -> Int32Array:
        """Find the candidate of each axis that adds most to an additive score."""
        slot = self.problem.slots.models[0][0]
        assert slot is not None
        score = self.problem.scores[slot]
        assert score.weights is not None
        best: Int32Array = self.start.copy()
        for axis, column in enumerate(self.problem.grid.columns.tolist()):
            places = self._candidates(axis)
            cells = np.repeat(self.start[None], len(places), axis=0)
            cells[:, axis] = places
            adds = score.weights[column] * score.see(self._rows(cells))[:, column]
            best[axis] = places[int(np.argmax(adds))]
        return best

    def _estimate(self, node: Node, open_axes: IntArray) -> float:
        attributions = self.problem.attributions
        assert attributions is not None
        columns = self.problem.grid.columns
        cell = node.cell if self.settings.at == "partial" else self.start
        key = cell.tobytes()
        phi = self.attributed.get(key)
        if phi is None:
            self.go_on()
            phi = attributions.attributor.explain(self._rows(cell[None]))[0, columns]
            self.attributed[key] = phi
        left = self._most - node.changes
        return shap_maximum(
            node.value, phi[open_axes], attributions.largest[columns[open_axes]], left, self.settings
        )

    @property
    def _most(self) -> int:
        axes = len(self.problem.grid.names)
        return axes if self.problem.max_changes is None else min(self.problem.max_changes, axes)
