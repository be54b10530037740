"""Find what to relax for many people: over several processes, with a bar, and without loss on Ctrl-C."""

import logging
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from typing import Any, TypeAlias

from p2ce.errors import InvalidArgument
from p2ce.explain.isolate_failures import failure_of
from p2ce.explain.processes import LOST, job_count, receive, send
from p2ce.explain.progress_bar import progress_bar
from p2ce.explain.verified import Failure
from p2ce.result.explanation import Explanation
from p2ce.result.explanations import Explanations
from p2ce.result.relaxations import Relaxations
from p2ce.result.status import Status
from p2ce.visible import echoed

log = logging.getLogger("p2ce")

Find: TypeAlias = Callable[[Explanation], Relaxations]


def relaxations_many(
    find: Find, explanations: Explanations, *, n_jobs: int, progress: bool
) -> dict[Any, Relaxations]:
    """Apply ``find`` to everybody with NO_RECOURSE; give what it found by their labels, in their order."""
    people = _by_label(explanations)
    found: dict[Any, Relaxations] = {}
    with progress_bar(len(people), doing="relaxing", shown=progress) as bar:
        try:
            for label, result in _results(find, people, n_jobs):
                bar.update(1)
                if isinstance(result, Relaxations):
                    found[label] = result
                else:
                    log.warning("relaxations() failed for %s: %s", echoed(label), result.message)
        except KeyboardInterrupt:
            log.warning(
                "Interrupted: what is done is kept, %d people are left out.", len(people) - len(found)
            )
        except LOST:
            log.warning("A process ended abruptly: %d people are left out.", len(people) - len(found))
    return {label: found[label] for label in people if label in found}


def _by_label(explanations: Explanations) -> dict[Any, Explanation]:
    """Return everybody with NO_RECOURSE by label; reject labels that do not tell people apart."""
    people: dict[Any, Explanation] = {}
    times = Counter(label for label in explanations.ids if isinstance(label, Hashable))
    for label, explanation in zip(explanations.ids, explanations, strict=True):
        if explanation.status is not Status.NO_RECOURSE:
            continue
        if not isinstance(label, Hashable) or times[label] > 1:
            raise InvalidArgument(
                f"relaxations() gives a dict by label, but {echoed(label)} labels no single person. Explain "
                "the people with an index that names each of them once."
            )
        people[label] = explanation
    return people


def _results(
    find: Find, people: dict[Any, Explanation], n_jobs: int
) -> Iterator[tuple[Any, Relaxations | Failure]]:
    jobs = min(job_count(n_jobs), len(people))
    if jobs <= 1:
        for label, explanation in people.items():
            yield label, _find_safely(find, explanation)
        return
    from joblib import Parallel, delayed

    payload, key = send(find)
    labels = list(people)
    work = Parallel(n_jobs=jobs, backend="loky", return_as="generator_unordered", batch_size=1)
    for number, result in work(
        delayed(_find_numbered)(number, payload, key, people[label]) for number, label in enumerate(labels)
    ):
        yield labels[number], result


def _find_numbered(
    number: int, payload: bytes, key: str, explanation: Explanation
) -> tuple[int, Relaxations | Failure]:
    return number, _find_safely(receive(payload, key), explanation)


def _find_safely(find: Find, explanation: Explanation) -> Relaxations | Failure:
    """Keep the failure of one person apart; an argument that is wrong is wrong for all."""
    try:
        return find(explanation)
    except InvalidArgument:
        raise
    except Exception as error:
        return failure_of(error)
