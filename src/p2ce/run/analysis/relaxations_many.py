"""Find relaxations for many rows: in several processes, with a progress bar, and without loss on Ctrl-C."""

import logging
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from typing import Any, TypeAlias

from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument
from p2ce.result.certificate import Status
from p2ce.result.explanation import Explanation
from p2ce.result.explanations import Explanations
from p2ce.result.relaxations import Relaxations
from p2ce.result.relaxations_of_many import RelaxationsOfMany
from p2ce.run.many.processes import LOST, failure_of, job_count, receive, send
from p2ce.run.many.progress_bar import progress_bar
from p2ce.run.verified import Failure

log = logging.getLogger("p2ce")

Find: TypeAlias = Callable[[Explanation], Relaxations]


def relaxations_many(
    find: Find, explanations: Explanations, *, n_jobs: int, progress: bool
) -> RelaxationsOfMany:
    """Apply ``find`` to every explanation with NO_RECOURSE. Return the results by id, in order."""
    explained = _by_id(explanations)
    found: dict[Any, Relaxations] = {}
    with progress_bar(len(explained), doing="relaxing", shown=progress) as bar:
        try:
            for row_id, result in _results(find, explained, n_jobs):
                bar.update(1)
                if isinstance(result, Relaxations):
                    found[row_id] = result
                else:
                    log.warning("relaxations() failed for %s: %s", echoed(row_id), result.message)
        except KeyboardInterrupt:
            log.warning(
                "Interrupted. Finished results are kept, %d people are left out.", len(explained) - len(found)
            )
        except LOST:
            log.warning("A process ended unexpectedly. %d people are left out.", len(explained) - len(found))
    return RelaxationsOfMany({row_id: found[row_id] for row_id in explained if row_id in found})


def _by_id(explanations: Explanations) -> dict[Any, Explanation]:
    """Return every explanation with NO_RECOURSE by id. Reject ids that several rows share."""
    explained: dict[Any, Explanation] = {}
    times = Counter(row_id for row_id in explanations.ids if isinstance(row_id, Hashable))
    for row_id, explanation in zip(explanations.ids, explanations, strict=True):
        if explanation.status is not Status.NO_RECOURSE:
            continue
        if not isinstance(row_id, Hashable) or times[row_id] > 1:
            raise InvalidArgument(
                f"relaxations() returns its results by id, but {echoed(row_id)} is not the id of a single "
                "person. Explain the people again with an index in which every id occurs once."
            )
        explained[row_id] = explanation
    return explained


def _results(
    find: Find, explained: dict[Any, Explanation], n_jobs: int
) -> Iterator[tuple[Any, Relaxations | Failure]]:
    jobs = min(job_count(n_jobs), len(explained))
    if jobs <= 1:
        for row_id, explanation in explained.items():
            yield row_id, _find_safely(find, explanation)
        return
    from joblib import Parallel, delayed

    payload, key = send(find)
    ids = list(explained)
    work = Parallel(n_jobs=jobs, backend="loky", return_as="generator_unordered", batch_size=1)
    for number, result in work(
        delayed(_find_numbered)(number, payload, key, explained[row_id]) for number, row_id in enumerate(ids)
    ):
        yield ids[number], result


def _find_numbered(
    number: int, payload: bytes, key: str, explanation: Explanation
) -> tuple[int, Relaxations | Failure]:
    return number, _find_safely(receive(payload, key), explanation)


def _find_safely(find: Find, explanation: Explanation) -> Relaxations | Failure:
    """Catch the failure of one row. An invalid argument is raised, since it fails for all."""
    try:
        return find(explanation)
    except InvalidArgument:
        raise
    except Exception as error:
        return failure_of(error)
