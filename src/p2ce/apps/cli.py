"""Declare the commands: explain, portfolio, audit, evidence, replay, inspect, demo, policy and others."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from p2ce.apps import command_arguments as say
from p2ce.apps.command_arguments import EXPLAIN, GOVERN, POLICY, SETUP, START, PlainCommand, PlainGroup
from p2ce.apps.commands import policy_command, portfolio_command
from p2ce.apps.exit_codes import HELP, ExitCode, exit_code_of
from p2ce.apps.messages import DEBUG
from p2ce.base.limits import read_limits

app = typer.Typer(
    cls=PlainGroup,
    help="Find everything that a rejected applicant could change to be accepted.\n\n"
    "Start with [bold]p2ce demo[/]. Then explain the people in your own table:\n\n"
    "[green]p2ce explain --model model.txt --data people.csv --reference train.csv --out report.html[/]",
    epilog=HELP,
    no_args_is_help=True,
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.add_typer(policy_command.app, name="policy", rich_help_panel=POLICY)
app.add_typer(portfolio_command.app, name="portfolio", rich_help_panel=EXPLAIN)


@app.callback()
def settings(
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Show the traceback of an error, as P2CE_DEBUG=1 does.", metavar=""),
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the installed version.", metavar="")
    ] = False,
) -> None:
    """See the help of ``app``."""
    if debug:
        os.environ[DEBUG] = "1"
    if version:
        from p2ce.apps.commands.setup_commands import version_lines

        print("\n".join(version_lines(verbose=False)))
        raise typer.Exit(ExitCode.DONE)


settings.__doc__ = None  # the help of the app itself is shown instead


@app.command("demo", cls=PlainCommand, rich_help_panel=START)
def demo_command(
    random_state: Annotated[
        int,
        typer.Option(
            min=0, max=2**32 - 1, help="The seed of the made-up applicants.", metavar="N", show_default=True
        ),
    ] = 0,
    out: Annotated[
        Path | None,
        say.option(
            "Also write a report, such as demo.html. Other endings: .md, .json, .csv, .parquet.",
            "FILE",
            panel=say.OUTPUT,
        ),
    ] = None,
    raw_csv: say.RawCsvOption = False,
    force: say.ForceOption = False,
) -> None:
    """Explain a made-up loan applicant who was rejected."""
    from p2ce.apps.commands.demo_command import run_demo  # here, so that --help stays quick

    run_demo(random_state=random_state, out=out, force=force, raw_csv=raw_csv)


@app.command("inspect", cls=PlainCommand, rich_help_panel=START)
def inspect_command(
    model: say.ModelOption,
    reference: say.ReferenceAloneOption = None,
    policy: say.PolicyOption = None,
    target: say.TargetOption = None,
    at_least: say.AtLeastOption = None,
    at_most: say.AtMostOption = None,
    max_changes: say.MaxChangesOption = 3,
    objective: say.ObjectivesOption = None,
    contamination: say.ContaminationOption = None,
    no_plausibility: say.NoPlausibilityOption = False,
    plausibility_of_today: say.PlausibilityOfTodayOption = "counts",
    weights: say.WeightsOption = None,
    trust_model: say.TrustModelOption = False,
    trust_predicates: say.TrustPredicatesOption = False,
    drop: say.DropOption = None,
    limit: say.LimitOption = None,
) -> None:
    """Check a model, its data and its policy before you explain anyone.

    [green]p2ce inspect --model model.txt --reference train.csv --policy policy.yaml[/]

    Prints how the model is parsed, how results are proven, the candidate values of each feature, and what
    looks wrong. Without --reference, it prints the model's type, columns and categories.
    """
    from p2ce.apps.command_inputs import Inputs
    from p2ce.apps.commands.inspect_command import run_inspect

    run_inspect(
        Inputs(
            model=model,
            reference=reference,
            policy=policy,
            weights=weights,
            trust_model=trust_model,
            trust_predicates=trust_predicates,
            drop=tuple(drop or ()),
            limits=read_limits(limit or ()),
            target=target,
            at_least=at_least,
            at_most=at_most,
            max_changes=max_changes or None,
            objectives=tuple(objective or ()),
            contamination=contamination,
            plausible=not no_plausibility,
            plausibility_of_today=plausibility_of_today,
        )
    )


@app.command("explain", cls=PlainCommand, rich_help_panel=EXPLAIN, epilog=HELP)
def explain_command(
    model: say.ModelOption,
    data: say.DataOption,
    reference: say.ReferenceOption = None,
    policy: say.PolicyOption = None,
    id: Annotated[  # noqa: A002
        str | None,
        say.option(
            "Explain one row only. ID is its number, counted from 0 without the header, or its id in "
            "--id-column.",
            "ID",
            panel=say.PEOPLE,
        ),
    ] = None,
    rejected: Annotated[
        bool,
        say.option("Explain only the rows that the model rejects.", "", "--rejected", panel=say.PEOPLE),
    ] = False,
    id_column: say.IdColumnOption = None,
    out: Annotated[
        Path | None,
        say.option(
            "The file to write. Its ending chooses the format: .html or .md to read, .json with everything "
            "(an object), .csv or .parquet with a row per option. A table also gets a .summary file with a "
            "row per person. Without --out, the explanation is printed.",
            "FILE",
            panel=say.OUTPUT,
        ),
    ] = None,
    raw_csv: say.RawCsvOption = False,
    force: say.ForceOption = False,
    target: say.TargetOption = None,
    at_least: say.AtLeastOption = None,
    at_most: say.AtMostOption = None,
    max_changes: say.MaxChangesOption = 3,
    outcome: say.OutcomeOption = None,
    points: say.PointsOption = None,
    limits: say.RowLimitsOption = None,
    objective: say.ObjectivesOption = None,
    contamination: say.ContaminationOption = None,
    no_plausibility: say.NoPlausibilityOption = False,
    plausibility_of_today: say.PlausibilityOfTodayOption = "counts",
    price_of_plausibility: say.PriceOfPlausibilityOption = False,
    time_limit: say.TimeLimitOption = None,
    max_calls: say.MaxCallsOption = None,
    max_rows: say.MaxRowsOption = None,
    as_of: say.AsOfOption = None,
    jobs: say.JobsOption = 1,
    language: say.LanguageOption = "en",
    audience: say.AudienceOption = "applicant",
    progress: Annotated[
        bool | None,
        say.option(
            "Show a progress bar on stderr. By default it is shown on a terminal, for more than one person.",
            "",
            "--progress/--no-progress",
            panel=say.OUTPUT,
        ),
    ] = None,
    weights: say.WeightsOption = None,
    trust_model: say.TrustModelOption = False,
    trust_predicates: say.TrustPredicatesOption = False,
    drop: say.DropOption = None,
    limit: say.LimitOption = None,
) -> None:
    """List what rejected applicants could change to be accepted, and state what is proven.

    [bold]Every person in a table, as a report:[/]
    [green]p2ce explain --model model.txt --data people.csv --reference train.csv --out report.html[/]

    [bold]One person, in words:[/]
    [green]p2ce explain --model model.json --data people.csv --reference train.csv --id 17[/]

    [bold]Rejected applicants, as a table:[/]
    [green]p2ce explain --model model.cbm --data people.csv --rejected --out out.csv[/]

    [bold]A PyTorch network that your code builds:[/]
    [green]p2ce explain --model nets:make_network --weights weights.pt --data people.csv --drop Repaid[/]

    Without --id and --rejected, every row is explained. Accepted applicants get no options.

    Ctrl-C stops the run and writes the finished rows. Use p2ce portfolio run for long runs: it can resume.
    """
    from p2ce.apps.command_inputs import Inputs
    from p2ce.apps.commands.explain_command import Task, run_explain
    from p2ce.result.stated_date import stated_date

    inputs = Inputs(
        model=model,
        data=data,
        reference=reference,
        policy=policy,
        weights=weights,
        trust_model=trust_model,
        trust_predicates=trust_predicates,
        id_column=id_column,
        drop=tuple(drop or ()),
        limits=read_limits(limit or ()),
        target=target,
        at_least=at_least,
        at_most=at_most,
        outcome=outcome,
        points=points,
        row_limits=limits,
        max_changes=max_changes or None,
        objectives=tuple(objective or ()),
        contamination=contamination,
        plausible=not no_plausibility,
        plausibility_of_today=plausibility_of_today,
        price_of_plausibility=price_of_plausibility,
    )
    task = Task(
        id=id,
        rejected=rejected,
        out=out,
        raw_csv=raw_csv,
        force=force,
        time_limit=time_limit,
        max_calls=max_calls,
        max_rows=max_rows,
        as_of=stated_date(as_of, name="--as-of"),
        jobs=jobs,
        language=language,
        audience=audience,
        progress=progress,
    )
    raise typer.Exit(run_explain(inputs, task))


@app.command("audit", cls=PlainCommand, rich_help_panel=GOVERN)
def audit_command(
    results: Annotated[
        Path,
        typer.Argument(
            metavar="RESULTS",
            help="The folder that p2ce portfolio run wrote, or the JSON file that p2ce explain wrote.",
            readable=False,
        ),
    ],
    groups: Annotated[
        str,
        say.option(
            "Columns to group by, such as sex,age_band. Each is compared alone, then all combined.", "COLUMNS"
        ),
    ],
    data: Annotated[
        Path | None,
        say.option(
            "A table with the columns of --groups that the results lack: CSV, TSV (also .gz) or Parquet.",
            "FILE",
        ),
    ] = None,
    id_column: Annotated[
        str | None,
        say.option(
            "The column of --data that holds the ids. By default, the id column of the run; if it has none, "
            "the order of the rows.",
            "COLUMN",
        ),
    ] = None,
    min_size: Annotated[
        int, say.option("Hide figures based on fewer than N people.", "N", panel=say.PROBLEM)
    ] = 30,
    confidence: Annotated[
        float, say.option("Confidence level of the intervals.", "SHARE", panel=say.PROBLEM)
    ] = 0.95,
    permutations: Annotated[
        int, say.option("Permutations per test; raise it for hundreds of groups.", "N", panel=say.PROBLEM)
    ] = 20_000,
    random_state: Annotated[
        int, say.option("Seed of the resamples and permutations.", "N", panel=say.PROBLEM)
    ] = 0,
    out: Annotated[
        Path | None,
        say.option(
            "The file to write: .html, .md, .csv or .json. Without --out, the audit is printed.",
            "FILE",
            panel=say.OUTPUT,
        ),
    ] = None,
    language: say.LanguageOption = "en",
    raw_csv: say.RawCsvOption = False,
    force: say.ForceOption = False,
    limit: say.LimitOption = None,
) -> None:
    """Compare groups: how many are rejected, how many have an option, and how much must change.

    [green]p2ce audit results/ --groups sex,age_band --out audit.html[/]

    Differences come with confidence intervals and permutation tests. The group columns need not be columns
    of the model: keep them in the run with --keep, or pass them with --data.
    """
    from p2ce.apps.commands.audit_command import run_audit

    run_audit(
        results,
        groups=groups,
        data=data,
        id_column=id_column,
        settings={
            "min_size": min_size,
            "confidence": confidence,
            "permutations": permutations,
            "random_state": random_state,
        },
        out=out,
        language=language,
        raw_csv=raw_csv,
        force=force,
        limits=read_limits(limit or ()),
    )


@app.command("evidence", cls=PlainCommand, rich_help_panel=GOVERN)
def evidence_command(
    results: Annotated[
        Path,
        typer.Argument(metavar="RESULTS", help="The folder that p2ce portfolio run wrote.", readable=False),
    ],
    id: Annotated[str, say.option("The id of the person.", "ID", panel=say.PEOPLE)],  # noqa: A002
    out: Annotated[Path, say.option("The zip file to write.", "FILE", panel=say.OUTPUT)],
    model: say.OptionalModelOption = None,
    with_model: Annotated[
        bool, say.option("Include the model file.", "", "--with-model", panel=say.OUTPUT)
    ] = False,
    sign: Annotated[
        Path | None,
        say.option(
            "Sign the file with this Ed25519 private key (PEM or OpenSSH). P2CE_KEY_PASSPHRASE holds its "
            "passphrase, if it has one.",
            "KEY",
            panel=say.OUTPUT,
        ),
    ] = None,
    force: say.ForceOption = False,
    weights: say.WeightsOption = None,
    trust_model: say.TrustModelOption = False,
    trust_predicates: say.TrustPredicatesOption = False,
    limit: say.LimitOption = None,
) -> None:
    """Save everything behind one person's explanation in a file, for a regulator or a court.

    [green]p2ce evidence results/ --id 1234 --model model.txt --out case-1234.zip[/]

    The file holds the person, the policy, hashes, versions, every option, the certificate, a readme, and the
    explainer with its whole reference population. Protect it as you protect the data. With --model, it also
    holds the grid that was searched.
    """
    from p2ce.apps.command_inputs import ModelArguments
    from p2ce.apps.commands.evidence_command import run_evidence

    given = ModelArguments(
        model=model,
        weights=weights,
        trust_model=trust_model,
        trust_predicates=trust_predicates,
        limits=read_limits(limit or ()),
    )
    run_evidence(results, id=id, out=out, given=given, with_model=with_model, sign=sign, force=force)


@app.command("replay", cls=PlainCommand, rich_help_panel=GOVERN)
def replay_command(
    case: Annotated[
        Path,
        typer.Argument(metavar="EVIDENCE", help="The zip file that p2ce evidence wrote.", readable=False),
    ],
    model: say.OptionalModelOption = None,
    explainer: Annotated[
        Path | None,
        say.option(
            "Use the policy, settings and population of this explainer (.p2ce) instead of those in the file.",
            "FILE",
        ),
    ] = None,
    public_key: Annotated[
        Path | None,
        say.option("Require a signature that this public key verifies (PEM or OpenSSH).", "KEY"),
    ] = None,
    weights: say.WeightsOption = None,
    trust_model: say.TrustModelOption = False,
    trust_predicates: say.TrustPredicatesOption = False,
    limit: say.LimitOption = None,
) -> None:
    """Repeat the search of an evidence file and report every difference.

    [green]p2ce replay case-1234.zip --model model.txt[/]

    All checksums are verified first. Without --model, the model in the evidence file is used. The report
    lists what was compared, what was not compared, and what rests on the file alone.

    Exit codes: 0 same result · 2 a file cannot be read or was changed · 3 something differs, or the
    signature is not valid
    """
    from p2ce.apps.command_inputs import ModelArguments
    from p2ce.apps.commands.evidence_command import run_replay

    given = ModelArguments(
        model=model,
        weights=weights,
        trust_model=trust_model,
        trust_predicates=trust_predicates,
        limits=read_limits(limit or ()),
    )
    raise typer.Exit(run_replay(case, given=given, explainer=explainer, public_key=public_key))


@app.command("warm-up", cls=PlainCommand, rich_help_panel=SETUP)
def warm_up_command(
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Compile for every kind of problem: additive models, networks, black boxes, options of "
            "equal cost, time limits, any number of changes, the SHAP estimate and the paper's algorithms.",
            metavar="",
        ),
    ] = False,
) -> None:
    """Compile the search ahead of time, so that the first explanation is quick.

    The compiled code stays in the cache, for example of a container image. Without --all, it covers tree
    models and the isolation forest.
    """
    from p2ce.apps.commands.setup_commands import run_warm_up

    run_warm_up(everything=everything)


@app.command("version", cls=PlainCommand, rich_help_panel=SETUP)
def version_command(
    verbose: Annotated[
        bool,
        typer.Option("--verbose", "-v", help="Also print the versions of the libraries in use.", metavar=""),
    ] = False,
) -> None:
    """Print the installed version."""
    from p2ce.apps.commands.setup_commands import version_lines

    print("\n".join(version_lines(verbose=verbose)))


def main(arguments: list[str] | None = None) -> None:
    """Run the command line. An error is one line that says what to do, never a traceback."""
    raise SystemExit(exit_code_of(app, sys.argv[1:] if arguments is None else arguments))
