"""Declare the arguments that several commands share, with their help."""

from pathlib import Path
from typing import Annotated, Any

import typer

FILES, PROBLEM, PEOPLE, OUTPUT = "Files", "Problem", "Which rows", "Output"


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

Model = Annotated[str, option(_MODEL, "FILE")]
OptionalModel = Annotated[str | None, option("The model. See p2ce explain --help for the formats.", "FILE")]
Data = Annotated[Path, option(_DATA, "FILE")]
Reference = Annotated[
    Path | None,
    option(f"{_REFERENCE}ranges, distances and plausibility. By default, --data.", "FILE"),
]
ReferenceAlone = Annotated[Path | None, option(f"{_REFERENCE}the candidate values and plausibility.", "FILE")]
Policy = Annotated[
    Path | None,
    option(
        "What may change, and how (YAML). Without it, a draft is inferred from the population; columns that "
        "look protected do not change.",
        "FILE",
    ),
]
Weights = Annotated[
    Path | None, option("The PyTorch weights of the network that module:factory builds.", "FILE")
]
TrustModel = Annotated[
    bool,
    option("Allow a pickle, joblib or skops file. Loading it runs its author's code.", "", "--trust-model"),
]
TrustPredicates = Annotated[
    bool,
    option(
        "Allow the policy to call Python functions that it names. They are its author's code.",
        "",
        "--trust-predicates",
    ),
]
Drop = Annotated[
    list[str] | None,
    option("Leave out this column, for models that do not store column names. Repeatable.", "COLUMN"),
]
Limit = Annotated[
    list[str] | None,
    option(
        "Raise a limit on file sizes, such as table-rows=50e6, table-bytes=8GB or model-memory=16GB. The "
        "error names the limit to raise. Repeatable.",
        "NAME=AMOUNT",
    ),
]
IdColumn = Annotated[
    str | None,
    option("The column that holds the ids, for --id and the output.", "COLUMN", panel=PEOPLE),
]
Target = Annotated[
    str | None,
    option(
        "The favourable class. May be left out if the names of the classes or of the label column show it. "
        "For a regressor, the favourable range, such as 1000: or 10:20.",
        "CLASS",
        panel=PROBLEM,
    ),
]
Threshold = Annotated[
    float | None,
    option(
        "The score that the target must reach. By default, the model's own threshold, or 0.5.",
        "NUMBER",
        panel=PROBLEM,
    ),
]
MaxChanges = Annotated[
    int, option("The most features that may change at once; 0 for no limit.", "N", panel=PROBLEM)
]
Objectives = Annotated[
    list[str] | None,
    option(
        "What to minimise; by default mean_distance, max_distance and changes. Repeatable. An unknown name "
        "lists the known ones, such as euclidean.",
        "NAME",
        "--objective",
        panel=PROBLEM,
    ),
]
Contamination = Annotated[
    float | None,
    option(
        "The share of the population that counts as implausible; by default 0.05.", "SHARE", panel=PROBLEM
    ),
]
NoPlausibility = Annotated[bool, option("Allow implausible options.", "", "--no-plausibility", panel=PROBLEM)]
PlausibilityOfToday = Annotated[
    str,
    option(
        "counts: an option must be plausible, or no less plausible than the person is today. "
        "ignore: every option must be plausible.",
        "RULE",
        panel=PROBLEM,
    ),
]
PriceOfPlausibility = Annotated[
    bool,
    option(
        "Also search without the plausibility requirement, and show officers and auditors the lowest costs "
        "with and without it. May double the time.",
        "",
        "--price-of-plausibility",
        panel=PROBLEM,
    ),
]
TimeLimit = Annotated[
    float | None,
    option(
        "Stop after this many seconds per person. The certificate then states what was not searched.",
        "SECONDS",
        panel=PROBLEM,
    ),
]
AsOf = Annotated[
    str | None,
    option(
        "The date of the data and the decision, such as 2026-11-18. Every output states it. It is never "
        "taken from the clock.",
        "DATE",
        panel=OUTPUT,
    ),
]
Jobs = Annotated[int, option("The number of processes; -1 for one per core.", "N", panel=OUTPUT)]
Language = Annotated[str, option("The language: en, pt or es.", "LANGUAGE", panel=OUTPUT)]
Audience = Annotated[str, option("The reader: applicant, officer or auditor.", "AUDIENCE", panel=OUTPUT)]
RawCsv = Annotated[
    bool,
    option(
        "Write text to CSV unchanged. By default, an apostrophe is put before text that a spreadsheet would "
        "run as a formula.",
        "",
        "--raw-csv",
        panel=OUTPUT,
    ),
]
Force = Annotated[bool, option("Replace existing files.", "", "--force", panel=OUTPUT)]
