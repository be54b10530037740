"""Show what a model is read as, over which grid people are searched, and what looks wrong."""

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from p2ce.apps.command_inputs import Ready, SavedArguments, check_files, make_ready
from p2ce.apps.messages import counted, one_line, printable, stdout_console, working
from p2ce.apps.model_files.load_model import load_model
from p2ce.apps.model_files.model_columns import columns_of
from p2ce.visible import echoed, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from p2ce.result import ModelFacts

HUGE = 10**9  # combinations, beyond which a model that can only be asked is likely to be estimated
BOUNDS = {
    "tree leaves": "read; proven by bounds from the leaves of its trees",
    "additive": "read; proven by bounds of its sum",
    "network": "read; proven by bounds of the network",
    "complete": "asked; proven by asking about every combination that may matter",
    "none": "proven by cost alone",
}


def run_inspect(asked: SavedArguments, console: "Console | None" = None) -> None:
    """Print everything that is known of a model, with a reference of the whole question."""
    console = console or stdout_console()
    check_files(asked, people=False)
    if asked.reference is None:
        _show_alone(asked, console)
        return
    with working("Reading the model and the tables …"):
        ready = make_ready(asked)
        facts = ready.explainer.describe()
        said = list(_warnings(asked, ready, facts))
    _print_lines(console, _model_lines(asked, ready, facts))
    console.print()
    _print_grid(console, ready)
    for rule in facts.rules:
        console.print(f"rule: {one_line(rule)}", markup=False, soft_wrap=True)
    console.print()
    if not said:
        console.print("Nothing looks wrong.")
    for line in said:
        console.print(f"warning: {one_line(line)}", markup=False, style="yellow", soft_wrap=True)


def _show_alone(asked: SavedArguments, console: "Console") -> None:
    """Tell what the file alone says."""
    loaded = load_model(
        asked.model, weights=asked.weights, trust_pickle=asked.trust_pickle, limits=asked.limits
    )
    known = columns_of(loaded.model)
    lines = [("file", f"{asked.model} ({loaded.kind})"), ("model", type(loaded.model).__name__)]
    if known.names is not None:
        lines.append(("columns", f"{len(known.names)}: {listed(known.names, 12)}"))
    elif known.count is not None:
        lines.append(("columns", f"{known.count}, known by place only"))
    for name, labels in known.categories.items():
        lines.append(
            ("category", f"{name}: {'labels not kept' if labels is None else listed(list(map(str, labels)))}")
        )
    classes = getattr(loaded.model, "classes_", None)
    if classes is not None:
        lines.append(("classes", ", ".join(map(str, list(classes)))))
    _print_lines(console, lines)
    console.print(
        "\nHow it is read and proven shows with its population: --reference train.csv", markup=False
    )


def _model_lines(asked: SavedArguments, ready: Ready, facts: "ModelFacts") -> "Iterator[tuple[str, str]]":
    yield "file", f"{asked.model} ({ready.loaded.kind})"
    yield "read as", facts.family
    yield "answers", BOUNDS.get(facts.bound, facts.bound)
    if facts.black_box_because:
        yield "why asked", one_line(facts.black_box_because)
    yield "columns", f"{len(facts.columns)}"
    if facts.classes:
        yield "classes", ", ".join(map(str, facts.classes))
    yield "wanted", _wanted(facts)
    yield "objectives", ", ".join(facts.objectives)
    limit = (
        "any number of changes"
        if facts.max_changes is None
        else f"at most {counted(facts.max_changes, 'change')}"
    )
    moving = f"{counted(len(facts.alternatives), 'feature')} may change"
    yield "grid", f"{moving}; about {_about(facts.cells)} combinations with {limit}; {_chosen_by(ready)}"
    yield (
        "detector",
        "none: implausible options are not kept out" if facts.detector is None else facts.detector,
    )
    yield "population", f"{asked.reference}: {counted(len(ready.reference), 'row')}"


def _chosen_by(ready: Ready) -> str:
    chosen = any(feature.is_inferred and not feature.fixed for feature in ready.actions.features)
    return "candidates by the data, and beside known thresholds" if chosen else "all candidates given"


def _wanted(facts: "ModelFacts") -> str:
    from p2ce.result.outcome_text import is_strict

    what = {"probability": "probability", "decision": "decision value"}.get(facts.scale)
    if what is None:
        return f"{facts.target}"
    least = "more than" if is_strict(facts.threshold) else "at least"
    return f"{what} of {facts.target} {least} {facts.threshold:g}"


def _about(cells: int) -> str:
    return f"{cells:,}" if cells < 10**9 else f"{Decimal(cells):.1e}"


def _print_lines(console: "Console", lines: Any) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in lines:
        table.add_row(name, Text(printable(text)))
    console.print(table)


def _print_grid(console: "Console", ready: Ready) -> None:
    """Print a line per feature: what it is, whether it may move, and to which values."""
    from rich.table import Table
    from rich.text import Text

    rows = _grid_rows(ready)
    named = any(row[1] for row in rows)
    table = Table(show_edge=False, pad_edge=False)
    for heading in ("feature", *(["called"] if named else []), "kind", "may move", "candidates"):
        table.add_column(heading, overflow="fold")
    for name, called, *rest in rows:
        texts = [name, *([called] if named else []), *rest]
        table.add_row(*(Text(printable(text)) for text in texts))
    console.print(table)


def _grid_rows(ready: Ready) -> list[list[str]]:
    from p2ce.problem.actions_table import described_candidates

    rows = []
    for name in ready.reference.columns:
        feature = ready.actions[name]
        unit = feature.display.unit_in("en")
        called = feature.display.name_in("en") + (f" ({unit})" if unit else "")
        moves = (
            "protected" if feature.protected else "never" if feature.fixed else feature.direction.name.lower()
        )
        moves = {"both": "either way"}.get(moves, moves)
        rows.append(
            [name, called, str(feature.kind), moves, "" if feature.fixed else described_candidates(feature)]
        )
    return rows


def _warnings(asked: SavedArguments, ready: Ready, facts: "ModelFacts") -> "Iterator[str]":
    """Say what looks wrong with model, population and policy."""
    from p2ce.problem.policy_lint import heavy_tails, likely_protected
    from p2ce.tables.codebook import MISSING, coding_of

    for name in ready.reference.columns:
        if ready.reference[name].nunique(dropna=False) == 1:
            yield (
                f"{echoed(name)} is the same in every row of the population, so that nothing is known "
                "about it."
            )
    moving = [name for name in ready.reference.columns if not ready.actions[name].fixed]
    if asked.policy is None:
        for name in moving:
            if likely_protected(name) is not None:
                yield f"{echoed(name)} may change, but looks protected."
            if not ready.actions[name].is_category:
                codes = coding_of(ready.reference[name]).encode(ready.reference[name])
                if (text := heavy_tails(name, codes[codes != MISSING])) is not None:
                    yield text
    else:
        yield from _lint(asked)
    if not moving:
        yield "No feature may change: nobody can be given an option."
    if facts.is_black_box and facts.cells > HUGE:
        yield (
            f"The model can only be asked, and there are {_about(facts.cells)} combinations: answers may be "
            "HEURISTIC. Fix features, coarsen steps or lower --max-changes for proof."
        )
    if len(ready.reference) < 100:
        yield f"The population has {counted(len(ready.reference), 'row')}: it says little about people."


def _lint(asked: SavedArguments) -> "Iterator[str]":
    from p2ce.apps.table_files import read_table
    from p2ce.apps.typed_columns import with_gaps
    from p2ce.problem.policy_file import parse_policy, read_file
    from p2ce.problem.policy_lint import lint

    assert asked.policy is not None
    assert asked.reference is not None
    people = with_gaps(read_table(asked.reference, "--reference", limits=asked.limits))
    reading = parse_policy(read_file(asked.policy, limits=asked.limits), limits=asked.limits)
    for finding in lint(reading, people):
        if finding.code != "unnamed-column":
            yield f"{asked.policy}:{finding.line}: {finding.message}"
