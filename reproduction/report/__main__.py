"""Render a finished run again with the current templates: ``python -m reproduction.report``."""

import argparse
import sys
from pathlib import Path

from p2ce.errors import P2CEError
from reproduction.publish import require_committed
from reproduction.report.results import read_results
from reproduction.report.write import commits_of, results_markdown, write_report


def main() -> int:
    """Write the page, and the Markdown if requested; return 1 after an error."""
    parser = argparse.ArgumentParser(prog="python -m reproduction.report", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of the run (its --out)")
    parser.add_argument("--markdown", type=Path, help="also write the results page to this file")
    options = parser.parse_args()
    try:
        if options.markdown:
            require_committed(options.markdown, commits_of(read_results(options.folder).run))
            options.markdown.write_text(results_markdown(options.folder), encoding="utf-8")
        print(f"The report is {write_report(options.folder)}")
    except (P2CEError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
