"""Answer for many people: in batches, over several processes, with a bar, and without loss on Ctrl-C."""

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.result.explanation import Explanation
from p2ce.result.explanations import Explanations
from p2ce.result.status import Status
from p2ce.search.engine import Progress
from p2ce.verify.answer import Answers, answer_people
from p2ce.verify.build import build_explanation, failed_explanation
from p2ce.verify.people import People
from p2ce.verify.processes import Share, answer_shares, job_count
from p2ce.verify.setup import Setup

if TYPE_CHECKING:
    from tqdm import tqdm

log = logging.getLogger("p2ce")

# A batch shares one call to the user's model and detector; its tables should stay near the cache.
LARGEST_BATCH = 512
BATCH_BYTES = 32 << 20
INTERRUPTED = "Interrupted before this person was answered. Explain the row again."


def answer_many(
    setup: Setup, people: People, *, n_jobs: int, progress: bool, time_limit: float | None
) -> Explanations:
    """Answer for everyone who can be read, and note why for the others."""
    from tqdm import tqdm

    readable = np.array([i for i in range(len(people)) if i not in people.problems], dtype=np.int64)
    size = batch_size(setup)
    batches = [readable[begin : begin + size] for begin in range(0, len(readable), size)]
    answers: dict[int, Answers] = {}
    with tqdm(total=len(people), disable=not progress, unit="person", desc="explaining") as bar:
        bar.update(len(people.problems))
        try:
            jobs = min(job_count(n_jobs), len(batches))
            values = [people.values[batch] for batch in batches]
            for number, answer in _answer_batches(setup, values, jobs, time_limit, bar):
                answers[number] = answer
        except KeyboardInterrupt:
            done = sum(len(batches[number]) for number in answers)
            log.warning(
                "Interrupted: %d of %d people are answered, the others are marked.", done, len(people)
            )
    place = {int(row): (number, at) for number, batch in enumerate(batches) for at, row in enumerate(batch)}

    def build(position: int) -> Explanation:
        if position in people.problems:
            return failed_explanation(setup, people, position, Status.ERROR, people.problems[position])
        number, at = place[position]
        if number not in answers:
            return failed_explanation(setup, people, position, Status.ERROR, INTERRUPTED)
        return build_explanation(setup, people, position, answers[number], at)

    return Explanations(len(people), build, labels=people.labels)


def batch_size(setup: Setup) -> int:
    """Fit a batch's cost and value tables into a few megabytes."""
    cells = setup.grid.width * max(len(setup.grid.names), 1)
    per_person = cells * (8 * len(setup.layout.views) + 16 * len(setup.objectives) + 24)
    return int(np.clip(BATCH_BYTES // per_person, 1, LARGEST_BATCH))


def _answer_batches(
    setup: Setup, values: list[FloatArray], jobs: int, time_limit: float | None, bar: "tqdm[object]"
) -> Iterator[tuple[int, Answers]]:
    """Answer batch after batch, here or in other processes, moving the bar along."""
    if jobs > 1:
        for share in answer_shares(setup, values, jobs, time_limit):
            for number, answer in share:
                bar.update(len(values[number]))
                yield number, answer
        return
    for number, batch in enumerate(values):
        shown = 0

        def tell(news: Progress, batch: FloatArray = batch) -> None:
            nonlocal shown
            bar.update(max(0, min(news.person, len(batch)) - shown))
            shown = max(shown, min(news.person, len(batch)))

        answer = answer_people(setup, batch, time_limit=time_limit, listener=tell)
        bar.update(len(batch) - shown)
        yield number, answer


__all__ = ["Share", "answer_many", "batch_size"]
