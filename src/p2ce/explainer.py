"""Wire the stages together: the one class through which everything is asked."""

import logging
import os
import pickle
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from p2ce.archive import arguments_to_save, own_copy, save
from p2ce.arrays import FloatArray
from p2ce.compilation.compiled_problem import Problem, read_for, shaped_for
from p2ce.compilation.encode import People, read_row, read_table
from p2ce.compilation.grouped_features import settle_groups
from p2ce.detectors.parse_detector import IsolationForest
from p2ce.errors import P2CEError
from p2ce.estimates.native import Parsed
from p2ce.estimates.shap_estimate import ShapEstimate
from p2ce.explain.build_explanation import build_explanation
from p2ce.explain.candidate_errors import require_candidates
from p2ce.explain.check_arguments import (
    AS_ASKED,
    check_jobs,
    check_limit,
    check_listener,
    check_size,
    check_time,
)
from p2ce.explain.check_proposal import judge, read_proposal
from p2ce.explain.compile_arguments import Arguments, read_arguments
from p2ce.explain.describe_model import facts_of
from p2ce.explain.describe_problem import asked_with
from p2ce.explain.evaluation_budget import look_first, with_needed_estimate
from p2ce.explain.explain_batch import Answers, answer_people, compile_kernels
from p2ce.explain.explain_many import answer_many
from p2ce.explain.finest_grid import answer_with_finest
from p2ce.explain.fit_estimate import ask_rows, parsed_of
from p2ce.explain.infeasibility import why_none
from p2ce.explain.map_two_features import map_of
from p2ce.explain.processes import pack, warm_processes
from p2ce.explain.reparse import read_again
from p2ce.explain.restrictions import ends_of
from p2ce.explain.same_problem import limit_explained, require_same_question
from p2ce.explain.slow_steps import telling
from p2ce.explain.trust import Trust
from p2ce.objectives import Objective
from p2ce.paper.methods import Mapocam
from p2ce.problem.actions import ActionSet
from p2ce.result import Explanation, Explanations, FeatureMap, ModelFacts, Question, WhyNone
from p2ce.result.judgement import Judgement
from p2ce.solver.engine import Listener, kernels_are_loaded
from p2ce.tables.codebook import MISSING

log = logging.getLogger("p2ce")

KEPT_ROWS = 4096
DEFAULT_OBJECTIVES = ("mean_distance", "max_distance", "changes")


class Explainer:
    """Answers, for people whom a model refuses, what they could change to be accepted.

    Args:
        model: a fitted model, or anything that scores rows: an object with `predict_proba` or
            `decision_function`, a PyTorch module, a function of a frame or array. Trees, linear models and
            networks are read and proven by bounds, others are asked (see the README). A list of models
            means that all of them have to accept.
        reference: the population, a table with the model's columns: pandas, polars, Arrow, a structured
            array or a dict of columns. Distances, the default action set and the isolation forest are made
            from it. Columns hold numbers, bools, text or categories, and may have missing values.
        actions: what each feature may do; by default `ActionSet.infer(reference)`.
        target: the wanted class, or for a regressor the wanted range (low, high). Without it, class 1 is
            wanted, and a warning is logged where that looks like the unwanted one.
        threshold: by default the model's own (scikit-learn's threshold classifiers), else 0.5 for
            probabilities, 0 for decision functions; reached means `>=`. One class of more than two has to
            win, unless a threshold is given. With several models, one for all or a list with one for each.
        scale: "probability" or "decision" where a model offers both, by default probabilities.
        margin: how far beyond its threshold every score has to be, on the scale that the model reports.
        objectives: names or `Objective` objects, at least one.
        max_changes: how many features may change at once; None for no limit.
        plausibility: `p2ce.IsolationForest(...)`, any fitted detector, a function that gives 0 or more to
            plausible rows, or None. A search asks it only about what the model accepts.
        contamination: the share of the reference that counts as implausible: sets the threshold of any
            detector from the reference, without touching the detector.
        method: "exact", or one of the paper's algorithms, literal: "p2ce", "p2ce-ablation", "mapocam", or
            `p2ce.paper.P2CE(...)` and `p2ce.paper.Mapocam(...)` with settings.
        ties: keep alternatives of equal cost as well.
        bound: "auto" prunes by proven bounds of the scores, and asks a model that has none about every cell
            that may matter, or falls back on "shap" (and says so) where that takes too many evaluations;
            "none" prunes by cost alone; "shap" (or a `p2ce.ShapEstimate`) asks any model and prunes by a
            calibrated estimate too.
        random_state: seeds the isolation forest and the estimate.

    Making one asks a black-box model some ten times about at most a few thousand rows, and once more for each
    column in which values may be missing.

    >>> import pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> people = pd.DataFrame({"Income": [10, 20, 30, 40], "Debts": [3, 1, 2, 0]})
    >>> model = DecisionTreeClassifier().fit(people, [0, 0, 1, 1])
    >>> explainer = Explainer(model, people, plausibility=None)
    >>> explainer.explain({"Income": 20, "Debts": 1}).to_frame()[["Income", "Debts", "changes"]]
       Income  Debts  changes
    0      26      1      1.0
    """

    def __init__(
        self,
        model: Any,
        reference: Any,
        *,
        actions: ActionSet | None = None,
        target: Any = None,
        threshold: float | Sequence[float | None] | None = None,
        margin: float = 0.0,
        scale: str | None = None,
        objectives: str | Objective | Sequence[str | Objective] = DEFAULT_OBJECTIVES,
        max_changes: int | None = 3,
        plausibility: Any = IsolationForest(),  # noqa: B008 - frozen
        contamination: float | None = None,
        method: str | Mapocam = "exact",
        ties: bool = False,
        bound: str | ShapEstimate = "auto",
        random_state: int | None = 0,
    ) -> None:
        self._arguments = Arguments(
            actions=actions,
            target=target,
            threshold=threshold,
            margin=margin,
            scale=scale,
            objectives=objectives,
            max_changes=max_changes,
            plausibility=plausibility,
            contamination=contamination,
            method=method,
            ties=ties,
            bound=bound,
            random_state=random_state,
        )
        read = read_arguments(model, reference, self._arguments)
        self._model, self._kind, self._parse_models = model, read.kind, read.parse_models
        self._people = own_copy(read.reference, read.kind)  # all of them, for save() and for one-hot groups
        self._settled = read.settled
        # Enough to read the model again; a copy, since the caller's frame may change later.
        kept = slice(None, None, max(1, len(read.values) // KEPT_ROWS))
        self._reference, self._rows = read.reference.iloc[kept].copy(), read.values[kept].copy()
        self._ends = ends_of(read.values)
        self._trust = Trust()
        self._ready = threading.Lock()
        self._asked_for: Problem | None = None  # the question as it was before it was made ready
        self._told: tuple[ActionSet, Question] | None = None  # other actions that were asked about last
        self._problem = read.problem
        self._refused = look_first(self._problem, self._rows)
        require_candidates(self._problem, self._rows[0])

    @property
    def actions(self) -> ActionSet:
        """What each feature may do."""
        return self._problem.actions

    @property
    def threshold(self) -> float:
        """What the model's score has to reach."""
        return self._problem.threshold

    def explain(
        self,
        row: Any,
        *,
        actions: ActionSet | None = None,
        max_changes: int | str | None = AS_ASKED,
        time_limit: float | None = None,
        listener: Listener | None = None,
    ) -> Explanation:
        """Find every Pareto-optimal, plausible way for one person.

        Args:
            row: the person: a Series, a one-row frame or a dict, by name, or an array in the model's order.
            actions: an action set for this person only.
            max_changes: another limit for this person only.
            time_limit: seconds; the answer then holds what was found and says what is open. A call of the
                model that has begun is waited for: it takes the limit and one call more at most, as long as
                calls take alike (one more for a detector that is asked, and for a predicted number).
                Getting ready (compiling, calibrating an estimate) does not count; `warm_up()` does it ahead.
            listener: called with a `Progress` now and then; answering False stops the search.
        """
        problem = self._problem_for(actions, max_changes)
        people = read_row(row, problem.codebook, kind=self._kind)
        check_time(time_limit)
        check_listener(listener)
        problem = self._within_reach(self._made_ready(problem), people.values)
        answers = answer_with_finest(problem, people.values, time_limit=time_limit, listener=listener)
        return self._built(problem, people, answers)

    def why_none(
        self, explanation: Explanation, *, actions: ActionSet | None = None, time_limit: float | None = None
    ) -> WhyNone:
        """Find the smallest sets of restrictions without which a person with NO_RECOURSE has an option.

        ``actions`` are those given to `explain`, if any; ``time_limit`` is in seconds for all of it.
        """
        problem = self._question_of(explanation, actions, call="why_none")
        if problem.method is not None:
            problem = self._made_ready(problem)
        return why_none(problem, explanation, self._answer, ends=self._ends, time_limit=time_limit)

    def explain_many(
        self, frame: Any, *, n_jobs: int = 1, progress: bool = False, time_limit: float | None = None
    ) -> Explanations:
        """Explain every row of a frame, in its order.

        A row that cannot be read, or about which the model cannot be asked, gives an entry of its own with
        status ERROR and the reason; the others go on. A black-box model that fails is asked up to three
        times. A process that is killed is replaced, and the person who kills every one is named.
        Interrupting (Ctrl-C) keeps what is done.

        Args:
            frame: the people, one per row.
            n_jobs: processes; -1 for one per core.
            progress: show a bar on stderr.
            time_limit: seconds for each person, as in `explain`; a batch shares the calls of the model.
        """
        check_time(time_limit)
        check_jobs(n_jobs)
        people = read_table(frame, self._problem.codebook)
        problem = self._made_ready(self._problem)
        # What is missing in anyone is read for all at once; a model that refuses it fails these people only.
        lacking = (people.values == MISSING).any(axis=0)
        with suppress(P2CEError):
            problem = self._read_again(problem, np.where(lacking, MISSING, 0.0)[None, :])
        return answer_many(
            problem,
            lambda values: self._within_reach(problem, values),
            people,
            n_jobs=n_jobs,
            progress=progress,
            time_limit=time_limit,
            trust=self._trust,
        )

    def check(
        self,
        row: Any,
        proposal: Any,
        *,
        explanation: Explanation | None = None,
        actions: ActionSet | None = None,
    ) -> Judgement:
        """Judge a proposal that somebody else made for a person.

        ``proposal`` is a whole row, or a dict of the changed columns only. With the person's ``explanation``
        the judgement lists the options that beat it, and the limit of changes is that of the explanation.
        ``actions`` are those given to `explain`, if any.
        """
        problem = self._problem_for(actions, AS_ASKED)
        if explanation is not None:
            problem = self._question_of(explanation, actions, call="check")
        before, after = read_proposal(problem, row, proposal, explanation)
        both = np.concatenate([before.values, after.values])
        return judge(self._within_reach(problem, both), before, after, explanation)

    def map_of(
        self,
        explanation: Explanation,
        across: str,
        up: str,
        *,
        size: int = 60,
        actions: ActionSet | None = None,
    ) -> FeatureMap:
        """Judge a person with two features at all values, and everything else as it is, for `plot_map`.

        ``size`` is the number of values looked at on each axis; the model is asked about all pairs.
        ``actions`` are those given to `explain`, if any.
        """
        check_size(size)
        problem = self._question_of(explanation, actions, call="map_of")
        person = read_row(explanation.person, problem.codebook)
        problem = self._within_reach(problem, person.values)
        return map_of(problem, explanation, person.values, (across, up), population=self._rows, size=size)

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Keep everything but the model in one file, which `p2ce.load(path, model)` reads.

        It holds plain parts only (JSON, YAML, arrays), so that reading it runs no code. The whole reference
        is in it: treat it like the data. Objectives and detectors of your own are given again when loading.
        """
        asked = arguments_to_save(
            self._arguments, model=self._model, reference=self._people, kind=self._kind, problem=self._problem
        )
        save(path, asked, self._problem, self._rows)

    def describe(self) -> ModelFacts:
        """Say what the model is read as, by what answers are proven, and how large the grid is."""
        return facts_of(self._problem)

    def score(self, people: Any) -> FloatArray:
        """Give each person's score as answers report it; NaN for a row that cannot be read."""
        read = read_table(people, self._problem.codebook)
        readable = np.array([place not in read.problems for place in range(len(read))], dtype=np.bool_)
        scores = np.full(len(read), np.nan)
        if readable.any():
            scores[readable] = ask_rows(self._problem)(read.values[readable])
        return scores

    def warm_up(self, *, n_jobs: int = 1) -> None:
        """Get ready ahead of time: compile, and make the estimate if one is needed.

        With several jobs, also start and warm their processes.
        """
        check_jobs(n_jobs)
        problem = self._made_ready(self._problem)
        somebody = self._somebody(problem)
        compile_kernels(*somebody)
        if n_jobs != 1:
            warm_processes(*somebody, n_jobs)

    def _somebody(self, problem: Problem) -> tuple[Problem, FloatArray]:
        row = self._rows[:1]
        return (problem if shaped_for(problem, row).all() else problem.for_person(row[0])), row

    def _made_ready(self, problem: Problem) -> Problem:
        """Compile before any clock runs, and make the estimate where one is needed; neither in silence."""
        with self._ready:
            if problem.method is None and not kernels_are_loaded(in_waves=problem.in_waves):
                with telling("Compiling the search: up to half a minute, once for each kind of model."):
                    compile_kernels(*self._somebody(problem))
            if problem is self._asked_for:  # got ready before, or by somebody else meanwhile
                return self._problem
            if problem.estimate is not None or problem.attributions is not None:
                return problem
            if self._problem.attributions is not None:  # they speak of columns, whatever may change
                return replace(problem, attributions=self._problem.attributions)
            made = with_needed_estimate(
                problem,
                self._arguments,
                parse=self._parsed,
                reference=self._rows,
                refused=self._refused,
            )
            if made.method is not None:
                compile_kernels(*self._somebody(made))
            if problem is self._problem:
                self._asked_for, self._problem = problem, made
            return made

    def _parsed(self) -> Parsed | None:
        """Parse the model even where it is searched as a black box: SHAP values then need no evaluations."""
        try:
            models = self._parse_models(
                reference=self._reference, may_miss=self._problem.may_miss, opaque=False
            )
        except P2CEError:
            return None
        return parsed_of(models)

    def __reduce__(self) -> tuple[Any, ...]:
        # Readings hold closures, which plain pickle refuses, and nothing can pickle a lock.
        return _unpacked, (pack({name: part for name, part in self.__dict__.items() if name != "_ready"}),)

    def __repr__(self) -> str:
        problem = self._problem
        return (
            f"<Explainer of {problem.family}: {len(problem.grid.names)} of {len(problem.names)} features may "
            f"change, method {problem.method_name!r}>"
        )

    def _problem_for(self, actions: ActionSet | None, max_changes: int | str | None) -> Problem:
        problem = self._problem
        if actions is not None:
            question = problem.question
            settled = settle_groups(actions, problem.codebook, self._people, self._settled)
            problem = replace(problem, estimate=None).with_actions(settled)
            told = self._told
            if told is None or told[0] is not actions:  # writing a policy down takes milliseconds
                assert question is not None
                told = self._told = actions, asked_with(question, settled, problem.searched)
            problem = replace(problem, question=told[1])
        if isinstance(max_changes, str) and max_changes == AS_ASKED:
            return problem
        check_limit(max_changes)
        assert not isinstance(max_changes, str)
        return problem if max_changes == problem.max_changes else problem.with_limit(max_changes)

    def _question_of(self, explanation: Explanation, actions: ActionSet | None, *, call: str) -> Problem:
        """Ask again what an explanation answers, and refuse one that answers something else."""
        problem = self._problem_for(actions, limit_explained(explanation, call=call))
        require_same_question(problem, explanation)
        return problem

    def _answer(
        self,
        problem: Problem,
        people: People,
        limit: float | None,
        most_work: int | None,
        listener: Listener | None,
    ) -> tuple[Explanation, int]:
        """Answer for one person on the question's own grid; also give the work that the search took."""
        problem = self._within_reach(problem, people.values)
        answers = answer_people(
            problem, people.values, time_limit=limit, most_work=most_work, listener=listener
        )
        return self._built(problem, people, answers), int(answers.work[0])

    def _built(self, problem: Problem, people: People, answers: Answers) -> Explanation:
        self._trust.hear(answers)
        return build_explanation(problem, people, 0, self._trust.judge(answers), 0)

    def _within_reach(self, problem: Problem, values: FloatArray) -> Problem:
        """Make the question one that holds for people (n, d), of whom there is one where links are."""
        problem = self._read_again(problem, values)
        # What follows another feature follows it from where the person stands.
        return problem if shaped_for(problem, values).all() else problem.for_person(values[0])

    def _read_again(self, problem: Problem, values: FloatArray) -> Problem:
        if read_for(problem, values).all():
            return problem
        return read_again(problem, values, reference=self._reference, parse_models=self._parse_models)


def _unpacked(payload: bytes) -> Explainer:
    """Undo the pickling of an explainer."""
    explainer = object.__new__(Explainer)
    explainer.__dict__.update(pickle.loads(payload), _ready=threading.Lock())
    return explainer
