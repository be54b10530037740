"""Check and write policy files: ``p2ce policy check``, ``p2ce policy infer``."""

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from p2ce.apps import command_arguments as say
from p2ce.apps.command_arguments import PlainCommand, PlainGroup
from p2ce.apps.exit_codes import ExitCode
from p2ce.apps.messages import count_of, notice, printable
from p2ce.base.limits import Limits, read_limits
from p2ce.base.visible import echoed

if TYPE_CHECKING:
    import pandas as pd

    from p2ce.policy import Policy
    from p2ce.policy.file.policy_lint import Finding

app = typer.Typer(
    cls=PlainGroup,
    help="Create and check policy files: what may change, and how.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

MOST_PROPOSED = 6  # rules that the output lists
_ProtectedColumns = Annotated[
    str,
    typer.Option(
        help="Columns that no option may change, such as race,sex.", metavar="COLUMNS", show_default=False
    ),
]


class _SpecialValues(StrEnum):
    """How to treat values that look like codes."""

    DETECT = "detect"
    NONE = "none"


@app.command("check", cls=PlainCommand)
def check_command(
    path: Annotated[Path, typer.Argument(help="The policy: a YAML file.", metavar="POLICY")],
    data: Annotated[Path, typer.Argument(help="The population: CSV, TSV or Parquet.", metavar="DATA")],
    protected: _ProtectedColumns = "",
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.", metavar="")] = False,
    limit: say.LimitOption = None,
) -> None:
    """Check a policy file against a table, and report each problem with its line.

    [green]p2ce policy check policy.yaml train.csv[/]

    Exit codes: 0 no error · 1 an error, or with --strict a warning · 2 a file cannot be read
    """
    from p2ce.base.files import require_file
    from p2ce.policy.file.policy_file import parse_policy, read_policy_file
    from p2ce.policy.file.policy_lint import Severity, lint
    from p2ce.tables.table_files import read_table
    from p2ce.tables.typed_columns import with_gaps

    limits = read_limits(limit or ())
    reading = parse_policy(read_policy_file(require_file(path, "POLICY"), limits=limits), limits=limits)
    people = with_gaps(read_table(data, "DATA", may_be_empty=True, limits=limits))
    findings = lint(reading, people, protected=_names(protected))
    for finding in findings:
        print(printable(_line(path, finding)))
    errors = sum(finding.severity is Severity.ERROR for finding in findings)
    warnings = len(findings) - errors
    print(f"{printable(path)}: {count_of(errors, 'error')}, {count_of(warnings, 'warning')}.")
    raise typer.Exit(ExitCode.FAILED if errors or (strict and warnings) else ExitCode.DONE)


@app.command("infer", cls=PlainCommand)
def infer_command(
    data: Annotated[Path, typer.Argument(help="The training data: CSV, TSV or Parquet.", metavar="DATA")],
    out: Annotated[Path, typer.Option(help="The policy file to write.", metavar="FILE")] = Path(
        "policy.yaml"
    ),
    protected: _ProtectedColumns = "",
    drop: Annotated[
        str,
        typer.Option(
            help="Columns that the model does not use, such as the outcome.",
            metavar="COLUMNS",
            show_default=False,
        ),
    ] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.", metavar="")] = False,
    model: Annotated[
        str | None,
        typer.Option(
            help="A model file. The policy then has exactly its columns and categories.",
            metavar="FILE",
        ),
    ] = None,
    special_values: Annotated[
        _SpecialValues,
        typer.Option(
            help="detect: treat values that look like codes (-9, 999) as special values. none: treat every "
            "value as a number.",
        ),
    ] = _SpecialValues.DETECT,
    label_column: Annotated[
        str | None,
        typer.Option(
            help="The column of outcomes. It does not become a feature. Where a feature clearly goes with "
            "the outcome, the policy states the favourable direction.",
            metavar="COLUMN",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            help="The favourable outcome in --label-column. May be left out if its name shows it.",
            metavar="CLASS",
        ),
    ] = None,
    limit: say.LimitOption = None,
) -> None:
    """Write a draft policy, inferred from a table, for you to edit.

    [green]p2ce policy infer train.csv --model model.txt --out policy.yaml[/]

    Columns whose names look like protected attributes are protected, and columns that look like history or
    time may not decrease. The output lists them. Candidate values are chosen where people are. Relations
    that hold in all rows are proposed as rules.
    """
    from p2ce.apps.target_argument import meant_label
    from p2ce.base.files import require_other, require_place
    from p2ce.errors import InvalidTarget, UnnamedTarget
    from p2ce.policy import Policy
    from p2ce.policy.file.policy_file import save_policy

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
            special_values="detect" if special_values is _SpecialValues.DETECT else None,
        )
    except UnnamedTarget as error:
        calls = " or ".join(f"--target {one}" for one in error.classes[:6])
        raise InvalidTarget(
            f"The favourable outcome in {echoed(label_column)} is unclear. Add {calls}."
        ) from error
    # Protection by name is a guess, and a file that no one has edited is a draft.
    policy = replace(policy.protect(*wanted), stated=False)
    _propose(policy)
    save_policy(policy, out)
    if policy.proposed_rules:
        shown = ", ".join(rule.text() for rule in policy.proposed_rules[:MOST_PROPOSED])
        more = "" if len(policy.proposed_rules) <= MOST_PROPOSED else ", …"
        notice(
            f"These relations hold in all rows: {shown}{more}. To enforce one, move it from "
            "proposed_rules to rules."
        )
    names = printable(", ".join(one.name for one in policy.features if one.protected) or "none")
    print(f"{printable(out)}: {count_of(people.shape[1], 'feature')}, protected: {names}.")


def _people(data: Path, drop: list[str], model: str | None, limits: Limits) -> "pd.DataFrame":
    """Read the columns of the policy: those of the model, if there is one, else all of the table."""
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
    """Print the directions that the outcomes suggest."""
    ways = [f"{one.name} {one.association.name.lower()}" for one in policy.features if one.association]
    if ways:
        notice(
            f"These directions go with the favourable outcome: {', '.join(ways)}. Options that move against "
            "them are flagged. To forbid that, state them as direction: in the policy."
        )


def _tell_what_looks_wrong(people: "pd.DataFrame", *, alone: bool) -> None:
    """Report columns that are probably not features: ids, and perhaps the outcome."""
    import pandas as pd

    from p2ce.tables.dates import holds_dates

    for name in people.columns:
        labels = people[name].nunique()
        is_number = pd.api.types.is_numeric_dtype(people[name]) or holds_dates(people[name].dtype)
        if not is_number and labels > 20 and 2 * labels > len(people):
            notice(
                f"{echoed(name)} has {labels:,} labels in {len(people):,} rows. If it identifies people, add "
                f"--drop {name}"
            )
    if alone:
        notice(
            "Every column became a feature, including the outcome if there is one. Add --model, or leave the "
            "outcome out with --drop."
        )


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
