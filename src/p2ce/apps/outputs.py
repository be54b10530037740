"""Write answers to the file that was asked for; its suffix says in which form."""

import io
import json
import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p2ce.apps.partial import partial_path
from p2ce.apps.paths import require_other, require_place
from p2ce.apps.telling import listed, notice
from p2ce.errors import InvalidOption, MissingExtra
from p2ce.files import write_whole
from p2ce.visible import echoed

if TYPE_CHECKING:
    from p2ce.result import Explanations, WhyNone

WHAT = "The answer"
FORMULA = re.compile(r"[=@\t\r]|[-+](?!\s*[\d.])")  # not a number
FORMS = {
    ".html": "a report to read and print",
    ".md": "the same as Markdown",
    ".json": "everything, for Explanations.from_dict",
    ".csv": "a row per option, and beside it .summary.csv with a row per person",
    ".parquet": "the same two tables as Parquet",
}


def check_out(out: Path, *, force: bool, inputs: Mapping[str, Path | None] | None = None) -> None:
    """Refuse a place or a form that cannot be written, before the work starts.

    ``inputs`` are the files that are read, by their options; none of them is written over.
    """
    suffix = out.suffix.lower()
    if suffix not in FORMS:
        ending = f"ends in {echoed(suffix)}" if suffix else "has no ending"
        raise InvalidOption(
            f"--out {echoed(str(out))} {ending}, which is no form that is written here. End it in one of "
            f"{', '.join(FORMS)}."
        )
    is_table = suffix in (".csv", ".parquet")
    written = [out, *([summary_path(out)] if is_table else [])]
    for path in (*written, partial_path(out)):
        require_other(path, inputs or {})
    for path in written:
        require_place(path, force=force)
    if suffix == ".parquet":
        try:
            import_module("pyarrow")
        except ImportError as error:
            raise MissingExtra(
                "Parquet files are written by pyarrow, which is missing: pip install 'p2ce[parquet]'"
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
        _write_text(out, json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
        return [out]
    from p2ce.present.report import to_html, to_markdown

    subject: Any = answers[0] if len(answers) == 1 else answers
    render = to_html if suffix == ".html" else to_markdown
    _write_text(out, render(subject, audience=audience, language=language, why=why))
    return [out]


def _write_table(path: Path, frame: Any) -> None:
    if path.suffix.lower() == ".csv":
        _tell_formulas(path, frame)
        _write_text(path, frame.to_csv(index=False, lineterminator="\n"))
        return
    content = io.BytesIO()
    mixed = [name for name in frame.columns if frame[name].dtype == object]
    for name in mixed:  # labels of several types, which Parquet has no column for
        held = frame[name].dropna()
        if held.map(type).nunique() > 1:
            frame[name] = frame[name].map(lambda cell: cell if cell is None else str(cell))
    frame.to_parquet(content, index=False)
    write_whole(path, content.getvalue(), what=WHAT)


def _tell_formulas(path: Path, frame: Any) -> None:
    """Tell of text that a spreadsheet would run; it is written as it is, since it may name people."""
    risky = [
        str(name)
        for name in frame.columns
        if any(isinstance(cell, str) and FORMULA.match(cell) for cell in frame[name].unique().tolist())
    ]
    if risky:
        notice(
            f"{path.name} holds text that begins like a formula, in {listed(risky)}. A spreadsheet would run "
            "it: import the file as text."
        )


def _write_text(path: Path, text: str) -> None:
    write_whole(path, text.encode("utf-8"), what=WHAT)
