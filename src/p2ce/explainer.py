"""Wire the stages together: the one class through which everything is asked."""

import logging
import numbers
import pickle
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from p2ce.arrays import FloatArray
from p2ce.errors import InvalidOption, InvalidPerson, InvalidReference, nearest
from p2ce.grid.base_grid import grid_of
from p2ce.models.read import read_model
from p2ce.objectives import Objective, Reference, resolve
from p2ce.plausibility.read import IsolationForest, read_detector
from p2ce.problem.actions import ActionSet
from p2ce.result import Explanation, Explanations
from p2ce.result.judgement import Judgement
from p2ce.search.engine import Listener, kernels_are_loaded
from p2ce.search.methods import find_method
from p2ce.verify.answer import answer_people, compile_kernels
from p2ce.verify.build import build_explanation
from p2ce.verify.judge import judge
from p2ce.verify.many import answer_many
from p2ce.verify.people import read_frame, read_row, reference_dtypes
from p2ce.verify.processes import pack, warm_processes
from p2ce.verify.setup import (
    Setup,
    check_actions,
    labels_of,
    lay_out_scores,
    needed_reach,
    within_reach,
)
from p2ce.verify.trust import Trust

log = logging.getLogger("p2ce")

KEPT_ROWS = 1024
AS_ASKED = "as asked"  # an override that is not given
DEFAULT_OBJECTIVES = ("mean_distance", "max_distance", "changes")


class Explainer:
    """Answers, for people whom a model refuses, what they could change to be accepted.

    Args:
        model: a fitted model; see the README for the families that are read.
        reference: the population, a DataFrame with the model's columns. Distances, the default action
            set and the isolation forest are made from it.
        actions: what each feature may do; by default `ActionSet.infer(reference)`.
        target: the class whose score has to reach the threshold.
        threshold: by default 0.5 for probabilities, 0 for decision functions; reached means `>=`.
        objectives: names or `Objective` objects, at least one.
        max_changes: how many features may change at once; None for no limit.
        plausibility: `p2ce.IsolationForest(...)`, a fitted scikit-learn IsolationForest, or None.
        method: "exact", or one of the paper's searches: "p2ce", "p2ce-ablation", "mapocam".
        ties: keep alternatives of equal cost as well.
        bound: "auto" prunes by proven bounds of the scores, "none" by cost alone.
        random_state: seeds the isolation forest.

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
        reference: pd.DataFrame,
        *,
        actions: ActionSet | None = None,
        target: Any = 1,
        threshold: float | None = None,
        objectives: str | Objective | Sequence[str | Objective] = DEFAULT_OBJECTIVES,
        max_changes: int | None = 3,
        plausibility: Any = IsolationForest(),  # noqa: B008 - frozen
        method: str = "exact",
        ties: bool = False,
        bound: str = "auto",
        random_state: int | None = 0,
    ) -> None:
        chosen = find_method(method)
        _check_limit(max_changes)
        if bound not in ("auto", "none"):
            raise InvalidOption(f"bound is 'auto' or 'none' for models that are read exactly; got {bound!r}.")
        if not isinstance(ties, bool | np.bool_):
            raise InvalidOption(f"ties is True or False; got {ties!r}.")
        wanted = resolve(objectives)
        if not isinstance(reference, pd.DataFrame):
            raise InvalidReference(
                f"The reference population must be a pandas DataFrame, got {type(reference).__name__}."
            )
        inferred = ActionSet.infer(reference)  # also checks the frame
        actions = inferred if actions is None else actions
        read = read_model(model, reference=reference, target=target, threshold=threshold)
        names = read.columns
        check_actions(actions, names)
        labels = labels_of(reference, names)
        values = reference[list(labels)].to_numpy(dtype=np.float64)
        detector = read_detector(plausibility, reference=reference, random_state=random_state)
        grid = grid_of(actions, columns=names)
        dtypes = reference_dtypes(reference, names)
        self._model = model
        # Enough to read the model again; a copy, since the caller's frame may change later.
        self._reference = reference.iloc[:: max(1, len(reference) // KEPT_ROWS)].copy()
        self._trust = Trust()
        self._setup = Setup(
            names=names,
            labels=labels,
            dtypes=dtypes,
            model=read,
            detector=detector,
            objectives=tuple(one.fit(Reference(names=names, values=values)) for one in wanted),
            actions=actions,
            grid=grid,
            layout=lay_out_scores(read, detector, chosen, grid, names),
            method=chosen,
            max_changes=max_changes,
            keep_ties=bool(ties),
            use_bounds=bound == "auto",
            target=target,
            dtype_names={name: str(dtype) for name, dtype in dtypes.items()},
        )

    @property
    def actions(self) -> ActionSet:
        """What each feature may do."""
        return self._setup.actions

    @property
    def threshold(self) -> float:
        """What the model's score has to reach."""
        return self._setup.model.threshold

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
            time_limit: seconds; the answer then holds what was found and says what is open.
            listener: called with a `Progress` now and then; answering False stops the search.
        """
        setup = self._setup_for(actions, max_changes)
        people = read_row(row, setup.names, setup.dtypes, setup.actions)
        _check_time(time_limit)
        _check_listener(listener)
        setup = self._within_reach(setup, people.values)
        self._compile_first()
        answers = answer_people(setup, people.values, time_limit=time_limit, listener=listener)
        self._trust.hear(answers)
        return build_explanation(setup, people, 0, self._trust.judge(answers), 0)

    def explain_many(
        self,
        frame: pd.DataFrame,
        *,
        n_jobs: int = 1,
        progress: bool = False,
        time_limit: float | None = None,
    ) -> Explanations:
        """Explain every row of a frame, in its order.

        A row that cannot be read gives an entry of its own with status ERROR and the reason; the others
        go on. ``time_limit`` is for each person. Interrupting (Ctrl-C) keeps what is done.

        Args:
            frame: the people, one per row.
            n_jobs: processes; -1 for one per core.
            progress: show a bar on stderr.
            time_limit: seconds for each person.
        """
        if not isinstance(frame, pd.DataFrame):
            raise InvalidPerson(f"explain_many() takes a DataFrame, got {type(frame).__name__}.")
        _check_time(time_limit)
        _check_jobs(n_jobs)
        setup = self._within_reach(self._setup, np.zeros((1, len(self._setup.names))))
        people = read_frame(frame, setup.names, setup.dtypes, setup.actions)
        self._compile_first()
        return answer_many(
            setup,
            lambda values: self._within_reach(setup, values),
            people,
            n_jobs=n_jobs,
            progress=progress,
            time_limit=time_limit,
            trust=self._trust,
        )

    def check(self, row: Any, proposal: Any, *, explanation: Explanation | None = None) -> Judgement:
        """Judge a proposal that somebody else made for a person.

        ``proposal`` is a whole row, or a dict of the changed columns only. With the person's
        ``explanation`` the judgement also lists the options that beat the proposal.
        """
        setup = self._setup
        before = read_row(row, setup.names, setup.dtypes, setup.actions)
        if explanation is not None and not isinstance(explanation, Explanation):
            raise InvalidOption(f"explanation must be an Explanation, got {type(explanation).__name__}.")
        if explanation is not None and explanation.person != before.row(0, setup.names):
            raise InvalidOption(
                "The explanation is about another person. Pass the one that explain(row) gave."
            )
        if isinstance(proposal, Mapping):
            unknown = [str(name) for name in proposal if str(name) not in setup.names]
            if unknown:
                raise InvalidPerson(
                    f"The proposal changes {unknown[0]!r}, which is not a column of the model. "
                    f"{nearest(unknown[0], setup.names)}"
                )
            proposal = before.row(0, setup.names) | {str(name): value for name, value in proposal.items()}
        after = read_row(proposal, setup.names, setup.dtypes, None)
        return judge(self._within_reach(setup, after.values), before, after, explanation)

    def warm_up(self, *, n_jobs: int = 1) -> None:
        """Compile the search ahead of time; with several jobs, also start and warm their processes."""
        _check_jobs(n_jobs)
        values = self._reference[list(self._setup.labels)].iloc[:1].to_numpy(dtype=np.float64)
        compile_kernels(self._setup, values)
        if n_jobs != 1:
            warm_processes(self._setup, values, n_jobs)

    def _compile_first(self) -> None:
        """Compile before any clock runs, and not in silence."""
        if not kernels_are_loaded():
            with _telling_of_compilation():
                self.warm_up()

    def __reduce__(self) -> tuple[Any, ...]:
        # Readings hold closures, which plain pickle refuses.
        return _unpacked, (pack(self.__dict__),)

    def __repr__(self) -> str:
        setup = self._setup
        return (
            f"<Explainer of {setup.model.family}: {len(setup.grid.names)} of {len(setup.names)} features may "
            f"change, method {setup.method.name!r}>"
        )

    def _setup_for(self, actions: ActionSet | None, max_changes: int | str | None) -> Setup:
        setup = self._setup
        if actions is not None:
            setup = setup.with_actions(actions)
        if not isinstance(max_changes, str):
            _check_limit(max_changes)
            setup = replace(setup, max_changes=max_changes)
        elif max_changes != AS_ASKED:
            raise InvalidOption(f"max_changes is a whole number of at least 1, or None; got {max_changes!r}.")
        return setup

    def _within_reach(self, setup: Setup, values: FloatArray) -> Setup:
        """Read a linear model again where people lie farther out than its rounding was proven for."""
        if within_reach(setup, values).all():
            return setup
        order = setup.labels.get_indexer(self._reference.columns)
        model = read_model(
            self._model,
            reference=self._reference,
            target=setup.target,
            threshold=setup.model.threshold,
            reach=needed_reach(setup, values)[order],
        )
        return setup.with_model(model)


def _unpacked(payload: bytes) -> Explainer:
    """Undo the pickling of an explainer."""
    explainer = object.__new__(Explainer)
    explainer.__dict__.update(pickle.loads(payload))
    return explainer


def _is_whole(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _check_limit(max_changes: Any) -> None:
    if max_changes is not None and not (_is_whole(max_changes) and int(max_changes) >= 1):
        raise InvalidOption(
            f"max_changes is a whole number of at least 1, or None for no limit; got {max_changes!r}."
        )


def _check_time(time_limit: Any) -> None:
    is_number = isinstance(time_limit, numbers.Real) and not isinstance(time_limit, bool)
    if time_limit is not None and not (is_number and float(time_limit) >= 0):
        raise InvalidOption(f"time_limit is a number of seconds, 0 or more, or None; got {time_limit!r}.")


def _check_listener(listener: object) -> None:
    if listener is not None and not callable(listener):
        raise InvalidOption(f"listener is a function of one Progress, or None; got {listener!r}.")


def _check_jobs(n_jobs: object) -> None:
    if not _is_whole(n_jobs) or n_jobs == 0:
        raise InvalidOption(f"n_jobs is a number of processes, or -1 for one per core; got {n_jobs!r}.")


@contextmanager
def _telling_of_compilation() -> Iterator[None]:
    """Say something when the first search of an installation compiles its kernels: no silent pause."""
    notice = threading.Timer(
        1.5, log.warning, ("Compiling the search: about half a minute, and only the first time.",)
    )
    notice.daemon = True
    notice.start()
    try:
        yield
    finally:
        notice.cancel()
