"""Everything that is compiled into a kernel is in its stamp."""

import ast
import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import typeof

import p2ce
from p2ce.base import comparing
from p2ce.engine.kernels import kernel_cache
from p2ce.engine.kernels.jit import entry, kernel
from p2ce.engine.kernels.kernel_stamp import fields_of, stamp_of, stamped_parts
from p2ce.engine.solver import box_costs, expand

WIDTH = 3


def entries() -> list[Any]:
    """Return all entries of the package, wherever they are defined."""
    for path in Path(p2ce.__file__).parent.rglob("*.py"):
        if "from p2ce.engine.kernels.jit import" in path.read_text(encoding="utf-8"):
            inner = path.relative_to(Path(p2ce.__file__).parents[1]).with_suffix("")
            import_module(".".join(inner.parts))
    return [one for one in kernel_cache._kernels if one.py_func.__module__.startswith("p2ce.")]


def names_used(function: Any) -> set[str]:
    """List the names that the source of a function reads, in another way than the stamp does."""
    tree = ast.parse(inspect.getsource(function))
    for one in tree.body:
        if isinstance(one, ast.FunctionDef):
            one.decorator_list, one.returns = [], None
            for argument in one.args.args:
                argument.annotation = None
    return {one.id for one in ast.walk(tree) if isinstance(one, ast.Name)}


def test_every_global_of_every_kernel_is_in_the_stamp() -> None:
    modules = set()
    for one in entries():
        parts = list(stamped_parts(one))
        assert not any("0x" in part.split()[-1] for part in parts if len(part) < 200)  # no addresses
        stamped = {part.split(" ")[0] for part in parts}
        waiting, seen = [one.py_func], set()
        while waiting:
            function = waiting.pop()
            seen.add(function)
            modules.add(function.__module__)
            for name in names_used(function) & function.__globals__.keys():
                value = function.__globals__[name]
                assert name in stamped, (function, name)
                inner = getattr(value, "py_func", None)
                if inner is not None and inner not in seen:
                    waiting.append(inner)
    assert {
        "p2ce.engine.solver.box_costs",
        "p2ce.engine.scores.flat.dense",
        "p2ce.engine.grid.cost_kernel",
    } <= modules


def test_a_constant_of_any_file_changes_the_stamp(monkeypatch: pytest.MonkeyPatch) -> None:
    before, other = stamp_of(expand.expand), stamp_of(expand.offer_evaluated)
    assert box_costs.DROPPED_BITS == comparing.DROPPED_BITS
    monkeypatch.setattr(box_costs, "DROPPED_BITS", 40)
    assert stamp_of(expand.expand) != before
    assert stamp_of(expand.offer_evaluated) == other  # which does not round
    monkeypatch.undo()
    assert stamp_of(expand.expand) == before


def test_the_code_of_a_kernel_below_the_one_that_calls_it_counts() -> None:
    def made(step: int) -> Any:
        @kernel
        def inner(a: int) -> int:
            return a + step

        @entry
        def outer(a: int) -> int:
            return inner(a) * WIDTH

        return outer

    assert stamp_of(made(1)) == stamp_of(made(1))
    assert stamp_of(made(1)) != stamp_of(made(2))
    assert "WIDTH 3" in stamped_parts(made(1))


def test_the_stamp_is_the_same_in_another_process() -> None:
    code = "from p2ce.engine.solver.expand import expand\n"
    code += "from p2ce.engine.kernels.kernel_stamp import stamp_of\nprint(stamp_of(expand))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == stamp_of(expand.expand)


def test_the_order_of_fields_counts() -> None:
    class Pair(NamedTuple):
        low: Any
        high: Any

    class Riap(NamedTuple):
        high: Any
        low: Any

    Riap.__name__ = Pair.__name__
    zeros = np.zeros(2)
    pair, riap = typeof((Pair(zeros, zeros), 1)), typeof((Riap(zeros, zeros), 1))
    assert str(pair) == str(riap)
    assert fields_of(pair) != fields_of(riap)
