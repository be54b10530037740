"""Write explanations to the file of --out; its suffix selects the format."""

import io
import json
import re
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p2ce.apps.messages import notice
from p2ce.base.files import require_other, require_place, write_whole
from p2ce.base.visible import echoed, listed
from p2ce.errors import InvalidArgument, not_installed

if TYPE_CHECKING:
    from p2ce.result import Explanations, Relaxations

WHAT = "The result"
# Text that a spreadsheet runs as a formula, unless it is a number. Leading apostrophes are part of it, so
# that the added one can be removed again. Full-width and small forms of the signs count, too.
FORMULA = re.compile(r"'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b]")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)
FORMS = {
    ".html": "a report to read and print",
    ".md": "the same as Markdown",
    ".json": "everything, for Explanations.from_json",
    ".csv": "a row per option, and a .summary.csv with a row per person",
    ".parquet": "the same two tables as Parquet",
}


def check_out(out: Path, *, force: bool, inputs: Mapping[str, Path | None] | None = None) -> None:
    """Raise if a path or a format cannot be written, before the work starts.

    ``inputs`` maps options to the files that are read. None of them is overwritten.
    """
    suffix = check_form(out, FORMS)
    is_table = suffix in (".csv", ".parquet")
    written = [out, *([summary_path(out)] if is_table else [])]
    for path in written:
        require_other(path, inputs or {})
        require_place(path, force=force)
    if suffix == ".parquet":
        try:
            import_module("pyarrow")
        except ImportError as error:
            raise not_installed("Writing Parquet files", "parquet") from error


def check_form(out: Path, forms: Iterable[str]) -> str:
    """Return the ending of a file in lower case; raise if it is not one of the formats."""
    suffix = out.suffix.lower()
    if suffix not in forms:
        ending = f"ends in {echoed(suffix)}" if suffix else "has no ending"
        raise InvalidArgument(
            f"--out {echoed(str(out))} {ending}, which names no format that can be written. Use one of "
            f"{', '.join(forms)}."
        )
    return suffix


def summary_path(out: Path) -> Path:
    """Return the path of the table of people that accompanies a table of options."""
    return out.with_name(f"{out.stem}.summary{out.suffix}")


def write_explanations(
    out: Path,
    explanations: "Explanations",
    *,
    why: "Relaxations | None",
    audience: str,
    language: str,
    raw_csv: bool = False,
) -> list[Path]:
    """Write the explanations and return the written files."""
    suffix = out.suffix.lower()
    if suffix in (".csv", ".parquet"):
        beside = summary_path(out)
        write_table_file(out, explanations.to_frame(kind="pandas"), raw_csv=raw_csv)
        write_table_file(beside, explanations.summary(kind="pandas"), raw_csv=raw_csv)
        return [out, beside]
    if suffix == ".json":
        data = explanations.to_dict()
        if why is not None:
            data["relaxations"] = why.to_dict()
        write_text(out, json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
        return [out]
    from p2ce.present.render import to_html, to_markdown

    subject: Any = explanations[0] if len(explanations) == 1 else explanations
    render = to_html if suffix == ".html" else to_markdown
    write_text(out, render(subject, audience=audience, language=language, relaxations=why))
    return [out]


def write_table_file(path: Path, frame: Any, *, raw_csv: bool) -> None:
    """Write a table as CSV or Parquet, by the ending of the file."""
    if path.suffix.lower() == ".csv":
        write_text(path, _csv(path, frame, raw=raw_csv))
        return
    content = io.BytesIO()
    mixed = [name for name in frame.columns if frame[name].dtype == object]
    for name in mixed:  # Parquet has no column type for labels of several types
        held = frame[name].dropna()
        if held.map(type).nunique() > 1:
            frame[name] = frame[name].map(lambda cell: cell if cell is None else str(cell))
    frame.to_parquet(content, index=False)
    write_whole(path, content.getvalue(), what=WHAT)


def without_formula(cell: Any) -> Any:
    """Put an apostrophe before text that a spreadsheet would run; return everything else unchanged.

    The change can be undone. If text begins with apostrophes followed by one of ``= + - @`` (or a full-width
    or small form of it), a tab or a line end, remove one apostrophe to restore the original.

    >>> without_formula("=1+1"), without_formula("'=1+1"), without_formula("-5"), without_formula(-5)
    ("'=1+1", "''=1+1", '-5', -5)
    """
    return f"'{cell}" if _is_formula(cell) else cell


def _is_formula(cell: Any) -> bool:
    return isinstance(cell, str) and FORMULA.match(cell) is not None and NUMBER.fullmatch(cell) is None


def _csv(path: Path, frame: Any, *, raw: bool) -> str:
    """Write a table as CSV. Report text that a spreadsheet would run, and escape it unless ``raw``."""
    risky = [
        name
        for name in frame.columns
        if _is_formula(name) or any(_is_formula(cell) for cell in frame[name].unique().tolist())
    ]
    if risky:
        done = "A spreadsheet would run it: import the file as text."
        if not raw:
            done = "An apostrophe was put before it, so no spreadsheet runs it. See --raw-csv."
        notice(f"{path.name} contains text that begins like a formula, in {listed(risky)}. {done}")
    if risky and not raw:
        frame = frame.astype(dict.fromkeys(risky, object))
        for name in risky:
            frame[name] = frame[name].map(without_formula)
        frame.columns = [without_formula(name) for name in frame.columns]
    text: str = frame.to_csv(index=False, lineterminator="\n")
    return text


def write_text(path: Path, text: str) -> None:
    """Write the whole text, or nothing."""
    write_whole(path, text.encode("utf-8"), what=WHAT)
