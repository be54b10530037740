"""Run the paper's experiments beside its peers, and report: ``python -m benchmarks.paper [--quick]``."""

import argparse
import shlex
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import benchmarks.one_thread  # noqa: F401 - before NumPy is loaded
from benchmarks.paper.experiments import PLAN, plan
from benchmarks.paper.names import DATA_SETS, EXPERIMENTS, METHODS, MODELS
from benchmarks.paper.settings import QUICK, Settings
from p2ce.datasets.places import DATA, cache_folder
from p2ce.errors import P2CEError

EPILOG = f"""experiments:
{chr(10).join(f"  {name:12}{told}" for name, told in EXPERIMENTS.items())}

The data come from the folder in the environment variable {DATA} (german.csv, taiwan.csv,
adult.csv), the user's cache, or OpenML. A full run takes a quarter of an hour or more on one core, a quick
one some minutes; the first one installs the peers. Needs the extra "paper": pip install '.[paper]'"""


def read_command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.paper",
        description="Run the paper's experiments with this project and its peers, and write the report. "
        "What was answered is kept: the same command goes on where it was interrupted.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="few people, trials and rows")
    parser.add_argument("--people", type=at_least_one, help="denied people per study (50; quick: 5)")
    parser.add_argument("--trials", type=at_least_one, help="Optuna trials per model (50; quick: 3)")
    parser.add_argument("--only", nargs="+", choices=PLAN, default=list(PLAN), help="experiments to run")
    parser.add_argument("--data", nargs="+", choices=DATA_SETS, default=list(DATA_SETS), help="data sets")
    parser.add_argument("--no-peers", action="store_true", help="leave DiCE, NICE and OCEAN out")
    parser.add_argument("--out", type=Path, default=Path("report"), help="folder of the report (report)")
    parser.add_argument(
        "--fresh", action="store_true", help="forget what earlier runs in this folder answered"
    )
    parser.add_argument(
        "--environments",
        type=Path,
        default=cache_folder() / "peers",
        help="folder of the virtual environments in which the peers are installed (in the user's cache)",
    )
    parser.add_argument("--markdown", type=Path, help="also write the tables to this file: docs/results.md")
    other = parser.add_argument_group("where the paper and the authors' code differ, follow the other")
    other.add_argument("--split", choices=("paper", "code"), default="paper", help="40/10/50 or 45/5/50")
    other.add_argument("--unscaled-maximum", action="store_true", help="c₂ without σ, as the paper writes it")
    other.add_argument("--gender-may-change", action="store_true", help="on German, as in the code")
    other.add_argument(
        "--everything-may-change", action="store_true", help="on Adult, the paper's 8 features"
    )
    return parser.parse_args()


def at_least_one(text: str) -> int:
    """A count on the command line."""
    if not text.lstrip("-").isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, got {text!r}")
    return int(text)


def settings_of(options: argparse.Namespace) -> Settings:
    """The settings that the command line asks for."""
    base = QUICK if options.quick else Settings()
    return replace(
        base,
        people=options.people or base.people,
        trials=options.trials or base.trials,
        split=options.split,
        scaled_maximum=not options.unscaled_maximum,
        gender_may_change=options.gender_may_change,
        everything_may_change=options.everything_may_change,
    )


def main() -> int:
    """Do every task, write the report, and say where it is."""
    options = read_command_line()
    try:
        return run(options)
    except KeyboardInterrupt:
        print(
            "\nInterrupted. What was answered is kept: the same command goes on from here.", file=sys.stderr
        )
        return 130
    except P2CEError as error:  # such as an extra that is missing; before the others, which it derives from
        print(error, file=sys.stderr)
    except ModuleNotFoundError as error:
        print(f"{error.name} is not installed. Type: pip install '.[paper]'", file=sys.stderr)
    except OSError as error:
        print(f"{error.filename} cannot be used: {error.strerror}.", file=sys.stderr)
    return 1


def run(options: argparse.Namespace) -> int:
    from threadpoolctl import threadpool_limits
    from tqdm import tqdm

    from benchmarks.data import require
    from benchmarks.paper.facts import commit, facts_of
    from benchmarks.paper.report import results_markdown, write_report
    from benchmarks.paper.run import Run
    from benchmarks.paper.toy import write_toy

    # Whatever cannot be read or written is better known now than in an hour.
    require(options.data)
    options.out.mkdir(parents=True, exist_ok=True)
    if options.markdown:
        options.markdown.parent.mkdir(parents=True, exist_ok=True)
        options.markdown.touch()
    tasks = plan(experiments=tuple(options.only), data=tuple(options.data), peers=not options.no_peers)
    with tqdm(total=len(tasks), unit="task", dynamic_ncols=True) as bar, threadpool_limits(1):
        work = Run(
            settings=settings_of(options),
            folder=options.out,
            environments=options.environments,
            commit=commit(),
            progress=lambda text: bar.set_postfix_str(text),
        )
        if options.fresh:
            for folder in ("answers", "models", "peers", "truths"):  # and nothing else that may lie there
                shutil.rmtree(work.work / folder, ignore_errors=True)
        write_toy(options.out)
        for task in tasks:
            bar.set_description(f"{DATA_SETS[task.data]}, {MODELS[task.model]}: {METHODS[task.method]}")
            work.do(task)
            bar.update()
    facts = facts_of(work, quick=options.quick, command=command(options), left_out=left_out(options))
    work.findings.write(options.out / "results", facts)
    page = write_report(options.out)
    if options.markdown:
        options.markdown.write_text(results_markdown(options.out), encoding="utf-8")
    print(f"The report is {page}")
    return 0


def command(options: argparse.Namespace) -> str:
    """What was asked for on the command line, without folders."""
    told = ["python", "-m", "benchmarks.paper"]
    for name in ("quick", "no_peers", "unscaled_maximum", "gender_may_change", "everything_may_change"):
        told += [f"--{name.replace('_', '-')}"] if getattr(options, name) else []
    for name in ("people", "trials"):
        told += [f"--{name}", str(getattr(options, name))] if getattr(options, name) else []
    told += ["--split", options.split] if options.split != "paper" else []
    for name, everything in (("only", PLAN), ("data", DATA_SETS)):
        chosen = getattr(options, name)
        told += [f"--{name}", *chosen] if set(chosen) != set(everything) else []
    return shlex.join(told)


def left_out(options: argparse.Namespace) -> list[str]:
    """What the command line left out, for readers."""
    told = ["the peers, by --no-peers"] if options.no_peers else []
    for name, everything, what in (("only", EXPERIMENTS, "experiment"), ("data", DATA_SETS, "data set")):
        without = [told for key, told in everything.items() if key not in getattr(options, name)]
        told += [f"the {what} “{name_of}”, by --{name}" for name_of in without]
    return told


if __name__ == "__main__":
    raise SystemExit(main())
