"""Compile a problem once, then explain any number of instances: the public `Explainer` class."""

import datetime
import os
import pickle
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.budget import CallBudget, charged_to, no_calls
from p2ce.base.files import write_whole
from p2ce.base.limits import DEFAULT, Limits
from p2ce.base.visible import echoed
from p2ce.compile.archive import SavedExplainer, archive_parts, arguments_to_save, read_saved, zipped
from p2ce.compile.arguments import UNCHANGED, Arguments, Unchanged, check_jobs, check_size, check_time
from p2ce.compile.compile_arguments import compile_arguments
from p2ce.compile.evaluate_rows import scoring_of
from p2ce.compile.lay_out import with_codebook
from p2ce.compile.own_plausibility import COUNTS, OfToday
from p2ce.compile.own_ranges import LimitedRows
from p2ce.compile.paper_settings import Mapocam
from p2ce.compile.row_limits import limits_of_row, stated_limits
from p2ce.compile.within_reach import reaching
from p2ce.engine.solver.branch_and_bound import Listener, Progress
from p2ce.errors import InvalidArgument, InvalidReference, InvalidTarget, ModelMismatch
from p2ce.models.detectors.plausibility_forest import PlausibilityForest
from p2ce.models.estimates.shap_estimate import ShapEstimate
from p2ce.objectives.objective_names import Objectives
from p2ce.policy.policy import Policy
from p2ce.result import (
    Explanation,
    Explanations,
    FeatureMap,
    ModelFacts,
    Points,
    ProblemRecord,
    Relaxations,
    RelaxationsOfMany,
    SampledPrice,
)
from p2ce.result.analysis import Evaluation
from p2ce.result.stated_date import stated_date
from p2ce.run.analysis.evaluate_proposal import encode_proposal, evaluate_proposal
from p2ce.run.analysis.infeasibility import relaxations
from p2ce.run.analysis.map_two_features import feature_map
from p2ce.run.analysis.next_best import check_listed, listing, rules_to_leave_out
from p2ce.run.analysis.relaxations_many import relaxations_many
from p2ce.run.analysis.relaxed_problems import RelaxedProblems
from p2ce.run.analysis.sample_price import sample_price
from p2ce.run.budgets import explain_charged, new_budget
from p2ce.run.build_explanation import build_explanation, describe_model
from p2ce.run.compile_kernels import compile_kernels
from p2ce.run.explain_batch import NO_LIMITS, explain_batch
from p2ce.run.many.explain_many import explain_many
from p2ce.run.many.processes import pack, warm_processes
from p2ce.run.paper.solve_by_paper import check_paper
from p2ce.run.problems import Problems, known_at_first
from p2ce.run.time_limits import LimitClock, SearchLimits
from p2ce.run.unseen_categories import report_ignored, report_unseen
from p2ce.run.verified import Trust
from p2ce.tables.encode import encode_row, encode_table

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
        target: The favourable class, a list of classes (any of which the model may predict), or the wanted
            range ``(low, high)`` of a regressor. A classifier needs it, unless its classes ("good", "bad") or
            the name of ``y`` ("approved", "default") say which of two classes is favourable. A function needs
            none: its scores are those of the favourable outcome.
        y: The known outcomes of the reference, one for each row. Optional.
        at_least: The lowest score that is accepted. The default is the model's own threshold (scikit-learn's
            threshold classifiers), else 0.5 for probabilities and 0 for decision functions. Without it, a
            model with more than two classes has to predict the target class. For several models, pass one
            number for all, or a list with one for each.
        at_most: The highest score that is accepted, for a target that people want to avoid:
            ``target=1, at_most=0.08`` states that the probability of class 1 must be at most 8 %. For several
            models, pass one number for all, or a list with one for each. With a regressor, `at_least` and
            `at_most` are the ends of the wanted range. For a list of classes, the limit
            applies to the sum of their probabilities.
        outcome: What the target class means in texts, such as "default" for "the probability of default".
            The default is the name of the class or of ``y``, if that is an outcome's name.
        report: How people see scores: ``p2ce.Points(base=600, odds=50, pdo=20)``, or a function of the score
            that always rises or always falls. It changes texts and tables only, not the search. The default
            is the model's own number.
        margin: How far every score has to be inside its limit, on the scale that the model reports. The
            default is 0.
        score_tolerance: By how much a black box may score a row differently from call to call, on the scale
            that it reports: in another batch, or by noise. Options score at least this much inside their
            limit, so no later call rejects them. Combinations within the tolerance of the limit are
            undecided: `Certificate.undecided` says how many they are at most. The default is 0: scores must
            repeat.
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
        at_least: float | Sequence[float | None] | None = None,
        at_most: float | Sequence[float] | None = None,
        outcome: str | None = None,
        report: Points | Callable[[float], float] | None = None,
        margin: float = 0.0,
        score_tolerance: float = 0.0,
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
        arguments = Arguments(
            policy=policy,
            target=target,
            at_least=at_least,
            at_most=at_most,
            outcome=outcome,
            report=report,
            margin=margin,
            score_tolerance=score_tolerance,
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
        self._spent = CallBudget()  # without limits: it counts
        with charged_to(self._spent):
            compiled = compile_arguments(model, reference, arguments, y=y)
        if compiled.problem.method is not None:
            check_paper(compiled.problem, bound=bound)
        self._model = model
        self._problems = Problems(known_at_first(arguments, compiled))
        self._trust = Trust()
        # The hashes of unseen categories and ignored columns that the log names already.
        self._reported_labels = set[int]()
        report_ignored(compiled.ignored, self._reported_labels)

    @property
    def policy(self) -> Policy:
        """What may change, and how."""
        return self._problems.own.policy

    @property
    def at_least(self) -> float | None:
        """The score that the model has to reach to accept; None if it must be at most `at_most`."""
        return self._problems.own.at_least

    @property
    def at_most(self) -> float | None:
        """The highest score that is accepted; None if the score must be at least `at_least`."""
        return self._problems.own.at_most

    @property
    def problem(self) -> ProblemRecord:
        """The problem as explanations record it: features, rules, policy, settings and hashes."""
        return self._problems.own.record

    @property
    def reference(self) -> "pd.DataFrame":
        """The population (background data), in the model's columns."""
        return self._problems.known.compiled.reference

    def explain(
        self,
        row: Any,
        *,
        policy: Policy | None = None,
        max_changes: int | Unchanged | None = UNCHANGED,
        objectives: Objectives | None = None,
        limits: Mapping[str, tuple[float | None, float | None]] | None = None,
        time_limit: float | None = None,
        max_calls: int | None = None,
        max_rows: int | None = None,
        listener: Listener | None = None,
        as_of: str | datetime.date | None = None,
    ) -> Explanation:
        """Find every Pareto-optimal, plausible counterfactual of one person.

        Args:
            row: The person: a Series, a one-row frame or a dict with column names, or an array in the model's
                column order, of shape (d,) or (1, d). None is a missing value. Columns that the model does
                not use are ignored, and the log names them once.
            policy: A policy for this call. The default is the explainer's own. The explanation records it.
            max_changes: The largest number of features that may change at once in this call. The default is
                the explainer's own limit. None means no limit.
            objectives: Objectives for this call. The default is the explainer's own. The explanation records
                them.
            limits: Ranges for this person, by feature: ``{"Income": (None, 50_000)}``. They only narrow what
                the policy allows. None is an open end. The explanation records them.
            time_limit: The limit in seconds. The default, None, means no limit. When it is reached, the
                explanation holds the options found so far and states what remains open. See below.
            max_calls: The most calls of the model and the detector, for a black box that charges for calls.
                The default, None, means no limit. See below.
            max_rows: The most rows in these calls, together. The default, None, means no limit.
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

        The budgets ``max_calls`` and ``max_rows`` are never exceeded. Every call that this method makes of
        any of the models, and of your own detector, counts: scoring the person, the search, verification,
        and calls that are repeated after a failure. Rules that are functions do not count. Accepted people
        of the reference are tried first, so there are options early. When a budget ends, the status is
        TIME_LIMIT, `Certificate.stopped_by` names the budget, and every option was evaluated by the models
        and the detector themselves. Calls that the constructor made do not count. No estimate is calibrated
        within a budget.
        """
        day = None if as_of is None else stated_date(as_of)
        clock = LimitClock(time_limit, listener)
        problem = self._problems.of_call(policy, max_changes, objectives)
        compiled = self._problems.known.compiled
        rows = encode_row(row, problem.codebook, kind=compiled.kind)
        if rows.codebook.has_unseen:
            report_unseen(rows, self._reported_labels)
        if rows.ignored:
            report_ignored(rows.ignored, self._reported_labels)
        budget = None
        if max_calls is not None or max_rows is not None:
            budget = new_budget(problem, max_calls, max_rows)
        with nullcontext() if budget is None else charged_to(no_calls()):
            problem = self._problems.prepared(problem, clock)
            problem = reaching(compiled, problem, rows.values, rows.codebook)
        own = None if limits is None else limits_of_row(problem, limits)
        instance = rows.values if own is None else LimitedRows(codes=rows.values, limits=own)
        search = SearchLimits(clock.left(), listener=clock.listener)
        if budget is None:
            verified = explain_batch(problem, instance, search)
        else:
            verified = explain_charged(problem, instance, search, budget)
        return build_explanation(problem, rows, 0, self._trust.judge([verified])[0], 0, limits=own, as_of=day)

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
    ) -> RelaxationsOfMany: ...
    def relaxations(
        self,
        explanation: Explanation | Explanations,
        *,
        time_limit: float | None = None,
        n_jobs: int = 1,
        progress: bool = False,
    ) -> Relaxations | RelaxationsOfMany:
        """Find the minimal sets of constraints to relax, for one person with NO_RECOURSE or for many.

        Each explanation is relaxed under its own policy, limit of changes and objectives.

        For many people, return a `RelaxationsOfMany`: a mapping from the id of each person with NO_RECOURSE,
        and a summary of which restrictions bind for how many. Pass it to
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
            find = partial(
                relaxations, self._problems, self._trust, time_limit=time_limit, relaxed=RelaxedProblems()
            )
            return relaxations_many(find, explanation, n_jobs=n_jobs, progress=progress)
        return relaxations(self._problems, self._trust, explanation, time_limit=time_limit)

    def explain_many(
        self,
        rows: Any,
        *,
        policy: Policy | None = None,
        max_changes: int | Unchanged | None = UNCHANGED,
        objectives: Objectives | None = None,
        limits: Any = None,
        n_jobs: int = 1,
        progress: bool = False,
        time_limit: float | None = None,
        max_calls: int | None = None,
        max_rows: int | None = None,
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
            limits: A table with a row of limits for each person, whose columns name a feature and an end:
                ``pd.DataFrame({"Income_high": 1.1 * rows["Income"], "Debt_low": …})``. Limits only narrow
                what the policy allows. An empty cell sets none. Two pandas tables match by their index,
                other tables row by row.
            n_jobs: The number of processes. The default is 1. -1 uses one per core.
            progress: Whether to show a progress bar on stderr. The default is False.
            time_limit: The limit in seconds for each person, as in `explain`. People in one batch share the
                model's calls.
            max_calls: The most calls for each person, as in `explain`. People with a budget are explained one
                by one, and share no calls. If a process is killed, its people are not explained again.
            max_rows: The most rows in these calls for each person, as in `explain`.
            as_of: The date of the data and the decisions, as in `explain`.
        """
        return explain_many(
            self._problems,
            rows,
            policy=policy,
            max_changes=max_changes,
            objectives=objectives,
            n_jobs=n_jobs,
            progress=progress,
            limits=SearchLimits(time_limit, max_calls=max_calls, max_rows=max_rows),
            row_limits=limits,
            as_of=as_of,
            trust=self._trust,
            reported=self._reported_labels,
        )

    def more(
        self,
        explanation: Explanation,
        *,
        exclude: Any = None,
        n: int | None = None,
        time_limit: float | None = None,
    ) -> Explanation:
        """Find the next best options: the Pareto-optimal options that remain if some others are left out.

        The result is that of `explain` with a policy that leaves these out. Its certificate is about what
        remains, and names what was left out. Call `more` with the result to leave out more: what was left out
        before stays out. `Explanation.pick` chooses a few of the options.

        Args:
            explanation: The result of `explain` or of this method.
            exclude: What to leave out. The default is every option of the explanation. A list may hold
                an option, such as ``explanation[0]``, which leaves out that one exactly; `p2ce.Near`, an
                option and all similar ones; the name of a feature that must not change; and a set of
                features that must not all change.
            n: How many options to list: those that `Explanation.pick` chooses. All options are found and
                proven in any case. `Explanation.unlisted` and every text say how many are not listed. The
                default, None, lists all.
            time_limit: The limit in seconds, as in `explain`.

        >>> import pandas as pd
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> people = pd.DataFrame({"Income": [10, 20, 30, 40], "Debts": [3, 1, 2, 0]})
        >>> model = DecisionTreeClassifier().fit(people, [0, 0, 1, 1])
        >>> explainer = Explainer(model, people, target=1, plausibility=None)
        >>> explanation = explainer.explain({"Income": 20, "Debts": 1})
        >>> [option.changes for option in explainer.more(explanation)]
        [{'Income': (20, 28)}]
        """
        check_listed(n)
        problem = self._problems.of_explanation(explanation, call="more", narrows=False)
        reference = self._problems.known.compiled.reference
        rules = rules_to_leave_out(problem, reference, explanation, exclude)
        # Not `with_rules`, which would make an inferred policy a stated one.
        kept = (*problem.policy.rules, *(one for one in rules if one not in problem.policy.rules))
        found = self.explain(
            explanation.person,
            policy=replace(problem.policy, rules=kept),
            max_changes=problem.max_changes,
            objectives=problem.wanted,
            limits=stated_limits(explanation.problem),
            time_limit=time_limit,
            as_of=explanation.as_of,
        )
        return listing(found, n)

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
        problem = self._problems.of_call(policy)
        if explanation is not None:
            own = self._problems.of_explanation(explanation, call="evaluate")
            if policy is not None and problem.policy != own.policy:
                raise InvalidArgument(
                    "evaluate() got an explanation, and a policy= that is not the policy of the explanation. "
                    "Leave policy= out, or explain the person with it first."
                )
            problem = own
        before, after = encode_proposal(problem, row, proposal, explanation)
        report_ignored(before.ignored, self._reported_labels)
        both = np.concatenate([before.values, after.values])
        problem = reaching(self._problems.known.compiled, problem, both, after.codebook)
        return evaluate_proposal(problem, before, after, explanation)

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
        problem = self._problems.of_explanation(explanation, call="feature_map")
        row = encode_row(explanation.person, problem.codebook)
        problem = reaching(self._problems.known.compiled, problem, row.values, row.codebook)
        population = self._problems.known.compiled.values
        return feature_map(problem, explanation, row.values, (across, up), population=population, size=size)

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Save everything but the model in one file, for `Explainer.load(path, model)`.

        The file holds plain data only (JSON, YAML, arrays), so loading it runs no code. It contains the whole
        reference, so protect it like the data. Custom objectives and detectors are not saved: pass them again
        to `load`.
        """
        write_whole(path, zipped(parts_to_save(self)), what="The explainer")

    @classmethod
    def load(
        cls,
        path: "str | os.PathLike[str]",
        model: Any,
        *,
        plausibility: Any = UNCHANGED,
        objectives: Any = UNCHANGED,
        report: Any = UNCHANGED,
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
            report: The points of scores to use instead of the saved ones. A function must be passed again.
                The default is the saved `p2ce.Points`.
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
        return restored(
            saved,
            model,
            plausibility=plausibility,
            objectives=objectives,
            report=report,
            check_model=check_model,
        )

    def describe(self) -> ModelFacts:
        """Describe how the model is supported, what proves its explanations, and how large the grid is."""
        facts = describe_model(self._problems.own)
        return replace(facts, calls=self._spent.calls, rows=self._spent.rows) if facts.is_black_box else facts

    def sample_price_of_plausibility(self) -> SampledPrice | None:
        """Estimate what the plausibility requirement costs, on a sample of rejected people of the reference.

        Return None if plausibility is not required, and for the paper's algorithms. The work of each search
        is limited. A person for whom nothing is proven within that limit counts as undecided.
        """
        return sample_price(self._problems)

    def scores(self, rows: Any) -> FloatArray:
        """Return the score of each row, as explanations report it. A row that cannot be encoded gets NaN.

        Args:
            rows: The people, one per row, as in `explain_many`.
        """
        problem = self._problems.own
        encoded_rows = encode_table(rows, problem.codebook)
        report_ignored(encoded_rows.ignored, self._reported_labels)
        encoded = [place for place in range(len(encoded_rows)) if place not in encoded_rows.problems]
        scores = np.full(len(encoded_rows), np.nan)
        if encoded:
            problem = with_codebook(problem, encoded_rows.codebook)
            scores[encoded] = problem.direction * scoring_of(problem)(encoded_rows.values[encoded])
        return scores

    def warm_up(self, *, n_jobs: int = 1) -> None:
        """Compile the kernels ahead of time, and calibrate the estimate if one is needed.

        Args:
            n_jobs: The number of processes to start and warm up. The default is 1, the current process. -1
                uses one per core.
        """
        check_jobs(n_jobs)
        problem, row = self._problems.for_first_row(
            self._problems.prepared(self._problems.own, LimitClock(None))
        )
        compile_kernels(problem, row)
        if n_jobs != 1:
            warm_processes(problem, row, n_jobs)

    def __getstate__(self) -> bytes:
        return pack(self.__dict__)  # scores hold closures, which plain pickle rejects

    def __setstate__(self, payload: bytes) -> None:
        self.__dict__.update(pickle.loads(payload))

    def __repr__(self) -> str:
        problem = self._problems.own
        return (
            f"<Explainer of {problem.family}: {len(problem.grid.names)} of {len(problem.names)} features may "
            f"change, method {problem.method_name!r}>"
        )


def problems_of(explainer: Explainer) -> Problems:
    """Return the compiled problems behind an explainer, for other parts of this library."""
    return explainer._problems


def explain_apart(
    explainer: Explainer,
    rows: Any,
    *,
    limits: SearchLimits = NO_LIMITS,
    as_of: str | datetime.date | None = None,
) -> tuple[Explanations, Trust]:
    """Explain every row, so that no earlier explanation can withdraw a proof, and return whether all hold."""
    trust = Trust(silent=True)
    explanations = explain_many(
        explainer._problems,
        rows,
        policy=None,
        max_changes=UNCHANGED,
        objectives=None,
        n_jobs=1,
        progress=False,
        limits=limits,
        as_of=as_of,
        trust=trust,
        reported=explainer._reported_labels,
    )
    return explanations, trust


def parts_to_save(explainer: Explainer) -> dict[str, bytes]:
    """Return the parts of the file that `Explainer.save` writes, by name."""
    known = explainer._problems.known
    saved = arguments_to_save(
        known.arguments,
        model=explainer._model,
        reference=known.compiled.reference,
        kind=known.compiled.kind,
        problem=known.own.problem,
    )
    return archive_parts(saved, known.own.problem, known.compiled.values)


def restored(
    saved: SavedExplainer,
    model: Any,
    *,
    plausibility: Any,
    objectives: Any,
    check_model: bool,
    report: Any = UNCHANGED,
) -> Explainer:
    """Build an explainer from the contents of a file."""
    saved.require_models(model)
    saved = saved.with_own(plausibility=plausibility, objectives=objectives, report=report)
    arguments = saved.given.arguments
    given = {field.name: getattr(arguments, field.name) for field in fields(arguments)}
    if saved.detector is not None:
        given["plausibility"] = saved.detector
    try:
        explainer = Explainer(model, saved.given.reference, **given)
    except (InvalidReference, InvalidTarget) as error:
        raise InvalidArgument(
            f"This model does not fit the explainer saved in {echoed(saved.path)}: {error}"
        ) from error
    # Explanations come in the kind of table of the reference, and saving again gives the same file.
    compiled = explainer._problems.known.compiled
    record = replace(compiled.problem.record, settings=arguments.stated())
    compiled = replace(compiled, problem=replace(compiled.problem, record=record), kind=saved.given.kind)
    explainer._problems = Problems(known_at_first(arguments, compiled))
    if check_model:
        saved.require_same_scores(compiled.problem, compiled.values)
    return explainer


def require_trust(explainer: Explainer) -> None:
    """Raise if the model contradicted its scores before: then no result of the explainer is proven."""
    if not explainer._trust.holds:
        raise ModelMismatch(
            "The model or detector contradicted its parsed scores when this explainer was used before. Was "
            "it changed after the explainer was made? Make a new one."
        )
