"""Write answers to the file that was asked for; its suffix says in which form."""

import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p2ce.apps.paths import require_place, write_whole
from p2ce.errors import InvalidOption, MissingExtra

if TYPE_CHECKING:
    from p2ce.result import Explanations, WhyNone

FORMS = {
    ".html": "a report to read and print",
    ".md": "the same as Markdown",
    ".json": "everything, for Explanations.from_dict",
    ".csv": "a row per option, and beside it .summary.csv with a row per person",
    ".parquet": "the same two tables as Parquet",
}


def check_out(out: Path, *, force: bool) -> None:
    """Refuse a place or a form that cannot be written, before the work starts."""
    suffix = out.suffix.lower()
    if suffix not in FORMS:
        raise InvalidOption(
            f"--out {str(out)!r} ends in {suffix or 'nothing'!r}, which is no form that is written here. "
            f"End it in one of {', '.join(FORMS)}."
        )
    require_place(out, force=force)
    if suffix in (".csv", ".parquet"):
        require_place(summary_path(out), force=force)
    if suffix == ".parquet":
        try:
            import_module("pyarrow")
        except ImportError as error:
            raise MissingExtra(
                "Parquet files are written by pyarrow, which is missing: pip install pyarrow"
            ) from error


def summary_path(out: Path) -> Path:
    """Name the table of people that lies beside the table of options."""
    return out.with_name(f"{out.stem}.summary{out.suffix}")


def write(
    out: Path, answers: "Explanations", *, why: "WhyNone | None", audience: str, language: str
) -> list[Path]:
    """Write the answers; give the files that were written."""
    suffix = out.suffix.lower()
    if suffix in (".csv", ".parquet"):
        beside = summary_path(out)
        _write_table(out, answers.to_frame(kind="pandas"))
        _write_table(beside, answers.summary(kind="pandas"))
        return [out, beside]
    if suffix == ".json":
        data = answers.to_dict()
        if why is not None:
            data["why_none"] = why.to_dict()
        write_whole(out, json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
        return [out]
    from p2ce.present.report import to_html, to_markdown

    subject: Any = answers[0] if len(answers) == 1 else answers
    render = to_html if suffix == ".html" else to_markdown
    write_whole(out, render(subject, audience=audience, language=language, why=why))
    return [out]


def _write_table(path: Path, frame: Any) -> None:
    import io

    if path.suffix.lower() == ".csv":
        write_whole(path, frame.to_csv(index=False, lineterminator="\n"))
        return
    content = io.BytesIO()
    mixed = [name for name in frame.columns if frame[name].dtype == object]
    for name in mixed:  # labels of several types, which Parquet has no column for
        held = frame[name].dropna()
        if held.map(type).nunique() > 1:
            frame[name] = frame[name].map(lambda cell: cell if cell is None else str(cell))
    frame.to_parquet(content, index=False)
    write_whole(path, content.getvalue())
