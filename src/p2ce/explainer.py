"""Compile a problem once, then explain any number of instances: the public `Explainer` class."""

import datetime
import os
import pickle
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.call_deadline import OutOfTime, no_calls_after
from p2ce.base.files import write_whole
from p2ce.base.limits import DEFAULT, Limits
from p2ce.base.visible import echoed
from p2ce.compile.archive import (
    SavedExplainer,
    archive_parts,
    arguments_to_save,
    read_objectives,
    read_saved,
    stated_objectives,
    zipped,
)
from p2ce.compile.arguments import Arguments
from p2ce.compile.check_arguments import (
    check_jobs,
    check_limit,
    check_size,
    check_time,
)
from p2ce.compile.compile_arguments import compile_arguments
from p2ce.compile.compiled_problem import Problem, parsed_for, shaped_for, within_reach
from p2ce.compile.encode import EncodedRows, encode_row, encode_table
from p2ce.compile.evaluate_rows import scoring_of
from p2ce.compile.override import OBJECTIVES, Override, compile_override, stated_policy
from p2ce.compile.own_plausibility import COUNTS, OfToday
from p2ce.compile.paper_settings import Mapocam
from p2ce.compile.remembered_overrides import RememberedOverrides
from p2ce.compile.reparse import parse_again
from p2ce.compile.unchanged import UNCHANGED, Unchanged
from p2ce.engine.kernels.kernel_cache import cache_use
from p2ce.engine.solver.branch_and_bound import Listener, Progress
from p2ce.errors import InvalidArgument, InvalidReference, InvalidTarget, ModelMismatch, P2CEError
from p2ce.models.detectors.plausibility_forest import PlausibilityForest
from p2ce.models.estimates.native import Parsed, parsed_of
from p2ce.models.estimates.shap_estimate import ShapEstimate
from p2ce.objectives.objective_names import Objectives, resolve, same_objectives
from p2ce.policy.policy import Policy
from p2ce.result import (
    Explanation,
    Explanations,
    FeatureMap,
    ModelFacts,
    ProblemRecord,
    Relaxations,
    SampledPrice,
)
from p2ce.result.evaluation import Evaluation
from p2ce.result.stated_date import stated_date
from p2ce.run.analysis.evaluate_proposal import encode_proposal, evaluate_proposal
from p2ce.run.analysis.infeasibility import relaxations
from p2ce.run.analysis.map_two_features import feature_map
from p2ce.run.analysis.relaxations_many import relaxations_many
from p2ce.run.analysis.same_problem import limit_explained, require_same_model, require_same_problem
from p2ce.run.build_explanation import build_explanation
from p2ce.run.compile_kernels import compile_kernels, is_ready, preparing_text
from p2ce.run.describe_model import facts_of
from p2ce.run.estimation.evaluation_budget import fits_into, with_needed_estimate
from p2ce.run.explain_batch import explain_batch
from p2ce.run.many.explain_many import explain_many
from p2ce.run.many.processes import pack, warm_processes
from p2ce.run.paper.solve_by_paper import check_paper
from p2ce.run.price_plausibility import bounded, rejected_rows, sampled_price
from p2ce.run.slow_steps import warn_if_slow
from p2ce.run.solve_batch import SearchLimits
from p2ce.run.time_limits import LimitClock, checked_limits
from p2ce.run.trust import Trust
from p2ce.run.unseen_categories import report_unseen
from p2ce.tables.codebook import MISSING

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DEFAULT_OBJECTIVES", "Explainer", "Listener", "Progress"]

DEFAULT_OBJECTIVES = ("mean_distance", "max_distance", "changes")


class Explainer:
    """Find everything a rejected applicant could change to be accepted.

    Args:
        model: A fitted model, or any object that scores rows: one with `predict_proba` or
            `decision_function`, a PyTorch module, or a function of a frame or array. Trees, linear models and
            networks are supported natively, and their proven bounds prune the search. All other models are
            black boxes. With a list of models, every model has to accept.
        reference: The population, also called background data: a table with the model's columns. It can be a
            pandas, polars or Arrow table, a structured array, or a dict of columns. Distances, the default
            policy and the plausibility forest are computed from it. Columns hold numbers, bools, text or
            categories. Values may be missing.
        policy: What may change, and how. The default is `Policy.infer(reference)`.
        target: The favourable class, or the wanted range ``(low, high)`` of a regressor. A classifier needs
            it, unless its classes ("good", "bad") or the name of ``y`` ("approved", "default") say which of
            two classes is favourable. A function needs none: its scores are those of the favourable outcome.
        y: The known outcomes of the reference, one for each row. Optional.
        threshold: The lowest score that is accepted. The default is the model's own threshold (scikit-learn's
            threshold classifiers), else 0.5 for probabilities and 0 for decision functions. Without a
            threshold, a model with more than two classes has to predict the target class. For several models,
            pass one threshold for all, or a list with one for each.
        margin: How far every score has to be beyond its threshold, on the scale that the model reports. The
            default is 0.
        scale: "probability" or "decision", for a model that offers both. The default is "probability".
        objectives: The costs to minimise: one or more names, or `Objective` objects. The default is
            "mean_distance", "max_distance" and "changes".
        max_changes: The largest number of features that may change at once. The default is 3. None means no
            limit.
        plausibility: How to decide whether an option is plausible: a forest to fit
            (`p2ce.PlausibilityForest`, or an unfitted scikit-learn `IsolationForest`), any fitted detector,
            or a function that returns 0 or more for plausible rows. It is called only for rows that the model
            accepts. The default is a `p2ce.PlausibilityForest`. None admits all rows.
        contamination: The share of the reference that counts as implausible. It sets the threshold of any
            detector, and does not modify the detector. If the forest states a share as well, both must be
            equal.
        plausibility_of_today: "counts" (the default) admits options that are plausible, or no less plausible
            than the person is today. "ignore" admits plausible options only, as the paper's algorithms do.
        price_of_plausibility: Whether to search a second time without plausibility, so every explanation
            states what plausibility costs. The second search can take as long as the first. The default is
            False. If plausibility leaves a person without an option, the price is stated in any case.
        method: "exact" (the default), or an algorithm of the paper, as printed or corrected:
            `p2ce.paper.P2CE(...)` or `p2ce.paper.Mapocam(...)`.
        ties: Whether to keep all options of equal cost. The default, False, keeps one of them.
        refine: Whether to try values between inferred candidates, close to the options, and keep those that
            cost less. `Certificate.refined` counts the rows tried. Trees do not need it: their candidates lie
            on either side of each threshold. The default is True. False returns the front of the grid.
        bound: What prunes the search besides costs. "auto" (the default) prunes by proven bounds of the
            scores. If a model has none, every cell that may matter is evaluated. If that takes too many
            evaluations, the search continues as with "shap" and logs a warning. "shap", or a
            `p2ce.ShapEstimate`, treats any model as a black box and prunes by a calibrated estimate. None
            prunes by cost alone.
        random_state: The seed of the plausibility forest and of the estimate. The default is 0.

    The constructor evaluates a black-box model about ten times, with at most a few thousand rows. It
    evaluates the model once more for each column that may have missing values.

    >>> import pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> people = pd.DataFrame({"Income": [10, 20, 30, 40], "Debts": [3, 1, 2, 0]})
    >>> model = DecisionTreeClassifier().fit(people, [0, 0, 1, 1])
    >>> explainer = Explainer(model, people, target=1, plausibility=None)
    >>> explainer.explain({"Income": 20, "Debts": 1}).to_frame()[["Income", "Debts", "changes"]]
       Income  Debts  changes
    0      26      1      1.0
    """

    def __init__(
        self,
        model: Any,
        reference: Any,
        *,
        policy: Policy | None = None,
        target: Any = None,
        y: Any = None,
        threshold: float | Sequence[float | None] | None = None,
        margin: float = 0.0,
        scale: str | None = None,
        objectives: Objectives = DEFAULT_OBJECTIVES,
        max_changes: int | None = 3,
        plausibility: Any = PlausibilityForest(),  # noqa: B008 - frozen
        contamination: float | None = None,
        plausibility_of_today: OfToday = COUNTS,
        price_of_plausibility: bool = False,
        method: Literal["exact"] | Mapocam = "exact",
        ties: bool = False,
        refine: bool = True,
        bound: str | ShapEstimate | None = "auto",
        random_state: int | None = 0,
    ) -> None:
        self._arguments = Arguments(
            policy=policy,
            target=target,
            threshold=threshold,
            margin=margin,
            scale=scale,
            objectives=objectives,
            max_changes=max_changes,
            plausibility=plausibility,
            contamination=contamination,
            plausibility_of_today=plausibility_of_today,
            price_of_plausibility=price_of_plausibility,
            method=method,
            ties=ties,
            refine=refine,
            bound=bound,
            random_state=random_state,
        )
        self._model = model
        self._compiled = compile_arguments(model, reference, self._arguments, y=y)
        if self._compiled.problem.method is not None:
            check_paper(self._compiled.problem, bound=bound)
        self._problem = self._compiled.problem  # with its estimate, once it is prepared
        self._is_prepared = self._is_loaded = False  # the problem, and the kernels in this process
        self._trust = Trust()
        self._reported_labels = set[tuple[str, float]]()  # unseen categories that the log names already
        self._preparing = threading.Lock()
        self._overrides = RememberedOverrides()  # of calls, since explanations are taken again

    @property
    def policy(self) -> Policy:
        """What may change, and how."""
        return self._problem.policy

    @property
    def threshold(self) -> float:
        """The score that the model has to reach to accept."""
        return self._problem.threshold

    @property
    def problem(self) -> ProblemRecord:
        """The problem as explanations record it: features, rules, policy, settings and hashes."""
        record = self._problem.record
        assert record is not None
        return record

    @property
    def reference(self) -> "pd.DataFrame":
        """The population (background data), in the model's columns."""
        return self._compiled.reference

    def explain(
        self,
        row: Any,
        *,
        policy: Policy | None = None,
        max_changes: int | Unchanged | None = UNCHANGED,
        objectives: Objectives | None = None,
        time_limit: float | None = None,
        listener: Listener | None = None,
        as_of: str | datetime.date | None = None,
    ) -> Explanation:
        """Find every Pareto-optimal, plausible counterfactual of one person.

        Args:
            row: The person: a Series, a one-row frame or a dict with column names, or an array in the model's
                column order, of shape (d,) or (1, d).
            policy: A policy for this call. The default is the explainer's own. The explanation records it.
            max_changes: The largest number of features that may change at once in this call. The default is
                the explainer's own limit. None means no limit.
            objectives: Objectives for this call. The default is the explainer's own. The explanation records
                them.
            time_limit: The limit in seconds. The default, None, means no limit. When it is reached, the
                explanation holds the options found so far and states what remains open. See below.
            listener: A function that is called with a `Progress` from time to time. If it returns False, the
                search stops.
            as_of: The date of the data and the decision, such as "2026-11-18". Every text and file states it.
                It is never taken from the clock, so the same call gives the same files.

        The time limit covers everything that this method does, except compiling kernels. A model call that
        has begun is not interrupted, and none begins after the limit, so the method exceeds the limit by one
        call at most. Scoring the person as they are today takes one more call of each model. After the limit,
        options are neither refined nor rounded. An estimate is calibrated only if that fits into the limit.
        If it does not, the search evaluates cells until the limit. Call `warm_up()` to calibrate the estimate
        beforehand.
        """
        day = stated_date(as_of)
        limits = checked_limits(time_limit, listener)
        clock = LimitClock(time_limit)
        problem = self._problem_for(policy, max_changes, objectives)
        rows = encode_row(row, problem.codebook, kind=self._compiled.kind)
        report_unseen(problem.codebook, rows.values, self._reported_labels)
        with clock.paused():
            self._load_kernels(problem)
        problem = self._within_reach(self._prepared(problem, seconds=clock.left()), rows.values)
        verified = explain_batch(problem, rows.values, limits._replace(seconds=clock.left()))
        return build_explanation(problem, rows, 0, self._trust.judge([verified])[0], 0, as_of=day)

    @overload
    def relaxations(self, explanation: Explanation, *, time_limit: float | None = ...) -> Relaxations: ...
    @overload
    def relaxations(
        self,
        explanation: Explanations,
        *,
        time_limit: float | None = ...,
        n_jobs: int = ...,
        progress: bool = ...,
    ) -> dict[Any, Relaxations]: ...
    def relaxations(
        self,
        explanation: Explanation | Explanations,
        *,
        time_limit: float | None = None,
        n_jobs: int = 1,
        progress: bool = False,
    ) -> Relaxations | dict[Any, Relaxations]:
        """Find the minimal sets of constraints to relax, for one person with NO_RECOURSE or for many.

        Each explanation is relaxed under its own policy, limit of changes and objectives.

        For many people, return a dict with an entry for the id of each person with NO_RECOURSE. Pass it to
        ``to_html(explanations, relaxations=…)``. If the model fails for a person, the log says why and the
        person has no entry. After Ctrl-C, the results so far are returned.

        Args:
            explanation: The result of `explain` or `explain_many`.
            time_limit: The limit in seconds for all sets of one person together. The default, None, means no
                limit.
            n_jobs: The number of processes, for many people. The default is 1. -1 uses one per core.
            progress: Whether to show a progress bar on stderr, for many people. The default is False.
        """
        if isinstance(explanation, Explanations):
            check_time(time_limit)
            check_jobs(n_jobs)
            find = partial(self.relaxations, time_limit=time_limit)
            return relaxations_many(find, explanation, n_jobs=n_jobs, progress=progress)
        problem = self._problem_of(explanation, call="relaxations")
        if problem.method is not None:
            problem = self._prepared(problem)
        ends = self._compiled.ends
        return relaxations(problem, explanation, self._explain_on_own_grid, ends=ends, time_limit=time_limit)

    def explain_many(
        self,
        rows: Any,
        *,
        policy: Policy | None = None,
        max_changes: int | Unchanged | None = UNCHANGED,
        objectives: Objectives | None = None,
        n_jobs: int = 1,
        progress: bool = False,
        time_limit: float | None = None,
        as_of: str | datetime.date | None = None,
    ) -> Explanations:
        """Explain every row of a table, in its order, as `explain` does for one row.

        If a row cannot be encoded, or the model fails for it, its explanation has the status ERROR and states
        the reason. The other rows are not affected. A black-box model that fails is called up to three times.
        A worker process that is killed is replaced. A row that kills every process is reported. After Ctrl-C,
        the explanations so far are returned.

        Args:
            rows: The people, one per row: a table with column names, or an array of shape (n, d) in the
                model's column order.
            policy: A policy for this call, as in `explain`.
            max_changes: The largest number of features that may change at once, as in `explain`.
            objectives: Objectives for this call, as in `explain`.
            n_jobs: The number of processes. The default is 1. -1 uses one per core.
            progress: Whether to show a progress bar on stderr. The default is False.
            time_limit: The limit in seconds for each person, as in `explain`. People in one batch share the
                model's calls.
            as_of: The date of the data and the decisions, as in `explain`.
        """
        day = stated_date(as_of)
        check_time(time_limit)
        check_jobs(n_jobs)
        problem = self._problem_for(policy, max_changes, objectives)
        rows = encode_table(rows, problem.codebook, kind=self._compiled.kind)
        report_unseen(problem.codebook, rows.values, self._reported_labels)
        self._load_kernels(problem)
        # What is prepared for all rows counts towards each row's limit by an equal share.
        clock = LimitClock(None if time_limit is None else time_limit * max(len(rows), 1))
        problem = self._prepared(problem, seconds=clock.left())
        # Missing values are parsed for all rows at once; a model that fails with them fails these rows only.
        lacking = (rows.values == MISSING).any(axis=0)
        with suppress(P2CEError):
            problem = self._parsed_for(problem, np.where(lacking, MISSING, 0.0)[None, :])
        left = clock.left()
        return explain_many(
            problem,
            lambda values: self._within_reach(problem, values),
            rows,
            n_jobs=n_jobs,
            progress=progress,
            time_limit=None if left is None else left / max(len(rows), 1),
            trust=self._trust,
            as_of=day,
        )

    def evaluate(
        self,
        row: Any,
        proposal: Any,
        *,
        explanation: Explanation | None = None,
        policy: Policy | None = None,
    ) -> Evaluation:
        """Evaluate a proposed change: is it accepted, plausible and allowed?

        Args:
            row: The person, as in `explain`.
            proposal: A whole row, a dict of the changed columns only, or an option of an explanation.
            explanation: The person's explanation. If it is passed, the evaluation lists the options that
                dominate the proposal, and the policy, limit of changes and objectives of the explanation
                apply.
            policy: A policy for this call. The default is that of the explanation, else the explainer's own.
        """
        problem = self._problem_for(policy)
        if explanation is not None:
            own = self._problem_of(explanation, call="evaluate")
            if policy is not None and problem.policy != own.policy:
                raise InvalidArgument(
                    "evaluate() got an explanation, and a policy= that is not the policy of the explanation. "
                    "Leave policy= out, or explain the person with it first."
                )
            problem = own
        before, after = encode_proposal(problem, row, proposal, explanation)
        both = np.concatenate([before.values, after.values])
        return evaluate_proposal(self._within_reach(problem, both), before, after, explanation)

    def feature_map(
        self,
        explanation: Explanation,
        across: str,
        up: str,
        *,
        size: int = 60,
    ) -> FeatureMap:
        """Evaluate a person over all values of two features, with everything else unchanged.

        `p2ce.plot_map` draws the result.

        Args:
            explanation: The result of `explain`.
            across: The feature on the horizontal axis.
            up: The feature on the vertical axis.
            size: The number of values on each axis. The model is evaluated on all pairs. The default is 60.
        """
        check_size(size)
        problem = self._problem_of(explanation, call="feature_map")
        values = encode_row(explanation.person, problem.codebook).values
        problem = self._within_reach(problem, values)
        population = self._compiled.values
        return feature_map(problem, explanation, values, (across, up), population=population, size=size)

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Save everything but the model in one file, for `Explainer.load(path, model)`.

        The file holds plain data only (JSON, YAML, arrays), so loading it runs no code. It contains the whole
        reference, so protect it like the data. Custom objectives and detectors are not saved: pass them again
        to `load`.
        """
        write_whole(path, zipped(self._archive_parts()), what="The explainer")

    def _archive_parts(self) -> dict[str, bytes]:
        """Return the parts of the file that `save` writes, by name."""
        known = self._compiled
        saved = arguments_to_save(
            self._arguments,
            model=self._model,
            reference=known.reference,
            kind=known.kind,
            problem=self._problem,
        )
        return archive_parts(saved, self._problem, known.values)

    @classmethod
    def load(
        cls,
        path: "str | os.PathLike[str]",
        model: Any,
        *,
        plausibility: Any = UNCHANGED,
        objectives: Any = UNCHANGED,
        check_model: bool = True,
        trust_predicates: bool = False,
        limits: Limits = DEFAULT,
    ) -> "Explainer":
        """Load a saved explainer. It returns the same explanations, byte for byte.

        Loading treats the file as untrusted and runs no code from it. A rule that names a Python function
        ("module:function") makes Python import that module, so `load` rejects it unless you pass
        ``trust_predicates=True``. A policy file is treated the same way.

        A plausibility forest is restored as it was fitted. A SHAP estimate is calibrated again when it is
        first needed, with the saved seed.

        Args:
            path: A file that `Explainer.save` wrote.
            model: The model, which is not part of the file. Pass a list if there were several models.
            plausibility: A detector to use instead of the saved one, or None. A custom detector must be
                passed again. The default is the saved one.
            objectives: Objectives to use instead of the saved ones. If one of them is custom, all must be
                passed again. The default is the saved ones.
            check_model: Whether to check that the model scores people of the reference as the saved model
                did. The default is True. Pass False for another model with the same columns, such as a
                refitted one.
            trust_predicates: Whether to accept rules that name Python functions. Such rules run code that the
                file's author chose. The default is False.
            limits: The largest file that is unpacked.

        >>> import tempfile, pandas as pd
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> people = pd.DataFrame({"Income": [10, 20, 30, 40], "Debts": [3, 1, 2, 0]})
        >>> model = DecisionTreeClassifier().fit(people, [0, 0, 1, 1])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Explainer(model, people, target=1, plausibility=None).save(f"{folder}/credit.p2ce")
        ...     explainer = Explainer.load(f"{folder}/credit.p2ce", model)
        >>> explainer.explain({"Income": 20, "Debts": 1})[0].changes
        {'Income': (20, 26)}
        """
        saved = read_saved(path, limits=limits)
        saved.require_trusted(trust_predicates=trust_predicates)
        return cls._of_saved(
            saved, model, plausibility=plausibility, objectives=objectives, check_model=check_model
        )

    @classmethod
    def _of_saved(
        cls, saved: SavedExplainer, model: Any, *, plausibility: Any, objectives: Any, check_model: bool
    ) -> "Explainer":
        """Build the explainer from the contents of a file."""
        saved.require_models(model)
        saved = saved.with_own(plausibility=plausibility, objectives=objectives)
        arguments = saved.given.arguments
        given = {field.name: getattr(arguments, field.name) for field in fields(arguments)}
        if saved.detector is not None:
            given["plausibility"] = saved.detector
        try:
            explainer = cls(model, saved.given.reference, **given)
        except (InvalidReference, InvalidTarget) as error:
            raise InvalidArgument(
                f"This model does not fit the explainer saved in {echoed(saved.path)}: {error}"
            ) from error
        # Explanations come in the kind of table of the reference, and saving again gives the same file.
        known = explainer._compiled
        problem = known.problem
        assert problem.record is not None
        problem = replace(problem, record=replace(problem.record, settings=arguments.stated()))
        explainer._arguments, explainer._problem = arguments, problem
        explainer._compiled = replace(known, problem=problem, kind=saved.given.kind)
        if check_model:
            saved.require_same_scores(problem, known.values)
        return explainer

    def describe(self) -> ModelFacts:
        """Describe how the model is supported, what proves its explanations, and how large the grid is."""
        return facts_of(self._problem)

    def sample_price_of_plausibility(self) -> SampledPrice | None:
        """Estimate what the plausibility requirement costs, on a sample of rejected people of the reference.

        Return None if plausibility is not required, and for the paper's algorithms. The work of each search
        is limited. A person for whom nothing is proven within that limit counts as undecided.
        """
        known = self._compiled
        problem = replace(known.problem, prices_plausibility=True)
        if problem.required_detector is None or problem.method is not None:
            return None
        self._load_kernels(self._problem)
        some = rejected_rows(problem, known.values)
        rows = encode_table(known.reference.iloc[known.sample].iloc[some], problem.codebook)
        prices = []
        for place, values in enumerate(rows.values[:, None]):
            own = self._within_reach(problem, values)
            verified = explain_batch(own, values, bounded(own))
            prices.append(build_explanation(own, rows, place, verified, 0).price_of_plausibility)
        return sampled_price(prices, problem.objective_names)

    def scores(self, rows: Any) -> FloatArray:
        """Return the score of each row, as explanations report it. A row that cannot be encoded gets NaN.

        Args:
            rows: The people, one per row, as in `explain_many`.
        """
        rows = encode_table(rows, self._problem.codebook)
        encoded = np.array([place not in rows.problems for place in range(len(rows))], dtype=np.bool_)
        scores = np.full(len(rows), np.nan)
        if encoded.any():
            scores[encoded] = scoring_of(self._problem)(rows.values[encoded])
        return scores

    def warm_up(self, *, n_jobs: int = 1) -> None:
        """Compile the kernels ahead of time, and calibrate the estimate if one is needed.

        Args:
            n_jobs: The number of processes to start and warm up. The default is 1, the current process. -1
                uses one per core.
        """
        check_jobs(n_jobs)
        problem, row = self._for_first_row(self._prepared(self._problem))
        compile_kernels(problem, row)
        if n_jobs != 1:
            warm_processes(problem, row, n_jobs)

    def _for_first_row(self, problem: Problem) -> tuple[Problem, FloatArray]:
        row = self._compiled.values[:1]
        return (problem if shaped_for(problem, row).all() else problem.for_instance(row[0])), row

    def _load_kernels(self, problem: Problem) -> None:
        """Compile the kernels, before any clock runs."""
        if problem is self._problem and self._is_loaded:
            return
        with self._preparing:
            if problem.method is None and not is_ready(problem):
                with warn_if_slow(partial(preparing_text, cache_use())):
                    compile_kernels(*self._for_first_row(problem))
            self._is_loaded = True

    def _prepared(self, problem: Problem, *, seconds: float | None = None) -> Problem:
        """Calibrate the estimate if one is needed, and if that fits into the given ``seconds``."""
        self._load_kernels(problem)
        if problem is self._problem and self._is_prepared:
            return problem
        with self._preparing:
            if self._is_prepared and problem in (self._compiled.problem, self._problem):
                return self._problem  # prepared before, or by another thread meanwhile
            if problem.estimate is not None or problem.attributions is not None:
                self._is_prepared |= problem is self._problem
                return problem
            if self._problem.attributions is not None:  # they are about columns, whatever may change
                return replace(problem, attributions=self._problem.attributions)
            if not fits_into(problem, self._arguments, seconds):
                return problem  # the next call may have more time
            try:
                with no_calls_after(None if seconds is None else time.perf_counter() + seconds):
                    prepared = with_needed_estimate(
                        problem,
                        self._arguments,
                        parse=self._parsed,
                        reference=self._compiled.values,
                        rejected=self._compiled.rejected,
                    )
            except OutOfTime:
                return problem
            if prepared.method is not None:
                compile_kernels(*self._for_first_row(prepared))
            if problem is self._problem:
                self._problem, self._is_prepared = prepared, True
            return prepared

    def _parsed(self) -> Parsed | None:
        """Parse the model even where it is a black box by choice: SHAP values then need no evaluations."""
        known = self._compiled
        try:
            models = known.parse_models(
                reference=known.reference.iloc[known.sample], nullable=self._problem.nullable, black_box=False
            )
        except P2CEError:
            return None
        return parsed_of(models)

    def __reduce__(self) -> tuple[Any, ...]:
        # Scores hold closures, which plain pickle rejects, and nothing can pickle a lock.
        state = {name: part for name, part in self.__dict__.items() if name != "_preparing"}
        return _unpacked, (pack(state),)

    def __repr__(self) -> str:
        problem = self._problem
        return (
            f"<Explainer of {problem.family}: {len(problem.grid.names)} of {len(problem.names)} features may "
            f"change, method {problem.method_name!r}>"
        )

    def _problem_for(
        self,
        policy: Policy | None = None,
        max_changes: int | Unchanged | None = UNCHANGED,
        objectives: Objectives | None = None,
    ) -> Problem:
        """Compile the problem of a call, with the settings that the call overrides."""
        return _limited(self._overridden(policy, objectives), max_changes)

    def _overridden(self, policy: Policy | None, objectives: Objectives | None) -> Problem:
        """Compile the problem for another policy and other objectives, and remember them."""
        problem = self._problem
        if policy is problem.policy or policy is self._arguments.policy:
            policy = None
        wanted = None if objectives is None else resolve(objectives)
        if wanted is not None and same_objectives(wanted, self._compiled.objectives):
            wanted = None
        if policy is None and wanted is None:
            return problem
        if (known := self._overrides.of_call(policy, wanted)) is not None:
            return known.of(problem)
        override, changed = compile_override(
            self._compiled,
            problem,
            policy=policy,
            objectives=wanted,
            stated=None if wanted is None else stated_objectives(wanted),
        )
        return replace(changed, record=self._overrides.add(override).record)

    def _problem_of(self, explanation: Explanation, *, call: str) -> Problem:
        """Compile the problem of an explanation, and reject one of another explainer."""
        limit = limit_explained(explanation, call=call)
        require_same_model(self._problem, explanation)
        problem = _limited(self._problem_stated(explanation.problem), limit)
        require_same_problem(problem, explanation)
        return problem

    def _problem_stated(self, record: ProblemRecord | None) -> Problem:
        """Compile the problem that an explanation states: remembered, or read from its record."""
        problem = self._problem
        if record is problem.record:
            return problem
        if record is None or not record.policy:
            raise InvalidArgument(
                "The explanation does not state its problem, so its policy is not known. Pass one that "
                "explain() returned, or that was written with to_dict(problem=True)."
            )
        own = Override(policy=problem.policy, parts={}, record=self.problem)
        known = self._overrides.of_record(record, own)
        if known is not None:
            return problem if known is own else known.of(problem)
        stated = record.settings.get(OBJECTIVES)
        same_policy = record.hashes.get("policy") == self.problem.hashes["policy"]
        return self._overridden(
            None if same_policy else stated_policy(record),
            None if stated is None else read_objectives(stated),
        )

    def _explain_on_own_grid(
        self, problem: Problem, rows: EncodedRows, limits: SearchLimits
    ) -> tuple[Explanation, int]:
        """Explain one row without trying the finest grid, and return the explanation and the work done."""
        problem = self._within_reach(problem, rows.values)
        verified = explain_batch(problem, rows.values, limits, finest=False)
        explanation = build_explanation(problem, rows, 0, self._trust.judge([verified])[0], 0)
        return explanation, int(verified.outcomes.work[0])

    def _within_reach(self, problem: Problem, values: FloatArray) -> Problem:
        """Compile a problem that holds for instances (n, d), or for one instance if features are linked."""
        if within_reach(problem, values).all():
            return problem
        problem = self._parsed_for(problem, values)
        # A linked feature moves relative to the instance's own value.
        return problem if shaped_for(problem, values).all() else problem.for_instance(values[0])

    def _parsed_for(self, problem: Problem, values: FloatArray) -> Problem:
        """Parse the models again if their parsed scores prove nothing about instances (n, d)."""
        if parsed_for(problem, values).all():
            return problem
        known = self._compiled
        reference = known.reference.iloc[known.sample]
        return parse_again(problem, values, reference=reference, parse_models=known.parse_models)


def _limited(problem: Problem, max_changes: int | Unchanged | None) -> Problem:
    """Compile a problem with another limit of changes, unless it stays as it is."""
    if max_changes is UNCHANGED:
        return problem
    check_limit(max_changes)
    return problem if max_changes == problem.max_changes else problem.with_limit(max_changes)


def judged_apart(explainer: Explainer) -> tuple[Explainer, Trust]:
    """Return the same explainer with separate trust, so no earlier explanation can withdraw a proof."""
    same, trust = object.__new__(Explainer), Trust(silent=True)
    same.__dict__.update(explainer.__dict__, _trust=trust)
    return same, trust


def require_trust(explainer: Explainer) -> None:
    """Raise if the model contradicted its scores before: then no result of the explainer is proven."""
    if not explainer._trust.holds:
        raise ModelMismatch(
            "The model or detector contradicted its parsed scores when this explainer was used before. Was "
            "it changed after the explainer was made? Make a new one."
        )


def _unpacked(payload: bytes) -> Explainer:
    """Undo the pickling of an explainer."""
    explainer = object.__new__(Explainer)
    explainer.__dict__.update(pickle.loads(payload), _preparing=threading.Lock(), _is_loaded=False)
    return explainer
