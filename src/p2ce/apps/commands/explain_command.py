"""Explain the chosen rows of a table: ``p2ce explain``."""

import datetime
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from p2ce.apps import write_outputs as outputs
from p2ce.apps.command_inputs import Inputs, Ready, check_files, make_ready
from p2ce.apps.exit_codes import ExitCode
from p2ce.apps.limits_argument import limits_of_people
from p2ce.apps.messages import count_of, error_line, notice, printable, stdout_console, working
from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument, nearest, similar

if TYPE_CHECKING:
    from p2ce.result import Explanations, Relaxations

RELAXATIONS_SECONDS = 5.0
MOST_LINES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Which rows to explain, how long that may take, and where the explanations go."""

    id: str | None = None
    rejected: bool = False
    out: Path | None = None
    raw_csv: bool = False
    force: bool = False
    time_limit: float | None = None
    max_calls: int | None = None
    max_rows: int | None = None
    as_of: datetime.date | None = None
    jobs: int = 1
    language: str = "en"
    audience: str = "applicant"
    progress: bool | None = None


def run_explain(inputs: Inputs, task: Task) -> ExitCode:
    """Explain the rows, write or print the explanations, and return the exit code.

    After Ctrl-C, finished rows are written as usual. Other rows get the status ERROR and the error kind
    "interrupted".
    """
    _check(inputs, task)
    with working("Reading the model and the tables …"):
        ready = make_ready(inputs)
        places = range(len(ready.rows)) if task.id is None else [_place(ready, task.id, inputs)]
    has_budget = task.max_calls is not None or task.max_rows is not None
    if not has_budget:
        with working("Getting ready …"):
            ready.explainer.warm_up()
    explanations = _explain(ready, list(places), task, inputs.id_column)
    if all(entry.error == "interrupted" for entry in explanations):
        raise KeyboardInterrupt
    if task.rejected:
        explanations = _rejected(explanations)
        if not len(explanations):
            notice(f"The model accepts all of {count_of(len(places), 'row')}. Nothing was written.")
            return ExitCode.DONE
    why = None if has_budget else _relaxations(ready, explanations)
    if task.out is None:
        print_explanations(explanations, why, task)
    else:
        written = outputs.write_explanations(
            task.out,
            explanations,
            why=why,
            audience=task.audience,
            language=task.language,
            raw_csv=task.raw_csv,
        )
        _print_written(explanations, written)
    return _exit_code(explanations, what="row " if inputs.id_column is None else "")


def _check(inputs: Inputs, task: Task) -> None:
    """Raise on wrong arguments before any file is read."""
    from p2ce.compile.arguments import check_budget, check_jobs, check_time
    from p2ce.present.languages import load_words
    from p2ce.present.render import AUDIENCES

    if task.id is not None and task.rejected:
        raise InvalidArgument("--id and --rejected both choose rows. Use only one of them.")
    if task.out is not None:
        outputs.check_out(task.out, force=task.force, inputs=inputs.files)
    check_jobs(task.jobs, name="--jobs")
    check_time(task.time_limit, name="--time-limit")
    check_budget(task.max_calls, task.max_rows, names=("--max-calls", "--max-rows"))
    if task.audience not in AUDIENCES:
        raise InvalidArgument(
            f"--audience {echoed(task.audience)} is unknown. {nearest(task.audience, AUDIENCES)}"
        )
    load_words(task.language)
    check_files(inputs)


def _explain(ready: Ready, places: list[int], task: Task, id_column: str | None) -> "Explanations":
    """Explain the rows at ``places``, under their ids on the command line."""
    from p2ce.result import Explanations

    shown = sys.stderr.isatty() and len(places) > 1 if task.progress is None else task.progress
    rows, limits = ready.rows.iloc[places], None
    if ready.row_limits is not None:
        limits = limits_of_people(ready.row_limits, ready.ids, places, id_column=id_column)
        limits = limits.set_axis(rows.index)
    entries = ready.explainer.explain_many(
        rows,
        limits=limits,
        n_jobs=task.jobs,
        time_limit=task.time_limit,
        max_calls=task.max_calls,
        max_rows=task.max_rows,
        as_of=task.as_of,
        progress=shown,
    )
    return Explanations(list(entries), ids=[ready.ids[place] for place in places])


def _rejected(explanations: "Explanations") -> "Explanations":
    """Leave out the rows that the model accepts as they are."""
    from p2ce.result import Status

    return explanations[[entry.status is not Status.ACCEPTED for entry in explanations]]


def _place(ready: Ready, id: str, inputs: Inputs) -> int:  # noqa: A002
    """Return the position of the row that --id names."""
    count = len(ready.rows)
    if inputs.id_column is not None:
        ids = ["" if one is None else str(one) for one in ready.ids]
        found = [place for place, one in enumerate(ids) if one == id] or [
            place for place, one in enumerate(ids) if one.strip() == id.strip()
        ]
        if len(found) == 1:
            return found[0]
        if found:
            raise InvalidArgument(
                f"--id {echoed(id)} matches {len(found)} rows: {echoed(inputs.id_column)} contains it in "
                f"rows {found[0]} and {found[1]}. Use another --id-column."
            )
        raise InvalidArgument(
            f"--id {echoed(id)} is not in the column {echoed(inputs.id_column)} of {count:,} rows. "
            f"{nearest(id, ids) if similar(id, ids) else f'For example, {echoed(ids[0])} is.'}"
        )
    try:
        place = int(id)
    except ValueError:
        raise InvalidArgument(
            f"--id {echoed(id)} is not a number. Rows are numbered from 0 to {count - 1:,}. To use ids "
            "from a column, add --id-column."
        ) from None
    if not 0 <= place < count:
        raise InvalidArgument(
            f"--id {place} does not exist. The {count:,} rows are numbered from 0 to {count - 1:,}. To use "
            "ids from a column, add --id-column."
        )
    return place


def _relaxations(ready: Ready, explanations: "Explanations") -> "Relaxations | None":
    """Find relaxations that give a single person without options an option."""
    from p2ce.result import Status

    if len(explanations) != 1 or explanations[0].status is not Status.NO_RECOURSE:
        return None
    with working("No option: looking for relaxations …"):
        return ready.explainer.relaxations(explanations[0], time_limit=RELAXATIONS_SECONDS)


def print_explanations(explanations: "Explanations", why: "Relaxations | None", task: Task) -> None:
    """Print one person in words, or many as a table."""
    from p2ce.present.render import to_text

    if len(explanations) == 1:
        words = to_text(explanations[0], audience=task.audience, language=task.language, relaxations=why)
        # A terminal would break lines within words.
        stdout_console().print(printable(words), markup=False, soft_wrap=not sys.stdout.isatty())
        return
    print_summary(explanations, language=task.language)


def _print_written(explanations: "Explanations", written: list[Path]) -> None:
    """Print the written files and the number of people with each status.

    A table of options has no row for people without options.
    """
    options = count_of(sum(map(len, explanations)), "option")
    print(f"{printable(' and '.join(map(str, written)))}: {options} for {explanations}.")


def _exit_code(explanations: "Explanations", *, what: str) -> ExitCode:
    """Return the exit code, and report rows that were not explained on stderr.

    ``what`` stands before an id.
    """
    failed = [
        (id_, entry)
        for id_, entry in zip(explanations.ids, explanations, strict=True)
        if entry.error is not None
    ]
    if not failed:
        return ExitCode.DONE
    if interrupted := sum(entry.error == "interrupted" for _, entry in failed):
        of = f"{len(explanations) - interrupted:,} of {count_of(len(explanations), 'row')}"
        error_line(
            f"Interrupted: {of} are explained. The status of the others is ERROR. "
            "For a long run that can resume, use p2ce portfolio run."
        )
        return ExitCode.INTERRUPTED
    faults = [one for one in failed if one[1].error == "fault"]
    id_, first = (faults or failed)[0]
    blamed = ""
    if faults:
        blamed = f", {len(faults):,} because of a bug in p2ce (--debug shows the traceback; please report it)"
    many = count_of(len(failed), "row")
    error_line(f"{many} could not be explained{blamed}. The first is {what}{id_}: {first.message}")
    return ExitCode.INCOMPLETE


def print_summary(explanations: "Explanations", *, language: str = "en") -> None:
    """Print a table of the first people, as in the report, and the counts of all people."""
    from rich.table import Table
    from rich.text import Text

    from p2ce.present.views.many_view import view_of_many

    seen = view_of_many(explanations, audience="officer", language=language, rows=MOST_LINES, sections=0)
    say, console = seen.wording.say, stdout_console()
    table = Table(show_edge=False, pad_edge=False)
    for name in (
        *(say(f"col_{key}") for key in ("person", "status", "today", "options")),
        seen.cheapest_title,
    ):
        table.add_column(name, overflow="fold")
    for row in seen.rows:
        cells = (row.id, row.status, row.today, row.options, row.cheapest)
        table.add_row(*(Text(printable(cell)) for cell in cells))
    console.print(table)
    console.print()
    if any(entry.as_of for entry in explanations):
        console.print(Text(seen.date))
    for status in seen.statuses:
        console.print(Text(f"{status.people} × {status.text}"))
    if (more := len(explanations) - MOST_LINES) > 0:
        notice(f"{count_of(more, 'more person', 'more people')}. Use --out options.csv to write all of them.")
