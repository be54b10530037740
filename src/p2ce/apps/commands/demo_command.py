"""Explain a rejected applicant among made-up ones: ``p2ce demo``."""

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from p2ce.apps.messages import printable, stdout_console, working
from p2ce.apps.write_outputs import check_out, write_explanations
from p2ce.datasets import load_demo
from p2ce.present.views.view import View, view
from p2ce.result import Explanation, Explanations

if TYPE_CHECKING:
    import pandas as pd

    import p2ce

LOOKED_AT = 50  # rejected applicants, among whom one with several options is picked
WANTED_OPTIONS = 3
MOST_COLUMNS = 4  # options that the table shows side by side
NEXT = """Next:
  p2ce demo --out demo.html    write this explanation as a page
  p2ce inspect --help          check your own model and table"""


def run_demo(
    *,
    random_state: int = 0,
    console: Console | None = None,
    out: Path | None = None,
    force: bool = False,
    raw_csv: bool = False,
) -> None:
    """Train a model, explain one rejected applicant, and print the options, the proof and the time."""
    console = console or stdout_console()
    if out is not None:
        check_out(out, force=force)
    with working("Training a model on made-up applicants …", always=True):
        _, rejected, explainer = load_demo(random_state=random_state)
    with working("Getting ready …", always=True):
        explainer.warm_up()
    explanation = example_with_options(explainer, rejected)
    print_demo(explanation, console)
    if out is not None:
        write_explanations(
            out, Explanations([explanation]), why=None, audience="applicant", language="en", raw_csv=raw_csv
        )
        console.print(f"\nWritten: {printable(out)}", markup=False, soft_wrap=True)
    else:
        console.print(f"\n{NEXT}", markup=False, soft_wrap=True)


def example_with_options(explainer: "p2ce.Explainer", rejected: "pd.DataFrame") -> Explanation:
    """Explain rejected applicants until one has several options, else keep the one with the most."""
    best: Explanation | None = None
    for position in range(min(len(rejected), LOOKED_AT)):
        explanation = explainer.explain(rejected.iloc[position])
        if best is None or len(explanation) > len(best):
            best = explanation
        if len(best) >= WANTED_OPTIONS:
            break
    assert best is not None  # of 2,000 applicants some are always rejected
    return best


def print_demo(explanation: Explanation, console: Console) -> None:
    """Print the applicant with the options, then the options in words, the proof and the time."""
    seen = view(explanation, audience="officer")
    console.print(_applicant(seen))
    console.print(Text(f"{seen.standing.exact} {seen.found.exact}{':' if seen.options else '.'}"))
    console.print()
    for option in seen.options:
        best = f" ({option.best})" if option.best else ""
        console.print(
            Text.assemble((f"{option.number}. ", "bold green"), f"{option.do}. {option.outcome}{best}.")
        )
    if seen.options:
        console.print()
    console.print(Text(seen.proof.exact))
    console.print(Text(time_sentence(explanation), style="dim"))


def time_sentence(explanation: Explanation) -> str:
    """Write how long the explanation took, stage by stage."""
    stages = ", ".join(f"{stage} {_milliseconds(spent)}" for stage, spent in explanation.timings.items())
    return f"Time: {_milliseconds(explanation.elapsed)}" + (f" ({stages})." if stages else ".")


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:,.2f} ms" if seconds < 0.1 else f"{seconds:,.2f} s"


def _applicant(seen: View) -> Table:
    """Build a table of the applicant's values, with the changed values of each option next to them."""
    options = seen.options[:MOST_COLUMNS]
    table = Table(title="A rejected applicant", title_justify="left", title_style="bold")
    table.add_column("feature")
    table.add_column("today", justify="right")
    for option in options:
        table.add_column(f"option {option.number}", justify="right", style="bold green")
    for name, value in seen.explanation.person.items():
        changed = [
            Text(seen.wording.current(name, option.counterfactual.changes[name][1]))
            if name in option.counterfactual.changes
            else ""
            for option in options
        ]
        table.add_row(Text(seen.wording.name(name)), Text(seen.wording.current(name, value)), *changed)
    return table
