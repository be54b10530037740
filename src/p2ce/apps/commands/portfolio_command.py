"""Explain a portfolio from files to a folder of Parquet files: ``p2ce portfolio run``."""

import json
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from p2ce.apps import command_arguments as say
from p2ce.apps.command_arguments import PlainCommand, PlainGroup
from p2ce.apps.exit_codes import ExitCode
from p2ce.apps.messages import count_of, error_line, printable, working
from p2ce.base.limits import read_limits

if TYPE_CHECKING:
    from p2ce.portfolio.runs.portfolio_results import PortfolioResults

app = typer.Typer(
    cls=PlainGroup,
    help="Explain every person in files of any size, on one machine or a cluster.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@app.callback()
def portfolio() -> None:
    """Keep `run` separate: typer merges a single command with its group."""


portfolio.__doc__ = None  # the help of the app itself is shown instead


@app.command("run", cls=PlainCommand)
def run_command(
    explainer: Annotated[Path, say.option("The explainer that Explainer.save() wrote, in Python.", "FILE")],
    model: say.ModelOption,
    data: Annotated[
        Path,
        say.option("The people to explain: a Parquet or CSV file, or a folder of them.", "PATH"),
    ],
    out: Annotated[
        Path,
        say.option(
            "The folder to write: people/, options/ and manifest.json. Only your user can read it.",
            "FOLDER",
            panel=say.OUTPUT,
        ),
    ],
    id_column: Annotated[
        str | None,
        say.option(
            "The column that holds the ids. By default, the position in the data is the id.",
            "COLUMN",
            panel=say.PEOPLE,
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        say.option(
            "Copy these columns to the results, such as sex,age_band for an audit. Repeatable.",
            "COLUMNS",
            panel=say.PEOPLE,
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        say.option("Use this Dask cluster, such as tls://10.0.0.5:8786.", "ADDRESS", panel=say.OUTPUT),
    ] = None,
    jobs: Annotated[
        int,
        say.option(
            "The number of processes on this machine, without --scheduler; -1 for one per core.",
            "N",
            panel=say.OUTPUT,
        ),
    ] = 2,
    time_limit: say.TimeLimitOption = None,
    max_calls: say.MaxCallsOption = None,
    max_rows: say.MaxRowsOption = None,
    as_of: say.AsOfOption = None,
    progress: Annotated[
        bool | None,
        say.option(
            "Show a progress bar on stderr. By default it is shown on a terminal.",
            "",
            "--progress/--no-progress",
            panel=say.OUTPUT,
        ),
    ] = None,
    weights: say.WeightsOption = None,
    trust_model: say.TrustModelOption = False,
    trust_predicates: say.TrustPredicatesOption = False,
    limit: say.LimitOption = None,
) -> None:
    """Explain every person in a file or folder, and write the results to a folder of Parquet files.

    [bold]On this machine, with two processes:[/]
    [green]p2ce portfolio run --explainer credit.p2ce --model model.txt --data people/ --out results/[/]

    [bold]On a Dask cluster whose machines share a disk:[/]
    [green]p2ce portfolio run --explainer credit.p2ce --model model.txt --data /shared/people
    --out /shared/results --scheduler tls://10.0.0.5:8786[/]

    Ctrl-C stops the run and keeps finished work. Run the same command again to resume.
    """
    from p2ce.apps.model_files.load_model import load_model
    from p2ce.base.files import require_file
    from p2ce.compile.arguments import check_budget, check_jobs, check_time
    from p2ce.errors import UnfinishedRun
    from p2ce.explainer import Explainer
    from p2ce.portfolio.runs.cluster import connected
    from p2ce.portfolio.runs.journal import check_folder
    from p2ce.portfolio.runs.run_portfolio import run as run_portfolio
    from p2ce.result.stated_date import stated_date
    from p2ce.run.many.processes import job_count

    began = time.monotonic()
    limits = read_limits(limit or ())
    day = stated_date(as_of, name="--as-of")
    check_jobs(jobs, name="--jobs")
    check_time(time_limit, name="--time-limit")
    check_budget(max_calls, max_rows, names=("--max-calls", "--max-rows"))
    require_file(explainer, "--explainer")
    check_folder(out)
    before = _written(out)
    try:
        with nullcontext() if scheduler is None else connected(scheduler) as client:
            with working("Reading the model and the explainer …"):
                loaded = load_model(model, weights=weights, trust_model=trust_model, limits=limits)
                ready = Explainer.load(
                    explainer, loaded.model, trust_predicates=trust_predicates, limits=limits
                )
            results = run_portfolio(
                ready,
                data,
                out,
                client=client,
                n_jobs=job_count(jobs),
                progress=sys.stderr.isatty() if progress is None else progress,
                id_column=id_column,
                keep=[name for names in keep or () for name in names.split(",") if name],
                time_limit=time_limit,
                max_calls=max_calls,
                max_rows=max_rows,
                as_of=day,
                model_sha256=loaded.sha256,
                limits=limits,
            )
    except UnfinishedRun as error:
        error_line(error)
        raise typer.Exit(ExitCode.INCOMPLETE) from None
    except KeyboardInterrupt:
        error_line("Interrupted. Finished work is kept. Run the same command again to resume.")
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    raise typer.Exit(_report(results, out, None if _written(out) == before else time.monotonic() - began))


def _written(out: Path) -> int | None:
    """Return when the manifest was written, or None if there is none."""
    from p2ce.portfolio.runs.manifest import MANIFEST

    return (out / MANIFEST).stat().st_mtime_ns if (out / MANIFEST).exists() else None


def _report(results: "PortfolioResults", out: Path, seconds: float | None) -> ExitCode:
    """Print what was written, and return the exit code."""
    from p2ce.portfolio.runs.manifest import TIMINGS
    from p2ce.result.certificate import Status

    statuses = results.manifest.statuses
    counts = ", ".join(f"{count:,} {status}" for status, count in statuses.items())
    people = count_of(len(results), "person", "people")
    options = count_of(results.manifest.options, "option")
    print(f"{printable(out)}: {options} for {people}{': ' * bool(counts)}{counts}.")
    if seconds is None:
        print("The results were complete already.")
    else:
        timings = json.loads((results.path / TIMINGS).read_bytes())
        now, explaining = timings["people"], max(timings["explaining"], 0.001)
        shown = count_of(now, "person", "people")
        # The same time as the progress bar's, which begins when the workers are ready.
        print(
            f"{shown} in {explaining:,.1f} seconds ({now / explaining:,.0f} per second), "
            f"plus {max(seconds - explaining, 0.0):,.1f} seconds to start and finish."
        )
    failed = statuses.get(Status.ERROR.value, 0)
    if not failed:
        return ExitCode.DONE
    error_line(
        f"{count_of(failed, 'person', 'people')} could not be explained. See the column message in people/."
    )
    return ExitCode.INCOMPLETE
