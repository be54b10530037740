"""Show how a model is parsed, which grid is searched, and what looks wrong: ``p2ce inspect``."""

from typing import TYPE_CHECKING, Any

from p2ce.apps.command_inputs import Inputs, Ready, check_files, make_ready
from p2ce.apps.messages import count_of, printable, stdout_console, working
from p2ce.apps.model_files.model_columns import columns_of_model
from p2ce.base.visible import echoed, listed, one_line
from p2ce.present.console import combinations_text, facts_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from p2ce.policy import Display
    from p2ce.result import ModelFacts, SampledPrice

FAVOURABLE = {-1: "down", 0: "", 1: "up"}  # by the sign of an association
FLAGGED = "favourable: the direction that goes with the target. Options that move against it are flagged."
HUGE = 10**9  # with more combinations, the front of a black box is likely to be estimated


def run_inspect(inputs: Inputs, console: "Console | None" = None) -> None:
    """Print all that is known about a model, and with a reference about the whole problem."""
    console = console or stdout_console()
    check_files(inputs, rows=False)
    if inputs.reference is None:
        _show_alone(inputs, console)
        return
    with working("Reading the model and the tables …"):
        ready = make_ready(inputs)
        facts = ready.explainer.describe()
        said = list(_warnings(inputs, ready, facts))
    with working("Comparing costs with and without plausibility …"):
        price = ready.explainer.sample_price_of_plausibility()
    _print_lines(console, _model_lines(inputs, ready, facts, price))
    console.print()
    _print_grid(console, ready)
    console.print()
    if not said:
        console.print("Nothing looks wrong.")
    for line in said:
        console.print(f"warning: {one_line(line)}", markup=False, style="yellow", soft_wrap=True)


def _show_alone(inputs: Inputs, console: "Console") -> None:
    """Print what the model file alone shows."""
    loaded = inputs.load(inputs.model)
    known = columns_of_model(loaded.model)
    lines = [("file", f"{inputs.model} ({loaded.kind})"), ("model", type(loaded.model).__name__)]
    if known.names is not None:
        lines.append(("columns", f"{len(known.names)}: {listed(known.names, 12)}"))
    elif known.count is not None:
        lines.append(("columns", f"{known.count}, without names"))
    for name, labels in known.categories.items():
        lines.append(
            ("category", f"{name}: {'labels not kept' if labels is None else listed(list(map(str, labels)))}")
        )
    classes = getattr(loaded.model, "classes_", None)
    if classes is not None:
        lines.append(("classes", ", ".join(map(str, list(classes)))))
    _print_lines(console, lines)
    console.print(
        "\nTo see how it is parsed and how results are proven, add --reference train.csv", markup=False
    )


def _model_lines(
    inputs: Inputs, ready: Ready, facts: "ModelFacts", price: "SampledPrice | None"
) -> "Iterator[tuple[str, str]]":
    yield "file", f"{inputs.model} ({ready.loaded.kind})"
    for name, text in facts_lines(facts):
        yield name, one_line(text)
    yield "candidates", _chosen_by(ready)
    if price is not None and price.people:
        yield "plausibility", _price_line(price)
    yield "population", f"{inputs.reference}: {count_of(len(ready.reference), 'row')}"


def _price_line(price: "SampledPrice") -> str:
    """Write how many people have no plausible option, and what plausibility costs the others."""
    has = "has" if price.left_without == 1 else "have"
    of_those = f"Of {count_of(price.people, 'rejected row')}, {price.left_without:,}"
    sentences = [f"{of_those} {has} an option only if implausible ones are allowed."]
    if price.undecided:
        sentences.append(f"For {price.undecided:,}, the search did not decide this.")
    if price.compared:
        ratios = ", ".join(f"{name} {ratio:.2f}" for name, ratio in price.median_ratio.items())
        people = count_of(price.compared, "row")
        sentences.append(f"Median cost with / without the requirement ({people}): {ratios}.")
    else:
        sentences.append("No costs could be compared.")
    return " ".join(sentences)


def _chosen_by(ready: Ready) -> str:
    chosen = any(feature.is_inferred and not feature.fixed for feature in ready.policy.features)
    return "chosen from the data and next to known thresholds" if chosen else "all stated by the policy"


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
    """Print a line per feature: its name, its kind, how it may move, and its candidate values."""
    from rich.table import Table
    from rich.text import Text

    from p2ce.policy.features.describe_features import feature_row

    features = [ready.policy[name] for name in ready.reference.columns]
    called = [_called(feature.display) for feature in features]
    # The explainer also knows the associations that the model and the labels show.
    favourable = [FAVOURABLE[ready.explainer.policy[feature.name].association] for feature in features]
    table = Table(show_edge=False, pad_edge=False)
    headings = ("feature", *(["called"] * any(called)), "kind", "may move")
    for heading in (*headings, *(["favourable"] * any(favourable)), "candidates"):
        table.add_column(heading, overflow="fold")
    for feature, name, way in zip(features, called, favourable, strict=True):
        own, kind, moves, candidates = feature_row(feature)
        row = (own, *([name] * any(called)), kind, moves, *([way] * any(favourable)), candidates)
        table.add_row(*(Text(printable(text)) for text in row))
    console.print(table)
    if any(favourable):
        console.print(FLAGGED, soft_wrap=True)


def _called(display: "Display") -> str:
    unit = display.unit_in("en")
    return display.name_in("en") + (f" ({unit})" if unit else "")


def _warnings(inputs: Inputs, ready: Ready, facts: "ModelFacts") -> "Iterator[str]":
    """List what looks wrong with model, population and policy."""
    import numpy as np

    from p2ce.policy.file.policy_lint import heavy_tails
    from p2ce.tables.codebook import MISSING, coding_of

    for name in ready.reference.columns:
        if ready.reference[name].nunique(dropna=False) == 1:
            yield (f"{echoed(name)} has the same value in every row of the population. No other is known.")
    moving = [name for name in ready.reference.columns if not ready.policy[name].fixed]
    if inputs.policy is None:
        for name in moving:
            if not ready.policy[name].is_category:
                codes = coding_of(ready.reference[name]).encode(ready.reference[name])
                known = codes[~np.isin(codes, [MISSING, *ready.policy[name].special])]
                if (text := heavy_tails(name, known)) is not None:
                    yield text
    else:
        yield from _lint(inputs)
    if not moving:
        yield "No feature may change, so no one has an option."
    if facts.is_black_box and facts.cells > HUGE:
        yield (
            f"The model is a black box, and there are {combinations_text(facts.cells)} combinations, so the "
            "status may be HEURISTIC. For a proof, fix features, use larger steps or lower --max-changes."
        )
    if len(ready.reference) < 100:
        yield (
            f"The population has only {count_of(len(ready.reference), 'row')}, so ranges and plausibility "
            "are unreliable."
        )


def _lint(inputs: Inputs) -> "Iterator[str]":
    from p2ce.policy.file.policy_file import parse_policy, read_policy_file
    from p2ce.policy.file.policy_lint import lint
    from p2ce.tables.table_files import read_table
    from p2ce.tables.typed_columns import with_gaps

    assert inputs.policy is not None
    assert inputs.reference is not None
    people = with_gaps(read_table(inputs.reference, "--reference", limits=inputs.limits))
    reading = parse_policy(read_policy_file(inputs.policy, limits=inputs.limits), limits=inputs.limits)
    for finding in lint(reading, people):
        if finding.code != "unnamed-column":
            yield f"{inputs.policy}:{finding.line}: {finding.message}"
