"""Explain the chosen people of a table: what ``p2ce explain`` does."""

import datetime
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p2ce.apps import partial_results as partial
from p2ce.apps import write_outputs as outputs
from p2ce.apps.command_inputs import Inputs, Ready, check_files, hash_of, make_ready
from p2ce.apps.explain_in_chunks import Work, explain_in_chunks
from p2ce.apps.messages import counted, error_line, notice, printable, stdout_console, working
from p2ce.apps.version_command import relevant_versions
from p2ce.apps.where_expression import SCORE, names_score, rows_where
from p2ce.errors import FAULT, InvalidArgument, nearest
from p2ce.visible import echoed

if TYPE_CHECKING:
    from p2ce.result import Explanations, Relaxations

DONE, SOME_FAILED, INTERRUPTED = 0, 3, 130
WHY_NONE_SECONDS = 5.0
FINGERPRINTED = 64  # people by whose scores a model is known again


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Which people to explain, how long it may take, and where the explanations go."""

    row: str | None = None
    where: str | None = None
    out: Path | None = None
    raw_csv: bool = False
    force: bool = False
    fresh: bool = False
    time_limit: float | None = None
    as_of: datetime.date | None = None
    jobs: int = 1
    language: str = "en"
    audience: str = "person"
    progress: bool | None = None


def run_explain(inputs: Inputs, task: Task) -> int:
    """Do it; give the exit code."""
    _check(inputs, task)
    with working("Reading the model and the tables …"):
        ready = make_ready(inputs)
        places = choose(ready, task, inputs)
    kept = None
    if task.out is not None and len(places) > 1:
        kept = partial.begin(partial.partial_path(task.out), _request(inputs, task, ready), fresh=task.fresh)
        if kept.done:
            notice(f"Going on with {kept.path}: {counted(len(kept.done), 'person', 'people')} done.")
    with working("Getting ready …"):
        ready.explainer.warm_up()
    work = explain_in_chunks(
        ready.explainer,
        ready.people,
        places,
        partial=kept,
        jobs=task.jobs,
        time_limit=task.time_limit,
        as_of=task.as_of,
        progress=task.progress,
    )
    if work.interrupted:
        return _stopped(work, places, kept)
    explanations = _collected(work, places, ready)
    why = _why_none(ready, explanations)
    if task.out is None:
        show(explanations, why, task)
    else:
        written = outputs.write(
            task.out,
            explanations,
            why=why,
            audience=task.audience,
            language=task.language,
            raw_csv=task.raw_csv,
        )
        if kept is not None:
            kept.path.unlink(missing_ok=True)
        _print_written(explanations, written)
    return _exit_code(explanations)


def _check(inputs: Inputs, task: Task) -> None:
    """Raise on wrong arguments before any file is read."""
    from p2ce.explain.check_arguments import check_jobs, check_time

    if task.row is not None and task.where is not None:
        raise InvalidArgument("--row and --where both choose people. Give one of them.")
    if task.out is not None:
        outputs.check_out(task.out, force=task.force, inputs=inputs.files)
    if task.jobs == 0:
        raise InvalidArgument(
            "--jobs 0 would do nothing. Give a number of processes, or -1 for one per core."
        )
    if task.time_limit is not None and not task.time_limit > 0:
        raise InvalidArgument(f"--time-limit {task.time_limit:g} is not a time. Give seconds above 0.")
    check_jobs(task.jobs)
    check_time(task.time_limit)
    check_words(task.audience, task.language)
    check_files(inputs)


def check_words(audience: str, language: str) -> None:
    """Raise if the audience or the language is unknown."""
    from p2ce.present.languages import words_in
    from p2ce.present.render import AUDIENCES

    if audience not in AUDIENCES:
        raise InvalidArgument(f"--audience {echoed(audience)} is not known. {nearest(audience, AUDIENCES)}")
    words_in(language)


def choose(ready: Ready, task: Task, inputs: Inputs) -> list[int]:
    """Return the positions of the chosen rows: one, those that match an expression, or all."""
    count = len(ready.people)
    if task.row is not None:
        return [_place(ready, task.row, inputs)]
    if task.where is None:
        return list(range(count))
    frame = ready.people.join(ready.extras)
    more: dict[str, Any] = {}
    if names_score(task.where, inputs.limits) and SCORE not in frame.columns:
        more[SCORE] = ready.explainer.scores(ready.people)
    elif names_score(task.where, inputs.limits):
        notice(
            f"--where takes {echoed(SCORE)} from the column of the data. Rename that for the model's own "
            "score."
        )
    fits = rows_where(task.where, frame, more, inputs.limits)
    if not fits.any():
        raise InvalidArgument(
            f"--where {echoed(task.where)} matches none of the {count:,} rows. Give a wider expression."
        )
    return [int(place) for place in fits.nonzero()[0]]


def _place(ready: Ready, row: str, inputs: Inputs) -> int:
    count = len(ready.people)
    if inputs.index_column is not None:
        labels = ["" if label is None else str(label) for label in ready.labels]
        found = [place for place, label in enumerate(labels) if label == row] or [
            place for place, label in enumerate(labels) if label.strip() == row.strip()
        ]
        if len(found) == 1:
            return found[0]
        if found:
            raise InvalidArgument(
                f"--row {echoed(row)} names {len(found)} rows: {echoed(inputs.index_column)} holds it in "
                f"rows {found[0]} and {found[1]}. Use another --index-column, or --where."
            )
        raise InvalidArgument(
            f"--row {echoed(row)} is not a label in {echoed(inputs.index_column)}, of {count:,} rows. "
            f"{nearest(row, labels)}"
        )
    try:
        place = int(row)
    except ValueError:
        raise InvalidArgument(
            f"--row {echoed(row)} is not a number. Rows count from 0 to {count - 1:,}; to go by a column of "
            "labels, name it with --index-column."
        ) from None
    if not 0 <= place < count:
        raise InvalidArgument(
            f"--row {place} does not exist: the data has {count:,} rows, 0 to {count - 1:,}."
        )
    return place


def _request(inputs: Inputs, task: Task, ready: Ready) -> dict[str, Any]:
    """List everything on which explanations depend, by the names of the command line."""
    said = asdict(inputs)
    files = ("data", "reference", "policy")
    plain = {
        f"--{name.replace('_', '-')}": str(said[name]) if said[name] is not None else None
        for name in said
        if name not in (*files, "model", "weights", "trust_model", "trust_predicates", "plausible", "limits")
    }
    return {
        # What users change themselves comes first: a long message is cut.
        "the file of --model": ready.loaded.sha256,
        # A model may depend on more than one file: modules that it imports, weights that it loads, a service.
        "the fingerprint of the model's scores": _fingerprint(ready),
        **{f"the file of --{name}": hash_of(said[name]) for name in files},
        **plain,
        "plausibility": inputs.plausible,
        "--where": task.where,
        "--time-limit": task.time_limit,
        "--as-of": None if task.as_of is None else task.as_of.isoformat(),
        **relevant_versions(),
    }


def _fingerprint(ready: Ready) -> str:
    """Hash the model's scores of some people, to six digits, which identifies the model."""
    import numpy as np

    from p2ce.explain.fingerprint import fingerprint_of

    scores = [
        ready.explainer.scores(frame.iloc[:: max(1, len(frame) // FINGERPRINTED)])
        for frame in (ready.reference, ready.people)
    ]
    return fingerprint_of(np.concatenate(scores)[None, :])


def _collected(work: Work, places: list[int], ready: Ready) -> "Explanations":
    from p2ce.result import Explanations

    return Explanations([work.done[place] for place in places], ids=[ready.labels[place] for place in places])


def _why_none(ready: Ready, explanations: "Explanations") -> "Relaxations | None":
    """Find relaxations that give an option to a single person who has none."""
    from p2ce.result import Status

    if len(explanations) != 1 or explanations[0].status is not Status.NO_RECOURSE:
        return None
    with working("No option: looking for relaxations …"):
        return ready.explainer.relaxations(explanations[0], time_limit=WHY_NONE_SECONDS)


def _stopped(work: Work, places: list[int], kept: "partial.Partial | None") -> int:
    done = sum(place in work.done for place in places)
    of = f"{done:,} of {counted(len(places), 'person', 'people')}"
    if kept is None:
        error_line(f"Interrupted; {of} were done and nothing was written. With --out, what is done is kept.")
    else:
        error_line(
            f"Interrupted; {of} are kept in {kept.path}. Run the same command again to go on, or with "
            "--fresh to start over."
        )
    return INTERRUPTED


def show(explanations: "Explanations", why: "Relaxations | None", task: Task) -> None:
    """Print one person in words, or many as a table."""
    from p2ce.apps.print_summary import print_summary
    from p2ce.present.render import to_text

    if len(explanations) == 1:
        words = to_text(explanations[0], audience=task.audience, language=task.language, why=why)
        # A terminal would break lines within words.
        stdout_console().print(printable(words), markup=False, soft_wrap=not sys.stdout.isatty())
        return
    print_summary(explanations, language=task.language)


def _print_written(explanations: "Explanations", written: list[Path]) -> None:
    """Print what was written and how many people have each status, since a table has no row for some."""
    options = counted(sum(map(len, explanations)), "option")
    print(f"{printable(' and '.join(map(str, written)))}: {options} for {explanations}.")


def _exit_code(explanations: "Explanations") -> int:
    from p2ce.result import Status

    bad = explanations.statuses[Status.ERROR]
    if not bad:
        return DONE
    failed = [place for place, entry in enumerate(explanations) if entry.status is Status.ERROR]
    faults = [place for place in failed if (explanations[place].message or "").startswith(FAULT)]
    first = (faults or failed)[0]
    blamed = ""
    if faults:
        blamed = f", {len(faults):,} by a fault of p2ce (see where with --debug, and please report it)"
    error_line(
        f"{counted(bad, 'row')} could not be explained{blamed}. "
        f"The first is {explanations.ids[first]}: {explanations[first].message}"
    )
    return SOME_FAILED
