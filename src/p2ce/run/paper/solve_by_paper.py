"""Solve instances of a batch with one of the paper's algorithms, in the paper's symbols."""

import time
from collections.abc import Callable

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.base.calls.model_call import evaluate
from p2ce.base.visible import echoed
from p2ce.compile.batch import Batch, prove_cells
from p2ce.compile.compiled_problem import ParsedProblem, StatedProblem
from p2ce.compile.evaluate_rows import score_frame
from p2ce.compile.grouped_features import moves_as_one
from p2ce.compile.paper_settings import AS_PRINTED, P2CE, Mapocam
from p2ce.engine.scores.external import REJECT
from p2ce.engine.scores.score import Bound, FlatScore
from p2ce.engine.solver.branch_and_bound import CELL_WORK, Fronts, Listener, Progress
from p2ce.engine.solver.brute_force import front_of, point_costs
from p2ce.errors import InvalidArgument
from p2ce.models.estimates.attributions import Attributions, Attributor
from p2ce.models.estimates.link_scale import LinkScale
from p2ce.models.estimates.native import parsed_of
from p2ce.run.paper.algorithm_1 import mapocam
from p2ce.run.paper.algorithm_2 import p2ce
from p2ce.run.paper.maximum import shap_maximum
from p2ce.run.paper.paper_problem import BOUND, DOMINATED, OUTLIER, TOO_MANY, Node, PaperProblem, PaperSearch
from p2ce.run.verify.constraints import check_constraints

# The bounds by their names in the settings, and the kinds of model that they need.
BOUNDS = {"shap": Bound.SHAP_PAPER, "tree": Bound.TREE_LEAVES, "monotone": Bound.ADDITIVE, None: Bound.NONE}
NEEDS = {Bound.TREE_LEAVES: "a tree ensemble", Bound.ADDITIVE: "a linear model"}


def settings_of(problem: StatedProblem) -> Mapocam:
    """Return the settings of the algorithm that solves a problem."""
    assert isinstance(problem.method, Mapocam), "only the algorithms of the paper come here"
    return problem.method


def paper_bound(problem: ParsedProblem) -> Bound:
    """Return the bound with which an algorithm of the paper prunes.

    A model can be a black box for one instance, if it has a label that is not in the reference. Then there
    is no proven bound.
    """
    settings = settings_of(problem)
    parsed = parsed_of(problem.models)
    own = Bound.NONE if parsed is None or parsed.score.flat is None else parsed.score.bound
    if settings.bound == "auto":
        if own is Bound.ADDITIVE:
            return own
        if settings.plausible:
            return Bound.SHAP_PAPER
        return own if own is Bound.TREE_LEAVES else Bound.NONE
    chosen = BOUNDS[settings.bound]
    return Bound.NONE if chosen in NEEDS and chosen is not own else chosen


def check_paper(problem: ParsedProblem, *, bound: object) -> None:
    """Raise for settings that the paper's algorithms do not support."""
    settings = settings_of(problem)
    if bound != "auto":
        raise InvalidArgument(
            f"bound={echoed(bound)} is a setting of the exact search. For the paper's algorithms, pass the "
            f"bound to the method: method={type(settings).__name__}(bound=...)."
        )
    if problem.keep_ties:
        raise InvalidArgument(
            "ties=True needs method='exact': the paper's algorithms prune points of equal cost."
        )
    require_single_features(problem)
    if settings.bound != "auto" and paper_bound(problem) is not BOUNDS[settings.bound]:
        raise InvalidArgument(
            f'bound="{settings.bound}" needs {NEEDS[BOUNDS[settings.bound]]} that is supported natively, but '
            f'the model is {problem.family}. Pass bound="shap" or bound=None.'
        )


def require_single_features(problem: StatedProblem) -> None:
    """Raise for grouped features, which neither the listings nor their bounds support."""
    if moves_as_one(problem.policy):
        raise InvalidArgument(
            "The paper's algorithms change one feature at a time, so they do not support linked() or "
            "one_hot(). Use method='exact', or remove these rules."
        )


def fit_attributions(
    problem: ParsedProblem,
    *,
    score: Callable[[FloatArray], FloatArray],
    reference: FloatArray,
    random_state: int | None,
) -> Attributions | None:
    """Compute the SHAP values that the algorithm needs; None if it needs none."""
    settings = settings_of(problem)
    if paper_bound(problem) is not Bound.SHAP_PAPER and settings.order != "importance":
        return None
    attributor = Attributor(
        settings, parsed_of(problem.models), score, reference, problem.names, random_state, LinkScale.IDENTITY
    )
    known = attributor.explain(attributor.background)
    return Attributions(
        attributor=attributor, largest=known.max(axis=0), importance=np.abs(known).mean(axis=0)
    )


class _Stopped(Exception):
    """The instance's time or work is used up, or the listener returned False."""


def solve_by_paper(
    batch: Batch,
    who: IntArray,
    limits: FloatArray | None,
    most_work: IntArray | None,
    listener: Listener | None,
) -> Fronts:
    """Run one of the paper's algorithms on some instances of a batch.

    If the search of an instance is stopped, its points so far are kept. As printed, an algorithm also returns
    points that are dominated or have one change too many. Such points prune others, but are not shown.
    """
    from p2ce.engine.solver.fronts import ATTRIBUTED, BOXES, COUNTERS, ESTIMATE, EXTERNAL, SCORED, WORK
    from p2ce.engine.solver.fronts import BOUND as BY_SCORE
    from p2ce.engine.solver.fronts import DOMINATED as BY_COST
    from p2ce.engine.solver.fronts import TOO_MANY as MANY

    problem = batch.problem
    settings = settings_of(problem)
    require_single_features(problem)  # the policy of a call was not checked by the constructor
    algorithm = p2ce if settings.plausible else mapocam
    counters = np.zeros((len(who), COUNTERS), dtype=np.int64)
    finished = np.ones(len(who), dtype=np.bool_)
    seconds = np.zeros(len(who))
    fronts: list[Int32Array] = []
    recorded: list[dict[int, FloatArray]] = []
    begin = time.perf_counter()
    stopped = False
    for at, number in enumerate(who.tolist()):
        start = time.perf_counter()
        until = np.inf if limits is None else start + float(limits[at])
        most = np.inf if most_work is None else float(most_work[at])
        record = PaperSearch(as_printed=settings.errata == AS_PRINTED)

        def go_on(
            at: int = at, until: float = until, most: float = most, record: PaperSearch = record
        ) -> None:
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

        instance = _Instance(batch, number, go_on, counters[at])
        try:
            algorithm(instance.paper_problem(), record)
        except _Stopped:
            finished[at] = False
            counters[at, SCORED] = max(counters[at, SCORED], 1)  # something was evaluated
        fronts.append(instance.front(record))
        recorded.append(instance.recorded_at(fronts[-1]))
        counters[at, [BOXES, BY_COST, MANY]] = (
            record.visited,
            record.pruned[DOMINATED],
            record.pruned[TOO_MANY],
        )
        counters[at, ESTIMATE if instance.bound is Bound.SHAP_PAPER else EXTERNAL] = record.pruned[BOUND]
        if problem.flat_detector is not None:
            counters[at, BY_SCORE + problem.flat_detector] = record.pruned[OUTLIER]
        counters[at, ATTRIBUTED] = len(instance.attributed)
        seconds[at] = time.perf_counter() - start
    return Fronts(
        points=np.concatenate([*fronts, np.zeros((0, problem.grid.axis_count), dtype=np.int32)]),
        first=np.cumsum([0, *map(len, fronts)], dtype=np.int64),
        counters=counters,
        finished=finished,
        open_boxes=(~finished).astype(np.int64),
        open_totals=np.zeros((len(who), len(problem.objectives))),
        seconds=seconds,
        stopped=stopped,
        recorded={
            number: np.concatenate([one[number] for one in recorded])
            for number, one in enumerate(problem.requirements)
            if one.is_recorded
        },
    )


class _Instance:
    """One instance of a batch, in the form that the algorithms need."""

    def __init__(self, batch: Batch, number: int, go_on: Callable[[], None], counters: IntArray) -> None:
        problem = batch.problem
        self.problem, self.batch, self.number = problem, batch, number
        self.settings = settings_of(problem)
        mine = slice(*batch.instances.first_excluded[number : number + 2].tolist())
        self.excluded = {tuple(cell[:-1]) for cell in batch.instances.excluded[mine].tolist()}
        self.go_on, self.counters = go_on, counters
        self.bound = paper_bound(problem)
        self.parsed = parsed_of(problem.models)
        axes = problem.grid.axis_count
        self.max_changes = axes if problem.max_changes is None else min(problem.max_changes, axes)
        self.attributed: dict[bytes, FloatArray] = {}
        # The values of black boxes for accepted cells, to check that verification repeats them.
        self.by_models: dict[bytes, FloatArray] = {}
        self.by_detector: dict[bytes, float] = {}
        self.start = batch.placement.position[number].astype(np.int32)

    def paper_problem(self) -> PaperProblem:
        """Return the problem in the symbols of the paper."""
        features = self._order()
        return PaperProblem(
            settings=self.settings,
            start=self.start,
            features=features,
            candidates=tuple(self._candidates(axis) for axis in features.tolist()),
            max_changes=self.max_changes,
            evaluate=self._evaluate,
            costs=lambda cells: point_costs(cells, self.batch.tables, self.number),
            is_outlier=self._is_outlier,
            keeps_rules=self._keeps_rules,
            falls_short=self._falls_short(features),
            is_partial_outlier=self._partial_outlier(),
        )

    def front(self, record: PaperSearch) -> Int32Array:
        """Return the points of S that are allowed and not dominated, one for each cost."""
        cells = [node.cell for node in record.solutions if 0 < node.changes <= self.max_changes]
        points = np.array(cells, dtype=np.int32).reshape(len(cells), len(self.start))
        return front_of(points, self.batch.tables, self.batch.placement, self.number)

    def recorded_at(self, points: Int32Array) -> dict[int, FloatArray]:
        """Return the values of black boxes at points, as `Fronts.recorded`."""
        found = {}
        for number, one in enumerate(self.problem.requirements):
            if one.is_recorded:
                keys = [cell.tobytes() for cell in points]
                if one.model is None:
                    values = [self.by_detector[key] for key in keys]
                else:
                    values = [self.by_models[key][one.model] for key in keys]
                found[number] = np.array(values, dtype=np.float64)
        return found

    def _order(self) -> IntArray:
        columns = self.problem.grid.columns
        if self.settings.order == "index":
            return np.argsort(columns, kind="stable")
        attributions = self.problem.attributions
        assert attributions is not None
        return np.argsort(-attributions.importance[columns], kind="stable")

    def _candidates(self, axis: int) -> Int32Array:
        """List Ā(i): the candidates by distance from the instance's current value, which comes first."""
        placement, number = self.batch.placement, self.number
        places: Int32Array = np.arange(
            placement.lowest[number, axis], placement.highest[number, axis] + 1, dtype=np.int32
        )
        values = placement.values[number, axis, places]
        with np.errstate(invalid="ignore"):  # a missing value is -inf
            distance = np.nan_to_num(np.abs(values - placement.current[number, axis]), nan=np.inf)
        distance[places == placement.position[number, axis]] = -1.0
        nearest: Int32Array = places[np.argsort(distance, kind="stable")]
        return nearest

    def _me(self, cells: Int32Array) -> IntArray:
        return np.full(len(cells), self.number)

    def _rows(self, cells: Int32Array) -> FloatArray:
        return self.batch.rows(self._me(cells), cells)

    def _evaluate(self, cells: Int32Array) -> tuple[FloatArray, BoolArray]:
        values, reaches = self._at_least(cells)
        if self.settings.errata == AS_PRINTED and self.settings.plausible:  # line 5 of Alg. 2
            reaches = reaches & (values > self.problem.threshold)
        return values, reaches

    def _at_least(self, cells: Int32Array) -> tuple[FloatArray, BoolArray]:
        """Return f at cells on the reported scale, and whether it reaches τ."""
        from p2ce.engine.solver.fronts import SCORED, WORK

        self.go_on()
        if not len(cells):
            return np.zeros(0), np.zeros(0, dtype=np.bool_)
        self.counters[SCORED] += len(cells)
        self.counters[WORK] += CELL_WORK * len(cells)
        if self.parsed is not None:
            proof = prove_cells(self.batch, 0, self._me(cells), cells)
            return self.parsed.report(proof.value), proof.verdict != REJECT
        scored = score_frame(self.problem, self.problem.frame(self._rows(cells)))
        for at in np.flatnonzero(scored.accepted).tolist():
            self.by_models[cells[at].tobytes()] = scored.each[:, at]
        return scored.scores, scored.accepted

    def _keeps_rules(self, cell: Int32Array) -> bool:
        if tuple(cell.tolist()) in self.excluded or (cell == self.start).all():
            return False
        if not self.problem.rules:
            return True
        rows = self._rows(cell[None])
        before = self.batch.values[[self.number]]
        return bool(check_constraints(self.problem, before, rows, self.problem.frame(rows)).allowed[0])

    def _is_outlier(self, cell: Int32Array) -> bool:
        detector = self.problem.required_detector
        if detector is None:
            return False
        if self.problem.flat_detector is not None:
            prepared = self.batch.scores[self.problem.flat_detector]
            return bool(prepared.prove(self._me(cell[None]), cell[None]).verdict[0] == REJECT)
        assert not detector.is_its_score, "a detector without a flat score must be evaluated"
        value = float(evaluate(detector.evaluate, self.problem.frame(self._rows(cell[None])))[0])
        self.by_detector[cell.tobytes()] = value
        return value < 0.0

    def _partial_outlier(self) -> Callable[[Int32Array, IntArray], bool] | None:
        """Return the test u(x̃) = 1 with some axes open; None if it is off, or there is no flat score."""
        tests = isinstance(self.settings, P2CE) and self.settings.partial_plausibility
        if self.problem.flat_detector is None or not tests:
            return None
        score = self._flat(self.problem.flat_detector)
        largest = self._largest(score)
        return lambda cell, open_axes: largest(cell, open_axes) < score.reject_below

    def _flat(self, number: int) -> FlatScore:
        flat = self.problem.requirements[number].score.flat
        assert flat is not None
        return flat

    def _largest(self, score: FlatScore) -> Callable[[Int32Array, IntArray], float]:
        """Return a function for the largest score that a forest can reach when some axes are open."""
        from p2ce.engine.scores.flat.tree_kernels import largest_sum

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

    def _falls_short(self, features: IntArray) -> Callable[[Node], bool]:
        """Return the test f̄ < τ."""
        if self.bound is Bound.SHAP_PAPER:
            return lambda node: self._estimate(node, features[node.i :]) < self.problem.threshold
        if self.bound is Bound.NONE:
            return lambda node: False  # noqa: ARG005
        score = self._flat(self.problem.model_scores[0][0])
        if self.bound is Bound.TREE_LEAVES:
            largest = self._largest(score)
            return lambda node: largest(node.cell, features[node.i :]) < score.reject_below
        best = self._best_cell(score)

        def short_at_corner(node: Node) -> bool:
            corner = node.cell.copy()
            corner[features[node.i :]] = best[features[node.i :]]
            return not self._at_least(corner[None])[1][0]

        return short_at_corner

    def _best_cell(self, score: FlatScore) -> Int32Array:
        """Return the candidate of each axis that adds most to an additive score."""
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
        left = self.max_changes - node.changes
        return shap_maximum(
            node.value, phi[open_axes], attributions.largest[columns[open_axes]], left, self.settings
        )
