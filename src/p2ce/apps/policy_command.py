"""Check and write policy files: ``p2ce policy check``, ``p2ce policy infer``."""

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from p2ce.apps import command_arguments as say
from p2ce.apps.exit_codes import ExitCode
from p2ce.apps.messages import counted, notice, printable
from p2ce.limits import Limits, read_limits
from p2ce.visible import echoed

if TYPE_CHECKING:
    import pandas as pd

    from p2ce.problem import Policy
    from p2ce.problem.policy_lint import Finding

app = typer.Typer(
    help="Look over and make policy files: what each feature may do.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

MOST_PROPOSED = 6  # rules that the output lists
Names = Annotated[str, typer.Option(help="Columns that no advice may change: race,sex")]


class SpecialValues(StrEnum):
    """What to do about values that look like codes."""

    DETECT = "detect"
    NONE = "none"


@app.command()
def check(
    path: Annotated[Path, typer.Argument(help="The policy, a YAML file.")],
    data: Annotated[Path, typer.Argument(help="The people that it is for: CSV, or Parquet.")],
    protected: Names = "",
    strict: Annotated[bool, typer.Option(help="Let warnings fail as errors do.")] = False,
    limit: say.Limit = None,
) -> None:
    """Report what is wrong in a policy, line by line.

    Ends with 0 if there is no error, 1 if there is one (with --strict also a warning), 2 if a file cannot
    be read.
    """
    from p2ce.check_paths import require_file
    from p2ce.problem.policy_file import parse_policy, read_file
    from p2ce.problem.policy_lint import Severity, lint
    from p2ce.tables.table_files import read_table
    from p2ce.tables.typed_columns import with_gaps

    limits = read_limits(limit or ())
    reading = parse_policy(read_file(require_file(path, "POLICY"), limits=limits), limits=limits)
    people = with_gaps(read_table(data, "DATA", may_be_empty=True, limits=limits))
    findings = lint(reading, people, protected=_names(protected))
    for finding in findings:
        print(printable(_line(path, finding)))
    errors = sum(finding.severity is Severity.ERROR for finding in findings)
    warnings = len(findings) - errors
    print(f"{printable(path)}: {counted(errors, 'error')}, {counted(warnings, 'warning')}.")
    raise typer.Exit(ExitCode.FAILED if errors or (strict and warnings) else ExitCode.DONE)


@app.command()
def infer(
    data: Annotated[Path, typer.Argument(help="The people that the model was fitted on: CSV, or Parquet.")],
    out: Annotated[Path, typer.Option(help="Where to write the policy.")] = Path("policy.yaml"),
    protected: Names = "",
    drop: Annotated[str, typer.Option(help="Columns that the model does not see, such as the outcome.")] = "",
    force: Annotated[bool, typer.Option(help="Replace the file if it exists.")] = False,
    model: Annotated[
        str | None,
        typer.Option(
            help="The model file: then only its columns are named, and what it takes for categories is one.",
            metavar="FILE",
        ),
    ] = None,
    special_values: Annotated[
        SpecialValues,
        typer.Option(
            help="[cyan]detect[/] takes what looks like a code (-9, 999) for a special value, which is not a "
            "number; [cyan]none[/] takes every value for a number.",
        ),
    ] = SpecialValues.DETECT,
    label_column: Annotated[
        str | None,
        typer.Option(
            help="The column of outcomes. It is not a feature; where a feature clearly goes with the "
            "outcome, the policy says which way.",
            metavar="COLUMN",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(help="The favourable outcome in --label-column, unless names say it.", metavar="CLASS"),
    ] = None,
    limit: say.Limit = None,
) -> None:
    """Write a first policy read off a table, to be edited.

    [green]p2ce policy infer train.csv --model model.txt --out policy.yaml[/]

    Columns whose names look like protected attributes are protected, and what looks like history or time
    never falls; the output says which. Candidates are chosen where people are. Relations between columns
    that hold in all rows are proposed as rules.
    """
    from p2ce.apps.target_argument import meant_label
    from p2ce.check_paths import require_other, require_place
    from p2ce.errors import InvalidTarget, UnnamedTarget
    from p2ce.problem import Policy
    from p2ce.problem.policy_file import save

    require_other(out, {"DATA": data, "--model": None if model is None else Path(model)})
    require_place(out, force=force)
    labels = None if label_column is None else _labels(data, label_column, read_limits(limit or ()))
    dropped = list(dict.fromkeys([*_names(drop), *([] if label_column is None else [label_column])]))
    people = _people(data, dropped, model, read_limits(limit or ()))
    wanted = _known(_names(protected), people)
    _tell_what_looks_wrong(people, alone=model is None and not dropped)
    try:
        policy = Policy.infer(
            people,
            labels,
            target=None if labels is None or target is None else meant_label(labels, target),
            special_values="detect" if special_values is SpecialValues.DETECT else None,
        )
    except UnnamedTarget as error:
        calls = " or ".join(f"--target {one}" for one in error.classes[:6])
        raise InvalidTarget(
            f"Nothing says which label of {echoed(label_column)} is the favourable outcome. Pass {calls}"
        ) from error
    # What names look like is not a statement of anybody's, and a file that nobody edited is a draft.
    policy = replace(policy.protect(*wanted), stated=False)
    _propose(policy)
    save(policy, out)
    if policy.proposed_rules:
        shown = ", ".join(rule.text() for rule in policy.proposed_rules[:MOST_PROPOSED])
        more = "" if len(policy.proposed_rules) <= MOST_PROPOSED else ", …"
        notice(f"Holds in all rows: {shown}{more}. To put it in force, move it from proposed_rules to rules.")
    names = printable(", ".join(one.name for one in policy.features if one.protected) or "none")
    print(f"{printable(out)}: {counted(people.shape[1], 'feature')}, protected: {names}.")


def _people(data: Path, drop: list[str], model: str | None, limits: Limits) -> "pd.DataFrame":
    """Read the columns that a policy speaks of: those of the model, if one is given."""
    from p2ce.apps.command_inputs import as_the_model_takes_it
    from p2ce.tables import typed_columns as cells
    from p2ce.tables.table_files import read_table

    table = read_table(data, "DATA", limits=limits)
    if model is not None:
        return as_the_model_takes_it(model, table, tuple(drop), limits)
    import pandas as pd

    _known(drop, table.frame)
    return pd.DataFrame({name: cells.natural(table, name) for name in table.columns if name not in drop})


def _labels(data: Path, name: str, limits: Limits) -> "pd.Series[Any]":
    """Read the outcomes."""
    from p2ce.tables import typed_columns as cells
    from p2ce.tables.table_files import read_table

    table = read_table(data, "DATA", limits=limits)
    _known([name], table.frame)
    return cells.natural(table, name)


def _propose(policy: "Policy") -> None:
    """State which directions the outcomes propose."""
    ways = [f"{one.name} {one.association.name.lower()}" for one in policy.features if one.association]
    if ways:
        notice(
            f"These go with the favourable outcome: {', '.join(ways)}. Options that move them the other way "
            "are flagged. To forbid that, write the same as direction: in the policy."
        )


def _tell_what_looks_wrong(people: "pd.DataFrame", *, alone: bool) -> None:
    """Report columns that are hardly features: those that name people, and perhaps the outcome."""
    import pandas as pd

    for name in people.columns:
        labels = people[name].nunique()
        is_number = pd.api.types.is_numeric_dtype(people[name])
        if not is_number and labels > 20 and 2 * labels > len(people):
            notice(
                f"{echoed(name)} holds {labels:,} labels in {len(people):,} rows. If it names people: "
                f"--drop {name}"
            )
    if alone:
        notice("Every column became a feature, the outcome too if it is there. Give --model, or --drop it.")


def _known(names: list[str], people: "pd.DataFrame") -> list[str]:
    from p2ce.errors import InvalidArgument, nearest

    for name in names:
        if name not in people.columns:
            raise InvalidArgument(
                f"{echoed(name)} is not a column of the data. {nearest(name, people.columns)}"
            )
    return names


def _names(given: str) -> list[str]:
    return [name.strip() for name in given.split(",") if name.strip()]


def _line(path: Path, finding: "Finding") -> str:
    return f"{path}:{finding.line}: {finding.severity}: {finding.message} [{finding.code}]"
