"""``p2ce warm-up`` fills the cache: the next process compiles nothing."""

import re
import subprocess
import sys

import pytest

from p2ce.apps.commands.setup_commands import KERNEL_KINDS

COUNTS = re.compile(r"(\d+) kernels? compiled, (\d+) loaded, [\d.]+ s\. Cache: (\S+)")
# Which kernels that Python calls are still to be compiled when everything is warm.
LEFT = """
from importlib import import_module
from pkgutil import walk_packages

import p2ce
from p2ce.engine.kernels import kernel_cache
from p2ce.apps.commands.setup_commands import run_warm_up

run_warm_up(everything=True)
for module in walk_packages(p2ce.__path__, "p2ce."):
    if module.name.startswith(("p2ce.engine", "p2ce.models.estimates")):
        import_module(module.name)
for kernel in kernel_cache._kernels:
    inner = kernel.targetoptions.get("no_cpython_wrapper")
    if not inner and not kernel.signatures and not kernel.py_func.__module__.startswith("p2ce.testing"):
        print("left:", kernel.py_func.__module__, kernel.py_func.__name__)
"""


def run(*words: str) -> str:
    ran = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, timeout=400, check=True, encoding="utf-8"
    )
    return ran.stdout


@pytest.mark.slow
def test_the_next_process_compiles_nothing() -> None:
    run("-m", "p2ce", "warm-up")
    lines = run("-m", "p2ce", "warm-up").splitlines()
    assert lines[0].startswith("trees and detector: 0 compiled, ")
    found = COUNTS.fullmatch(lines[-1])
    assert found is not None
    assert found[1] == "0"
    assert int(found[2]) > 0


@pytest.mark.slow
def test_all_kinds_leave_no_kernel_to_compile() -> None:
    lines = run("-c", LEFT).splitlines()
    assert [line for line in lines if line.startswith("left: ")] == []
    assert [line.split(":")[0] for line in lines[: len(KERNEL_KINDS)]] == [kind.name for kind in KERNEL_KINDS]
