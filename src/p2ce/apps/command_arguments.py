"""Declare what several commands share: arguments with their help, and plain pages of ``--help``."""

import re
from inspect import cleandoc
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

FILES, PROBLEM, PEOPLE, OUTPUT = "Files", "Problem", "Which rows", "Output"
START, EXPLAIN, POLICY, GOVERN, SETUP = "Start", "Explain", "Policy", "Govern", "Setup"
PANELS = (START, EXPLAIN, POLICY, GOVERN, SETUP)
# The end of a line within a paragraph. A line that begins with markup keeps its own line.
LINE_END = re.compile(r"(?<!\n)\n(?![\n\[])")


def option(help: str, metavar: str | None = None, *names: str, panel: str = FILES) -> Any:  # noqa: A002
    """Return an option. A flag has the metavar ``""``.

    Files are checked when they are read, with a better message than typer's.
    """
    return typer.Option(*names, help=help, metavar=metavar, readable=False, rich_help_panel=panel)


_MODEL = (
    "The model: LightGBM text, XGBoost JSON or UBJ, CatBoost cbm, ONNX, or module:factory for a model that "
    "your Python code builds. Pickles and skops files need --trust-model."
)
_DATA = "The people to explain: CSV, TSV (also .gz) or Parquet."
_REFERENCE = "The population, preferably the training data. It defines "

ModelOption = Annotated[str, option(_MODEL, "FILE")]
OptionalModelOption = Annotated[
    str | None, option("The model. See p2ce explain --help for the formats.", "FILE")
]
DataOption = Annotated[Path, option(_DATA, "FILE")]
ReferenceOption = Annotated[
    Path | None,
    option(f"{_REFERENCE}ranges, distances and plausibility. By default, --data.", "FILE"),
]
ReferenceAloneOption = Annotated[
    Path | None, option(f"{_REFERENCE}the candidate values and plausibility.", "FILE")
]
PolicyOption = Annotated[
    Path | None,
    option(
        "What may change, and how (YAML). Without it, a draft is inferred from the population; columns that "
        "look protected do not change.",
        "FILE",
    ),
]
WeightsOption = Annotated[
    Path | None, option("The PyTorch weights of the network that module:factory builds.", "FILE")
]
TrustModelOption = Annotated[
    bool,
    option("Allow a pickle, joblib or skops file. Loading it runs its author's code.", "", "--trust-model"),
]
TrustPredicatesOption = Annotated[
    bool,
    option(
        "Allow the policy to call Python functions that it names. They are its author's code.",
        "",
        "--trust-predicates",
    ),
]
DropOption = Annotated[
    list[str] | None,
    option("Leave out this column, for models that do not store column names. Repeatable.", "COLUMN"),
]
LimitOption = Annotated[
    list[str] | None,
    option(
        "Raise a limit on file sizes, such as table-rows=50e6, table-bytes=8GB or model-memory=16GB. The "
        "error names the limit to raise. Repeatable.",
        "NAME=AMOUNT",
    ),
]
IdColumnOption = Annotated[
    str | None,
    option("The column that holds the ids, for --id and the output.", "COLUMN", panel=PEOPLE),
]
TargetOption = Annotated[
    str | None,
    option(
        "The favourable class. May be left out if the names of the classes or of the label column show it. "
        "Several classes, any of which is favourable, are joined by commas. For a regressor, the favourable "
        "range, such as 1000: or 10:20.",
        "CLASS",
        panel=PROBLEM,
    ),
]
AtLeastOption = Annotated[
    float | None,
    option(
        "The score that the target must reach. By default, the model's own threshold, or 0.5.",
        "NUMBER",
        panel=PROBLEM,
    ),
]
AtMostOption = Annotated[
    float | None,
    option(
        "The highest score that is accepted, if --target names the unfavourable class: --target 1 --at-most "
        "0.08 for a probability of default of at most 8 %.",
        "NUMBER",
        panel=PROBLEM,
    ),
]
OutcomeOption = Annotated[
    str | None,
    option(
        "What the target class means in texts, such as default for the probability of default.",
        "WORD",
        panel=PROBLEM,
    ),
]
PointsOption = Annotated[
    str | None,
    option(
        "Show scores in points of a scorecard: the points, the odds of good to bad at which they hold, and "
        "the points that double the odds, such as 600,50,20. The search stays the same.",
        "BASE,ODDS,PDO",
        panel=PROBLEM,
    ),
]
RowLimitsOption = Annotated[
    Path | None,
    option(
        "A table with each person's own limits, in columns such as Income_low and Income_high. They only "
        "narrow what the policy allows. An empty cell sets none. Rows match by --id-column, or else in their "
        "order.",
        "FILE",
        "--limits",
        panel=PROBLEM,
    ),
]
MaxChangesOption = Annotated[
    int, option("The most features that may change at once; 0 for no limit.", "N", panel=PROBLEM)
]
ObjectivesOption = Annotated[
    list[str] | None,
    option(
        "What to minimise; by default mean_distance, max_distance and changes. Repeatable. An unknown name "
        "lists the known ones, such as euclidean.",
        "NAME",
        "--objective",
        panel=PROBLEM,
    ),
]
ContaminationOption = Annotated[
    float | None,
    option(
        "The share of the population that counts as implausible; by default 0.05.", "SHARE", panel=PROBLEM
    ),
]
NoPlausibilityOption = Annotated[
    bool, option("Allow implausible options.", "", "--no-plausibility", panel=PROBLEM)
]
PlausibilityOfTodayOption = Annotated[
    str,
    option(
        "counts: an option must be plausible, or no less plausible than the person is today. "
        "ignore: every option must be plausible.",
        "RULE",
        panel=PROBLEM,
    ),
]
PriceOfPlausibilityOption = Annotated[
    bool,
    option(
        "Also search without the plausibility requirement, and show officers and auditors the lowest costs "
        "with and without it. May double the time.",
        "",
        "--price-of-plausibility",
        panel=PROBLEM,
    ),
]
TimeLimitOption = Annotated[
    float | None,
    option(
        "Stop after this many seconds per person. The certificate then states what was not searched.",
        "SECONDS",
        panel=PROBLEM,
    ),
]
MaxCallsOption = Annotated[
    int | None,
    option(
        "Call a black-box model at most this many times per person. Every call counts.",
        "N",
        panel=PROBLEM,
    ),
]
MaxRowsOption = Annotated[
    int | None,
    option(
        "Let a black-box model score at most this many rows per person, in all calls together.",
        "N",
        panel=PROBLEM,
    ),
]
AsOfOption = Annotated[
    str | None,
    option(
        "The date of the data and the decision, such as 2026-11-18. Every output states it. It is never "
        "taken from the clock.",
        "DATE",
        panel=OUTPUT,
    ),
]
JobsOption = Annotated[int, option("The number of processes; -1 for one per core.", "N", panel=OUTPUT)]
LanguageOption = Annotated[str, option("The language: en, pt or es.", "LANGUAGE", panel=OUTPUT)]
AudienceOption = Annotated[
    str, option("The reader: applicant, officer or auditor.", "AUDIENCE", panel=OUTPUT)
]
RawCsvOption = Annotated[
    bool,
    option(
        "Write text to CSV unchanged. By default, an apostrophe is put before text that a spreadsheet would "
        "run as a formula.",
        "",
        "--raw-csv",
        panel=OUTPUT,
    ),
]
ForceOption = Annotated[bool, option("Replace existing files.", "", "--force", panel=OUTPUT)]


class _PlainHelp:
    """Print help that wraps at the width of the terminal."""

    help: str | None

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.help = None if self.help is None else as_paragraphs(self.help)

    def get_help_option(self, ctx: Any) -> Any:
        """Return ``--help`` as a flag, without a type."""
        option = super().get_help_option(ctx)  # type: ignore[misc]
        if option is not None:
            option.metavar = ""
        return option

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, the examples as bright as the first line."""
        from typer import rich_utils  # it imports rich, which other calls do not need

        rich_utils.STYLE_HELPTEXT = ""
        super().format_help(ctx, formatter)  # type: ignore[misc]


class PlainCommand(_PlainHelp, TyperCommand):
    """A command with plain help."""


class PlainGroup(_PlainHelp, TyperGroup):
    """A group of commands with plain help."""

    def list_commands(self, ctx: Any) -> list[str]:
        """List the commands group by group."""
        return sorted(super().list_commands(ctx), key=lambda name: _place(self.commands[name]))


def as_paragraphs(text: str) -> str:
    """Join the lines of each paragraph.

    >>> as_paragraphs("One,\\ntwo.\\n\\n[bold]Three:[/]\\n[green]four\\nfive[/]")
    'One, two.\\n\\n[bold]Three:[/]\\n[green]four five[/]'
    """
    return LINE_END.sub(" ", cleandoc(text))


def _place(command: Any) -> int:
    panel = getattr(command, "rich_help_panel", None)
    return PANELS.index(panel) if panel in PANELS else len(PANELS)
