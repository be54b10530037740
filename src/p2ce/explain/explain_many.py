"""Answer for many people: in batches, over several processes, with a bar, and without loss on Ctrl-C."""

import logging
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from p2ce.arrays import FloatArray, IntArray
from p2ce.compilation.compiled_problem import Problem, within_reach
from p2ce.compilation.encode import People
from p2ce.errors import FAULT_RECORD, P2CEError
from p2ce.explain.build_explanation import build_explanation, failed_explanation
from p2ce.explain.explain_batch import Answers
from p2ce.explain.interrupts import noting_interrupts
from p2ce.explain.isolate_failures import Failure, Part, answer_safely, failure_of
from p2ce.explain.processes import answer_shares, job_count
from p2ce.explain.trust import Trust
from p2ce.result.explanation import Explanation
from p2ce.result.explanations import Explanations
from p2ce.solver.branch_and_bound import Progress

if TYPE_CHECKING:
    from tqdm import tqdm

log = logging.getLogger("p2ce")

# A batch shares one call to the user's model and detector; its tables should stay near the cache.
LARGEST_BATCH = 512
BATCH_BYTES = 32 << 20
BATCH_IN_WAVES = 128
INTERRUPTED = "Interrupted before this person was answered. Explain the row again."


def answer_many(
    problem: Problem,
    problem_for: Callable[[FloatArray], Problem],
    people: People,
    *,
    n_jobs: int,
    progress: bool,
    time_limit: float | None,
    trust: Trust,
) -> Explanations:
    """Answer for everyone who can be read, and note why for the others.

    ``problem_for`` gives the question for people whom ``setup`` does not cover. ``trust`` hears of every
    answer, and says in the end whether the model's reading held.
    """
    from tqdm import tqdm

    readable = np.array([i for i in range(len(people)) if i not in people.problems], dtype=np.int64)
    near = within_reach(problem, people.values[readable])
    alone: dict[int, Problem] = {}
    answers: list[Part] = []
    for row in readable[~near].tolist():
        try:
            alone[row] = problem_for(people.values[[row]])
        except P2CEError as error:  # a value that the model refuses to miss, say
            answers.append((np.array([row]), Failure(str(error))))
        except Exception as error:
            answers.append((np.array([row]), failure_of(error)))
    with tqdm(total=len(people), disable=not progress, unit="person", desc="explaining") as bar:
        bar.update(len(people.problems))
        try:
            for part in _answer_batches(problem, readable[near], people, n_jobs, time_limit, bar):
                answers.append(part)
            for row, own in alone.items():
                answers += answer_safely(own, np.array([row]), people.values[[row]], time_limit=time_limit)
                bar.update(1)
        except KeyboardInterrupt:
            answers = [_without_unsearched(rows, answer) for rows, answer in answers]
            log.warning("Interrupted: what is done is kept, the other people are marked.")
    for _, answer in answers:
        if isinstance(answer, Answers):
            trust.hear(answer)
    answers = [
        (rows, trust.judge(answer) if isinstance(answer, Answers) else answer) for rows, answer in answers
    ]
    _tell_faults(answers)
    place = {
        int(row): (number, at)
        for number, (rows, _) in enumerate(answers)
        for at, row in enumerate(rows)
        if row >= 0
    }

    def build(position: int) -> Explanation:
        if position not in place:
            message = people.problems.get(position, INTERRUPTED)
            return failed_explanation(problem, people, position, message)
        number, at = place[position]
        answer = answers[number][1]
        if isinstance(answer, Failure):
            return failed_explanation(problem, people, position, answer.message)
        return build_explanation(alone.get(position, problem), people, position, answer, at)

    return Explanations(
        len(people),
        build,
        labels=people.labels,
        dtypes=problem.dtype_names,
        categories=problem.categories,
        kind=people.kind,
        objectives=problem.objective_names,
    )


def _tell_faults(answers: list[Part]) -> None:
    """Log the mistakes of this library once, with where the first one happened."""
    faults = [(rows, one) for rows, one in answers if isinstance(one, Failure) and one.traceback]
    if faults:
        log.error(
            "%d of %d rows failed by a fault of p2ce. Please report it with the versions (p2ce version "
            "--verbose) and this, of the first one:\n%s",
            sum(len(rows) for rows, _ in faults),
            sum(len(rows) for rows, _ in answers),
            faults[0][1].traceback,
            extra={FAULT_RECORD: True},
        )


def _without_unsearched(rows: IntArray, answer: Answers | Failure) -> Part:
    """Take the people out of an interrupted batch for whom nothing was looked at: their rows become -1."""
    if isinstance(answer, Failure):
        return rows, answer
    unseen = ~answer.finished & ~answer.favourable & (answer.counters.sum(axis=1) == 0)
    return np.where(unseen, -1, rows), answer


def batch_size(problem: Problem) -> int:
    """Fit a batch's cost and value tables into a few megabytes."""
    cells = problem.grid.slots * max(len(problem.grid.names), 1)
    per_person = cells * (8 * len(problem.layout.views) + 16 * len(problem.objectives) + 24)
    return int(np.clip(BATCH_BYTES // per_person, 1, LARGEST_BATCH))


def _answer_batches(
    problem: Problem,
    rows: IntArray,
    people: People,
    n_jobs: int,
    time_limit: float | None,
    bar: "tqdm[object]",
) -> Iterator[Part]:
    """Answer batch after batch, here or in other processes, moving the bar along."""
    size = batch_size(problem)
    if problem.in_waves:
        # Asking takes its time: enough to share, and a bar that moves.
        size = max(1, min(size, BATCH_IN_WAVES, -(-len(rows) // job_count(n_jobs))))
    batches = [rows[begin : begin + size] for begin in range(0, len(rows), size)]
    jobs = min(job_count(n_jobs), len(batches))
    if jobs > 1:
        work = [(batch, people.values[batch]) for batch in batches]
        for share in answer_shares(problem, work, jobs, time_limit):
            for part in share:
                bar.update(len(part[0]))
                yield part
        return
    with noting_interrupts() as interrupted:
        for batch in batches:
            shown = 0

            def tell(news: Progress, size: int = len(batch)) -> bool:
                nonlocal shown
                bar.update(max(0, min(news.person, size) - shown))
                shown = max(shown, min(news.person, size))
                return not interrupted.is_set()

            yield from answer_safely(
                problem, batch, people.values[batch], time_limit=time_limit, listener=tell
            )
            if interrupted.is_set():
                raise KeyboardInterrupt
            bar.update(len(batch) - shown)
