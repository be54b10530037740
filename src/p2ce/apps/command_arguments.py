"""The arguments that several commands share, with their help."""

from pathlib import Path
from typing import Annotated

import typer

FILES, PROBLEM, PEOPLE, OUTPUT = "Files", "Problem", "Which people", "Output"

Model = Annotated[
    str,
    typer.Option(
        help="The model: LightGBM text, XGBoost JSON or UBJ, CatBoost cbm, skops, ONNX, or module:factory "
        "for Python code of yours.",
        metavar="FILE",
        rich_help_panel=FILES,
    ),
]
Data = Annotated[
    Path,
    typer.Option(
        help="The people to explain: CSV, TSV (also .gz) or Parquet.",
        metavar="FILE",
        readable=False,  # checked later, with a better message
        rich_help_panel=FILES,
    ),
]
OptionalData = Annotated[
    Path | None,
    typer.Option(
        help="The people to explain: CSV, TSV (also .gz) or Parquet.",
        metavar="FILE",
        readable=False,
        rich_help_panel=FILES,
    ),
]
Reference = Annotated[
    Path | None,
    typer.Option(
        help="The population, best what the model was trained on: ranges, distances and plausibility come "
        "from it. Without it, --data.",
        metavar="FILE",
        readable=False,
        rich_help_panel=FILES,
    ),
]
ReferenceAlone = Annotated[
    Path | None,
    typer.Option(
        help="The population, best what the model was trained on: the grid and plausibility come from it.",
        metavar="FILE",
        readable=False,
        rich_help_panel=FILES,
    ),
]
Policy = Annotated[
    Path | None,
    typer.Option(
        help="What each feature may do (YAML). Without it, it is inferred from the population, and columns "
        "that look protected do not change.",
        metavar="FILE",
        readable=False,
        rich_help_panel=FILES,
    ),
]
Weights = Annotated[
    Path | None,
    typer.Option(
        help="PyTorch weights for the network that module:factory builds.",
        metavar="FILE",
        readable=False,
        rich_help_panel=FILES,
    ),
]
TrustPickle = Annotated[
    bool,
    typer.Option(
        "--trust-pickle",
        help="Load a pickle or joblib file. Unpickling runs code of its author.",
        rich_help_panel=FILES,
    ),
]
TrustPredicates = Annotated[
    bool,
    typer.Option(
        "--trust-predicates",
        help="Run the Python functions that predicates of the policy name. They are code of its author.",
        rich_help_panel=FILES,
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        help="A column that the model does not see, for models that know columns by place. Repeatable.",
        metavar="COLUMN",
        rich_help_panel=FILES,
    ),
]
Limit = Annotated[
    list[str] | None,
    typer.Option(
        help="Take larger files than usual: table-rows=50e6, table-bytes=8GB, model-memory=16GB. An "
        "error names the exceeded limit. Repeatable.",
        metavar="NAME=AMOUNT",
        rich_help_panel=FILES,
    ),
]
IndexColumn = Annotated[
    str | None,
    typer.Option(
        help="The column that names people. --row then means a label in it.",
        metavar="COLUMN",
        rich_help_panel=PEOPLE,
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        help="The target class, 1 if not given; for a regressor the target range, such as 1000: or 10:20.",
        metavar="CLASS",
        rich_help_panel=PROBLEM,
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        help="What the score of the target has to reach; if not given, the model's own, or 0.5.",
        metavar="NUMBER",
        rich_help_panel=PROBLEM,
    ),
]
MaxChanges = Annotated[
    int,
    typer.Option(
        help="How many features may change at once; 0 for no limit.", metavar="N", rich_help_panel=PROBLEM
    ),
]
Objectives = Annotated[
    list[str] | None,
    typer.Option(
        "--objective",
        help="What to minimise: mean_distance, max_distance, changes (these three if not given), "
        "percentile_shift, euclidean. Repeatable.",
        metavar="NAME",
        rich_help_panel=PROBLEM,
    ),
]
Contamination = Annotated[
    float | None,
    typer.Option(
        help="The share of the population that counts as implausible; 0.05 if not given.",
        metavar="SHARE",
        rich_help_panel=PROBLEM,
    ),
]
NoPlausibility = Annotated[
    bool,
    typer.Option("--no-plausibility", help="Do not require plausible options.", rich_help_panel=PROBLEM),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        help="Seconds for each person; the certificate then says what is open.",
        metavar="SECONDS",
        rich_help_panel=PROBLEM,
    ),
]
Jobs = Annotated[
    int, typer.Option(help="Processes; -1 for one per core.", metavar="N", rich_help_panel=OUTPUT)
]
Language = Annotated[str, typer.Option(help="en, pt or es.", metavar="LANGUAGE", rich_help_panel=OUTPUT)]
Audience = Annotated[
    str,
    typer.Option(
        help="Who reads it: person, officer or auditor.", metavar="AUDIENCE", rich_help_panel=OUTPUT
    ),
]
RawCsv = Annotated[
    bool,
    typer.Option(
        "--raw-csv",
        help="Write text to CSV as it is. Without it, text that a spreadsheet would run as a formula is "
        "given an apostrophe in front.",
        rich_help_panel=OUTPUT,
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace files that exist.", rich_help_panel=OUTPUT)]
