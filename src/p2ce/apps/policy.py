"""Look over and make policy files: ``p2ce policy check``, ``p2ce policy infer``."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import pandas as pd

    from p2ce.problem.policy_lint import Finding

app = typer.Typer(help="Look over and make policy files: what each feature may do.", no_args_is_help=True)

Names = Annotated[str, typer.Option(help="Columns that no advice may change: race,sex")]


@app.command()
def check(
    policy: Annotated[Path, typer.Argument(help="The policy, a YAML file.")],
    data: Annotated[Path, typer.Argument(help="The people that it is for: CSV, or Parquet.")],
    protected: Names = "",
    strict: Annotated[bool, typer.Option(help="Let warnings fail as errors do.")] = False,
) -> None:
    """Tell what in a policy cannot be meant, line by line.

    Ends with 0 if there is no error, 1 if there is one (with --strict also a warning), 2 if a file cannot
    be read.
    """
    from p2ce.errors import PolicyError
    from p2ce.problem.policy import read_file, read_policy
    from p2ce.problem.policy_lint import Severity, lint

    try:
        reading = read_policy(read_file(policy))
        people = read_table(data, as_text=True)
    except PolicyError as error:
        print(f"p2ce: {error}", file=sys.stderr)
        raise typer.Exit(2) from error
    findings = lint(reading, people, protected=_names(protected))
    for finding in findings:
        print(_line(policy, finding))
    errors = sum(finding.severity is Severity.ERROR for finding in findings)
    warnings = len(findings) - errors
    print(f"{policy}: {_count(errors, 'error')}, {_count(warnings, 'warning')}.")
    raise typer.Exit(1 if errors or (strict and warnings) else 0)


@app.command()
def infer(
    data: Annotated[Path, typer.Argument(help="The people that the model was fitted on: CSV, or Parquet.")],
    out: Annotated[Path, typer.Option(help="Where to write the policy.")] = Path("policy.yaml"),
    protected: Names = "",
    drop: Annotated[str, typer.Option(help="Columns that the model does not see, such as the outcome.")] = "",
    force: Annotated[bool, typer.Option(help="Replace the file if it exists.")] = False,
) -> None:
    """Write a first policy read off a table, to be edited.

    Columns whose names look like protected attributes are protected; the output says which.
    """
    from p2ce.errors import PolicyError
    from p2ce.problem import ActionSet
    from p2ce.problem.policy import save
    from p2ce.problem.policy_lint import likely_protected

    if out.exists() and not force:
        print(f"p2ce: {str(out)!r} exists. Choose another --out, or pass --force.", file=sys.stderr)
        raise typer.Exit(2)
    try:
        people = read_table(data)
    except PolicyError as error:
        print(f"p2ce: {error}", file=sys.stderr)
        raise typer.Exit(2) from error
    people = people.drop(columns=_known(_names(drop), people))
    likely = [name for name in people.columns if likely_protected(name) is not None]
    kept = list(dict.fromkeys([*_known(_names(protected), people), *likely]))
    try:
        save(ActionSet.infer(people).protect(*kept), out)
    except PolicyError as error:
        print(f"p2ce: {error}", file=sys.stderr)
        raise typer.Exit(2) from error
    print(f"{out}: {_count(people.shape[1], 'feature')}, protected: {', '.join(kept) or 'none'}.")


def read_table(path: Path, *, as_text: bool = False) -> "pd.DataFrame":
    """Read people from a file; as text, nothing is guessed about what a cell of a CSV file means."""
    import pandas as pd

    from p2ce.errors import PolicyError

    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            return pd.read_parquet(path).rename(columns=str)
        separator = "\t" if path.suffix.lower() in (".tsv", ".tab") else ","
        return pd.read_csv(path, sep=separator, dtype=str if as_text else None).rename(columns=str)
    except OSError as error:
        raise PolicyError(f"Cannot read {str(path)!r}: {error.strerror or error}.") from error
    except (ValueError, ImportError) as error:  # pandas' errors for what is no table are of this kind
        raise PolicyError(f"Cannot read {str(path)!r} as a table: {error}.") from error


def _known(names: list[str], people: "pd.DataFrame") -> list[str]:
    from p2ce.errors import UnknownFeature, nearest

    for name in names:
        if name not in people.columns:
            raise UnknownFeature(f"{name!r} is no column of the data. {nearest(name, people.columns)}")
    return names


def _names(given: str) -> list[str]:
    return [name.strip() for name in given.split(",") if name.strip()]


def _line(policy: Path, finding: "Finding") -> str:
    return f"{policy}:{finding.line}: {finding.severity}: {finding.message} [{finding.code}]"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
