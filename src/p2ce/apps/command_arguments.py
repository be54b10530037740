"""The arguments that several commands share, with their help."""

from pathlib import Path
from typing import Annotated, Any

import typer

FILES, PROBLEM, PEOPLE, OUTPUT = "Files", "Problem", "Which rows", "Output"


def option(help: str, metavar: str | None = None, *names: str, panel: str = FILES) -> Any:  # noqa: A002
    """Return an option; a file is checked when it is read, with a better message than typer's."""
    return typer.Option(*names, help=help, metavar=metavar, readable=False, rich_help_panel=panel)


_MODEL = (
    "The model: LightGBM text, XGBoost JSON or UBJ, CatBoost cbm, ONNX, or module:factory for your own "
    "Python code. Pickles and skops files need --trust-model."
)
_DATA = "The people to explain: CSV, TSV (also .gz) or Parquet."
_REFERENCE = "The population, best what the model was trained on: "

Model = Annotated[str, option(_MODEL, "FILE")]
OptionalModel = Annotated[str | None, option("A model file, as for explain.", "FILE")]
Data = Annotated[Path, option(_DATA, "FILE")]
Reference = Annotated[
    Path | None,
    option(f"{_REFERENCE}ranges, distances and plausibility come from it. Without it, --data.", "FILE"),
]
ReferenceAlone = Annotated[
    Path | None, option(f"{_REFERENCE}the grid and plausibility come from it.", "FILE")
]
Policy = Annotated[
    Path | None,
    option(
        "What each feature may do (YAML). Without it, it is inferred from the population, and columns "
        "that look protected do not change.",
        "FILE",
    ),
]
Weights = Annotated[
    Path | None, option("PyTorch weights for the network that module:factory builds.", "FILE")
]
TrustModel = Annotated[
    bool,
    option("Load a pickle, joblib or skops file. Loading it runs code of its author.", None, "--trust-model"),
]
TrustPredicates = Annotated[
    bool,
    option(
        "Run the Python functions that predicates of the policy name. They are code of its author.",
        None,
        "--trust-predicates",
    ),
]
Drop = Annotated[
    list[str] | None,
    option(
        "A column that the model does not see, for models that know columns by place. Repeatable.", "COLUMN"
    ),
]
Limit = Annotated[
    list[str] | None,
    option(
        "Take larger files than usual: table-rows=50e6, table-bytes=8GB, model-memory=16GB. An "
        "error names the exceeded limit. Repeatable.",
        "NAME=AMOUNT",
    ),
]
IdColumn = Annotated[
    str | None,
    option("The column with the ids of the rows. --id then means one of these.", "COLUMN", panel=PEOPLE),
]
Target = Annotated[
    str | None,
    option(
        "The favourable class, needed unless names of the classes or of the label say it; for a regressor "
        "the wanted range, such as 1000: or 10:20.",
        "CLASS",
        panel=PROBLEM,
    ),
]
Threshold = Annotated[
    float | None,
    option(
        "What the score of the target has to reach; if not given, the model's own, or 0.5.",
        "NUMBER",
        panel=PROBLEM,
    ),
]
MaxChanges = Annotated[
    int, option("How many features may change at once; 0 for no limit.", "N", panel=PROBLEM)
]
Objectives = Annotated[
    list[str] | None,
    option(
        "What to minimise: mean_distance, max_distance, changes (these three if not given), "
        "percentile_shift, euclidean. Repeatable.",
        "NAME",
        "--objective",
        panel=PROBLEM,
    ),
]
Contamination = Annotated[
    float | None,
    option(
        "The share of the population that counts as implausible; 0.05 if not given.", "SHARE", panel=PROBLEM
    ),
]
NoPlausibility = Annotated[
    bool, option("Do not require plausible options.", None, "--no-plausibility", panel=PROBLEM)
]
PlausibilityOfToday = Annotated[
    str,
    option(
        "counts: an option is plausible, or no less plausible than the person is today. "
        "ignore: every option is plausible.",
        "RULE",
        panel=PROBLEM,
    ),
]
PriceOfPlausibility = Annotated[
    bool,
    option(
        "Also search without this requirement, for the least costs with it and without it: officers and "
        "auditors see them. Takes up to as long again.",
        None,
        "--price-of-plausibility",
        panel=PROBLEM,
    ),
]
TimeLimit = Annotated[
    float | None,
    option("Seconds for each person; the certificate then says what is open.", "SECONDS", panel=PROBLEM),
]
AsOf = Annotated[
    str | None,
    option(
        "The day of the data and the decision, such as 2026-11-18; every output states it. It is never taken "
        "from the clock.",
        "DATE",
        panel=OUTPUT,
    ),
]
Jobs = Annotated[int, option("Processes; -1 for one per core.", "N", panel=OUTPUT)]
Language = Annotated[str, option("en, pt or es.", "LANGUAGE", panel=OUTPUT)]
Audience = Annotated[str, option("Who reads it: applicant, officer or auditor.", "AUDIENCE", panel=OUTPUT)]
RawCsv = Annotated[
    bool,
    option(
        "Write text to CSV as it is. Without it, text that a spreadsheet would run as a formula is "
        "given an apostrophe in front.",
        None,
        "--raw-csv",
        panel=OUTPUT,
    ),
]
Force = Annotated[bool, option("Replace files that exist.", None, "--force", panel=OUTPUT)]
