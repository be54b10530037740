"""Compare the results of groups of people: ``p2ce audit``."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p2ce.apps.messages import count_of, printable, working
from p2ce.apps.write_outputs import check_form, write_table_file, write_text
from p2ce.base.files import named, require_file, require_other, require_place
from p2ce.base.limits import Limits
from p2ce.base.visible import echoed, listed
from p2ce.errors import InvalidArgument, nearest

if TYPE_CHECKING:
    import pandas as pd

    from p2ce.portfolio.audits.audit_result import Audit
    from p2ce.portfolio.runs.portfolio_results import PortfolioResults
    from p2ce.result import Explanations

FORMS = (".html", ".md", ".csv", ".json")


def run_audit(
    results: Path,
    *,
    groups: str,
    data: Path | None,
    id_column: str | None,
    settings: Mapping[str, Any],
    out: Path | None,
    language: str,
    raw_csv: bool,
    force: bool,
    limits: Limits,
) -> None:
    """Audit the results of a run or of a JSON file, and write or print the audit."""
    names = [name.strip() for name in groups.split(",") if name.strip()]
    if not names:
        raise InvalidArgument("--groups expects column names, as in --groups sex,age_band; got none.")
    if id_column is not None and data is None:
        raise InvalidArgument("--id-column names a column of --data, but --data is missing. Add --data.")
    if out is not None:
        check_form(out, FORMS)
        require_other(out, {"RESULTS": results, "--data": data})
        require_place(out, force=force)
    from p2ce.portfolio.audits.audit_groups import audit
    from p2ce.present.languages import load_words

    load_words(language)  # before the work starts
    with working("Reading the results …"):
        held, own_index = _read(results, limits)
        table, index = _group_table(data, names, id_column, own_index, limits)
    with working("Comparing groups …"):
        found = audit(held, names, data=table, id_column=index, **settings)
    _write(found, out, language, raw_csv=raw_csv)


def _read(results: Path, limits: Limits) -> "tuple[PortfolioResults | Explanations, str | None]":
    """Open a folder of results or a JSON file; return it with the id column, if that is known."""
    if results.is_dir() or not results.exists():
        from p2ce.portfolio.runs.portfolio_results import PortfolioResults

        opened = PortfolioResults(results, limits=limits)
        return opened, opened.manifest.id_column
    from p2ce.result import Explanations

    text = require_file(results, "RESULTS").read_bytes()
    return Explanations.from_json(text, limits=limits), None


def _group_table(
    data: Path | None, names: list[str], id_column: str | None, own_index: str | None, limits: Limits
) -> "tuple[pd.DataFrame | dict[str, Any] | None, str | None]":
    """Read the needed columns of --data, and return them with the name of the id column.

    Without an id column, the rows are in the order of the people, and the result is a dict of columns.
    """
    if data is None:
        return None, None
    import pandas as pd

    from p2ce.tables.table_files import read_table
    from p2ce.tables.typed_columns import as_written

    table = read_table(data, "--data", limits=limits)
    index = own_index if id_column is None and own_index in table.columns else id_column
    if index is None and own_index is not None:
        raise InvalidArgument(
            f"{named('--data', data)} has no column {echoed(own_index)}, the id column of the results. Name "
            "the column of --data that holds these ids with --id-column."
        )
    if index is not None and index not in table.columns:
        raise InvalidArgument(
            f"--id-column {echoed(index)} is not a column of --data. {nearest(index, table.columns)}"
        )
    if not set(names) & set(table.columns):
        raise InvalidArgument(
            f"{named('--data', data)} has none of the columns {listed(names)}. "
            f"{nearest(names[0], table.columns)}"
        )
    wanted = [name for name in table.columns if name in (*names, index)]
    columns = {name: as_written(table, name) for name in wanted}
    return (columns, None) if index is None else (pd.DataFrame(columns), index)


def _write(found: "Audit", out: Path | None, language: str, *, raw_csv: bool) -> None:
    from p2ce.present.render import to_html, to_markdown, to_text

    if out is None:
        print(printable(to_text(found, language=language)))
        return
    suffix = out.suffix.lower()
    if suffix == ".csv":
        write_table_file(out, found.to_frame(), raw_csv=raw_csv)
    elif suffix == ".json":
        write_text(out, json.dumps(found.to_dict(), ensure_ascii=False, indent=1, allow_nan=False) + "\n")
    else:
        render = to_html if suffix == ".html" else to_markdown
        write_text(out, render(found, language=language))
    groups, people = (
        count_of(len(found.groups), "group"),
        count_of(found.all_people.people, "person", "people"),
    )
    print(f"{printable(out)}: {people} in {groups}, {count_of(found.comparisons, 'comparison')}.")
