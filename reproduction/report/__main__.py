"""Write the report of a finished run again, by today's templates: ``python -m reproduction.report``."""

import argparse
import sys
from pathlib import Path

from p2ce.errors import P2CEError
from reproduction.publish import require_committed
from reproduction.report.results import read_results
from reproduction.report.write import commits_of, results_markdown, write_report


def main() -> int:
    """Write the page, and the Markdown where it is requested; return 1 with a message if that cannot be."""
    parser = argparse.ArgumentParser(prog="python -m reproduction.report", description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder of the run, which its --out named")
    parser.add_argument("--markdown", type=Path, help="also write the tables to this file")
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
