"""Offer the library on the command line: ``p2ce demo``, ``p2ce policy``, ``p2ce version``."""

import sys
from importlib.metadata import version as installed_version
from typing import Annotated

import typer

from p2ce.apps import policy

app = typer.Typer(
    help="Every Pareto-optimal, plausible way to the wanted decision of a model, with a proof.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(policy.app, name="policy")


@app.command()
def demo(
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Which applicants to make up.")] = 0,
) -> None:
    """Explain one refused loan applicant, made up from a seed: options, proof and time."""
    from p2ce.apps.demo import run_demo  # here, so that --help stays quick

    run_demo(seed=seed)


@app.command()
def version() -> None:
    """Print the installed version."""
    print(f"p2ce {installed_version('p2ce')}")


def main() -> None:
    """Run the command line; an error of this library is a message, not a traceback."""
    from p2ce.errors import P2CEError

    try:
        app()
    except P2CEError as error:
        print(f"p2ce: {error}", file=sys.stderr)
        raise SystemExit(2) from error
