"""Run the paper's experiments with this project and its peers: ``python -m reproduction [--quick]``."""

import argparse
import shlex
import shutil
import sys
from dataclasses import replace
from pathlib import Path

from p2ce.datasets.load_dataset import DATA, cache_folder
from p2ce.errors import P2CEError
from reproduction.experiments import FIGURES, TABLES, plan
from reproduction.names import DATA_SETS, METHODS, MODELS
from reproduction.settings import FULL, QUICK, Effort

EPILOG = f"""tables and figures of the paper (default: all):
  --table 1     inlierness: logistic regression, one objective
  --table 2     three objectives: LightGBM and MLP
  --table 3     the counterfactuals of one person: Adult, MLP
  --figure 1    a toy problem in two dimensions
  --figure 2    one objective: LightGBM and MLP
  --forests     not in the paper: random forests, compared with OCEAN

The data come from the folder in the environment variable {DATA} (german.csv, taiwan.csv,
adult.csv), from the user's cache, or from OpenML. A full run takes about an hour on one core, the authors'
code a quarter of an hour more, and a quick run some minutes. The first run also installs the peers.
Requirements: pip install -r reproduction/requirements.txt"""
AUTHORS_FILE = Path("cfmining") / "algorithms.py"


# Counts on the command line: name → help, with the defaults of a full and of a quick run.
COUNTS = {
    "seeds": "number of seeds; each has its own split, models and people (5; quick: 1)",
    "people": f"rejected people per data set and model (50; {FULL.later_people} with later seeds; quick: 5)",
    "trials": f"Optuna trials per model (50; {FULL.later_trials} with later seeds; quick: 3)",
    "mapocam-people": f"people for MAPOCAM on the MLP, where it has no bound ({FULL.limits.slow_people}; "
    f"{FULL.later_slow_people} with later seeds)",
    "authors-people": f"people for the authors' code ({FULL.limits.authors_people})",
    "seconds": f"seconds per person and method ({FULL.limits.seconds:g}; quick: {QUICK.limits.seconds:g})",
}
OTHERS = {  # where the paper and the authors' code differ
    "unscaled-maximum": "c₂ without σ, as in the paper",
    "gender-may-change": "gender is mutable on German, as in the code",
    "everything-may-change": "all 8 features are mutable on Adult, as in the paper",
}
FOLDERS = ("out", "fresh", "environments", "markdown")  # not part of the problem


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m reproduction",
        description="Run the paper's experiments with this project and its peers, and write the report. "
        "Results are kept, so run the same command again to resume.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="one seed, few people, trials and rows")
    parser.add_argument("--no-peers", action="store_true", help="do not run DiCE, NICE and OCEAN")
    for name, said in COUNTS.items():
        parser.add_argument(f"--{name}", type=at_least_one, help=said)
    parser.add_argument("--table", nargs="+", choices=TABLES, default=[], help="tables of the paper")
    parser.add_argument(
        "--figure", nargs="+", choices=("1", *FIGURES), default=[], help="figures of the paper"
    )
    parser.add_argument("--forests", action="store_true", help="random forests, compared with OCEAN")
    parser.add_argument("--data", nargs="+", choices=DATA_SETS, default=list(DATA_SETS), help="data sets")
    parser.add_argument(
        "--authors",
        type=Path,
        help="a checkout of github.com/hiaac-finance/p2ce, which runs with the first seed",
    )
    parser.add_argument(
        "--out", type=Path, default=Path("report"), help="folder of the report (default: report)"
    )
    parser.add_argument(
        "--fresh", action="store_true", help="ignore the results of earlier runs in this folder"
    )
    parser.add_argument(
        "--environments",
        type=Path,
        default=cache_folder() / "peers",
        help="folder of the peers' virtual environments (default: in the user's cache)",
    )
    parser.add_argument(
        "--markdown",
        type=Path,
        help="also write the results page to this file; docs/results.md requires committed code",
    )
    other = parser.add_argument_group("where the paper and the authors' code differ")
    other.add_argument(
        "--split", choices=("paper", "code"), default="paper", help="40/10/50 %% or 45/5/50 %%"
    )
    for name, said in OTHERS.items():
        other.add_argument(f"--{name}", action="store_true", help=said)
    return parser


def read_command_line() -> tuple[argparse.Namespace, str]:
    """Parse the settings, and return them with the command of this run, without folders."""
    parser = make_parser()
    settings = parser.parse_args()
    words = ["python", "-m", "reproduction"]
    for action in parser._actions:
        value = getattr(settings, action.dest, action.default)
        if value != action.default and action.dest not in FOLDERS:
            values = [] if value is True else value if isinstance(value, list) else [value]
            shown = ["PATH"] if action.dest == "authors" else map(str, values)
            words += [action.option_strings[0], *shown]
    if not (settings.table or settings.figure or settings.forests):
        settings.table, settings.figure, settings.forests = list(TABLES), ["1", *FIGURES], True
    if settings.authors and not (settings.authors / AUTHORS_FILE).is_file():
        parser.error(
            f"--authors must be a checkout with {AUTHORS_FILE.as_posix()}, and this folder has no such file."
        )
    return settings, shlex.join(words)


def at_least_one(text: str) -> int:
    """Parse a count on the command line."""
    if not text.lstrip("-").isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, got {text!r}")
    return int(text)


def effort_of(options: argparse.Namespace) -> Effort:
    """Return the effort that the command line selects; its people and trials hold for all seeds."""
    base = QUICK if options.quick else FULL
    return replace(
        base,
        seeds=options.seeds or base.seeds,
        later_people=options.people or base.later_people,
        later_trials=options.trials or base.later_trials,
        later_slow_people=options.mapocam_people or base.later_slow_people,
        limits=replace(
            base.limits,
            slow_people=options.mapocam_people or base.limits.slow_people,
            authors_people=options.authors_people or base.limits.authors_people,
            seconds=float(options.seconds or base.limits.seconds),
        ),
        first=replace(
            base.first,
            people=options.people or base.first.people,
            trials=options.trials or base.first.trials,
            split=options.split,
            scaled_maximum=not options.unscaled_maximum,
            gender_may_change=options.gender_may_change,
            everything_may_change=options.everything_may_change,
        ),
    )


def main() -> int:
    """Run every task, write the report, and print where it is."""
    options, command = read_command_line()
    try:
        return run(options, command)
    except KeyboardInterrupt:
        print("\nInterrupted. Results are kept, so run the same command again to resume.", file=sys.stderr)
        return 130
    except P2CEError as error:  # such as a missing extra; before the others, since it derives from them
        print(error, file=sys.stderr)
    except ModuleNotFoundError as error:
        print(
            f"{error.name} is not installed. Run: pip install -r reproduction/requirements.txt",
            file=sys.stderr,
        )
    except OSError as error:
        print(f"Cannot use {error.filename}: {error.strerror}.", file=sys.stderr)
    return 1


def run(options: argparse.Namespace, command: str) -> int:
    from threadpoolctl import threadpool_limits

    from benchmarks.cases import require
    from reproduction.facts import facts_of, own_commit
    from reproduction.progress import task_progress
    from reproduction.publish import require_committed
    from reproduction.report import results_markdown, write_report
    from reproduction.run import Run
    from reproduction.toy import write_toy

    # Fail now, not in an hour, if something cannot be read or written.
    require(options.data)
    options.out.mkdir(parents=True, exist_ok=True)
    if options.markdown:
        require_committed(options.markdown, [own_commit()])
        options.markdown.parent.mkdir(parents=True, exist_ok=True)
        options.markdown.open("a", encoding="utf-8").close()  # unlike touch, this fails for a folder
    effort = effort_of(options)
    tasks = plan(
        tables=tuple(options.table),
        figures=tuple(options.figure),
        forests=options.forests,
        data=tuple(options.data),
        peers=not options.no_peers,
        authors=options.authors is not None,
        seeds=effort.seeds,
    )
    with task_progress(len(tasks)) as progress, threadpool_limits(1):
        work = Run(
            effort=effort,
            folder=options.out,
            environments=options.environments,
            authors=options.authors.resolve() if options.authors else None,
            commit=own_commit(),
            progress=progress.step,
        )
        if options.fresh:
            for folder in ("answers", "models", "peers", "truths"):  # and nothing else in this folder
                shutil.rmtree(work.work / folder, ignore_errors=True)
        if "1" in options.figure:
            write_toy(options.out)
        for task in tasks:
            progress.begin(
                f"seed {task.seed}, {DATA_SETS[task.data]}, {MODELS[task.model]}: {METHODS[task.method]}"
            )
            work.do(task)
            progress.finish()
    facts = facts_of(work, quick=options.quick, command=command, left_out=left_out(options))
    work.findings.write(options.out / "results", facts)
    page = write_report(options.out)
    if options.markdown:
        require_committed(options.markdown, work.commits)
        options.markdown.write_text(results_markdown(options.out), encoding="utf-8")
    print(f"The report is {page}")
    return 0


def left_out(options: argparse.Namespace) -> list[str]:
    """Return what the command line left out, for readers."""
    words = ["the peers, because of --no-peers"] if options.no_peers else []
    words += [] if options.authors else ["the authors' code, which --authors names"]
    words += [f"Table {name}" for name in TABLES if name not in options.table]
    words += [f"Figure {name}" for name in ("1", *FIGURES) if name not in options.figure]
    words += [] if options.forests else ["random forests with OCEAN, which --forests adds"]
    without = [name for key, name in DATA_SETS.items() if key not in options.data]
    return words + [f"the data set “{name}”, because of --data" for name in without]


if __name__ == "__main__":
    raise SystemExit(main())
