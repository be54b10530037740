"""Run the paper's experiments beside its peers, and report: ``python -m benchmarks.paper [--quick]``."""

import argparse
import platform
import shutil
import subprocess
import sys
from dataclasses import asdict, replace
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits
from tqdm import tqdm

import benchmarks.one_thread  # noqa: F401 - before NumPy is loaded
from benchmarks.paper.experiments import PLAN, plan
from benchmarks.paper.hypervolume import REFERENCE_POINT
from benchmarks.paper.names import DATA_SETS, METHODS, MODELS
from benchmarks.paper.report import results_markdown, write_report
from benchmarks.paper.run import Run
from benchmarks.paper.settings import QUICK, Settings
from benchmarks.paper.toy import write_toy
from p2ce.datasets.places import cache_folder
from p2ce.errors import P2CEError

LIBRARIES = ("p2ce", "numpy", "numba", "scikit-learn", "lightgbm", "torch", "shap", "optuna", "moocore")


def read_command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.paper",
        description="Run the paper's experiments with this project and its peers, and write the report. "
        "What was answered is kept: the same command goes on where it was interrupted.",
    )
    parser.add_argument("--quick", action="store_true", help="few people, trials and rows: some minutes")
    parser.add_argument("--people", type=int, help="denied people per data set and model (50; quick: 5)")
    parser.add_argument("--trials", type=int, help="Optuna trials per model (50; quick: 3)")
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
    settings = settings_of(options)
    if options.fresh:
        shutil.rmtree(options.out / "work", ignore_errors=True)
    tasks = plan(experiments=tuple(options.only), data=tuple(options.data), peers=not options.no_peers)
    with tqdm(total=len(tasks), unit="task", dynamic_ncols=True) as bar, threadpool_limits(1):
        run = Run.new(
            settings,
            folder=options.out,
            environments=options.environments,
            commit=commit(),
            progress=lambda text: bar.set_postfix_str(text),
        )
        try:
            write_toy(options.out)
            for task in tasks:
                bar.set_description(f"{DATA_SETS[task.data]}, {MODELS[task.model]}: {METHODS[task.method]}")
                run.do(task)
                bar.update()
        except KeyboardInterrupt:
            bar.close()
            print(
                "Interrupted. What was answered is kept: the same command goes on from here.", file=sys.stderr
            )
            return 130
        except P2CEError as error:  # such as data that cannot be found
            bar.close()
            print(error, file=sys.stderr)
            return 1
    run.write(facts_of(run, quick=options.quick))
    page = write_report(options.out)
    if options.markdown:
        options.markdown.parent.mkdir(parents=True, exist_ok=True)
        options.markdown.write_text(results_markdown(options.out), encoding="utf-8")
    print(f"The report is {page}")
    return 0


def facts_of(run: Run, *, quick: bool) -> dict[str, Any]:
    """What a reader has to know about a run before believing it."""
    return {
        "settings": asdict(run.settings),
        "quick": quick,
        "date": date.today().isoformat(),
        "commit": ", ".join(sorted(run.commits)),
        "machine": machine(),
        "versions": {name: _version(name) for name in LIBRARIES} | run.versions,
        "reference_point": REFERENCE_POINT,
    }


def commit() -> str:
    """The commit of the code, marked if files were changed since."""
    here = Path(__file__).parent
    told = []
    for command in (["rev-parse", "--short", "HEAD"], ["status", "--porcelain", "--untracked-files=no"]):
        done = subprocess.run(["git", *command], cwd=here, capture_output=True, text=True, check=False)
        if done.returncode:
            return "unknown"
        told.append(done.stdout.strip())
    return f"{told[0]} with changes" if told[1] else told[0]


def machine() -> str:
    """The processor, the number of its cores that are used, and Python."""
    names = [platform.processor() or platform.machine()]
    cpus = Path("/proc/cpuinfo")
    if cpus.exists():
        names = [
            line.split(":", 1)[1].strip() for line in cpus.read_text().splitlines() if "model name" in line
        ]
    return f"{names[0] if names else platform.machine()}, one core, Python {platform.python_version()}"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


if __name__ == "__main__":
    raise SystemExit(main())
