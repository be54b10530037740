"""Explain the chosen people chunk by chunk, with a progress bar, and without loss on Ctrl-C."""

import datetime
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from p2ce.apps.ctrl_c import hearing_interrupts
from p2ce.apps.messages import stderr_console
from p2ce.result import Explanation, Status

if TYPE_CHECKING:
    import pandas as pd

    from p2ce.apps.partial_results import Partial
    from p2ce.explainer import Explainer

# Chunks grow by their position and not by the clock: the work of a search may depend on which people share a
# batch, and the certificate counts that work.
FIRST_CHUNK, LARGEST_CHUNK = 8, 2048
LARGEST_IF_BLACK_BOX = 64  # a black-box model is slow, and finished people should soon be on disk


@dataclass(slots=True, eq=False)
class Work:
    """What came out: explanations by the place of their row, and whether all of it was done."""

    done: dict[int, Explanation] = field(default_factory=dict)
    interrupted: bool = False


def explain_in_chunks(
    explainer: "Explainer",
    people: "pd.DataFrame",
    places: list[int],
    *,
    partial: "Partial | None",
    jobs: int = 1,
    time_limit: float | None = None,
    as_of: datetime.date | None = None,
    progress: bool | None = None,
) -> Work:
    """Explain the rows at ``places`` that ``partial`` does not have yet.

    ``progress`` None means a bar for more than one person, on a terminal.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

    from p2ce.explain.processes import job_count

    work = Work() if partial is None else Work(done=partial.done)
    left = [place for place in places if place not in work.done]
    shown = (sys.stderr.isatty() and len(places) > 1) if progress is None else progress
    largest = LARGEST_CHUNK if explainer.describe().kernel_decides_alone else LARGEST_IF_BLACK_BOX
    size, largest = FIRST_CHUNK, largest * job_count(jobs)
    counts = ("explaining", BarColumn(), MofNCompleteColumn(), "people,")
    columns = (*counts, TimeElapsedColumn(), "elapsed ·", TimeRemainingColumn(), "left")
    bar = Progress(*columns, console=stderr_console(), disable=not shown)
    with hearing_interrupts() as interrupts, bar:
        task = bar.add_task("", total=len(places), completed=len(places) - len(left))
        while left and not work.interrupted:
            chunk, left = left[:size], left[size:]
            try:
                with interrupts.raising():
                    rows = people.iloc[chunk]
                    entries = list(
                        explainer.explain_many(rows, n_jobs=jobs, time_limit=time_limit, as_of=as_of)
                    )
            except KeyboardInterrupt:
                work.interrupted = True
                break
            work.interrupted = interrupts.pressed
            finished = {
                place: entry
                for place, entry in zip(chunk, entries, strict=True)
                if not work.interrupted or _is_done(entry)
            }
            if partial is None:
                work.done.update(finished)
            elif finished:
                partial.add(finished)
            bar.advance(task, len(finished))
            size = min(2 * size, largest)
        work.interrupted = work.interrupted and any(place not in work.done for place in places)
    return work


def _is_done(entry: Explanation) -> bool:
    """Return whether an interrupted call finished a person; a search that was cut short does not count."""
    from p2ce.explain.explain_many import INTERRUPTED

    return entry.status is not Status.TIME_LIMIT and entry.message != INTERRUPTED
