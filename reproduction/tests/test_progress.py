"""A log has one line for each task, and a terminal a bar."""

from io import StringIO

import pytest
from rich.console import Console

from reproduction.progress import TaskProgress

TASKS = ["Adult, MLP: NICE", "Adult, MLP: [bold]OCEAN"]  # a name is no markup


@pytest.mark.parametrize("terminal", [False, True])
def test_a_log_has_a_plain_line_for_each_task_and_a_terminal_a_bar(terminal: bool) -> None:
    written = StringIO()
    console = Console(file=written, force_terminal=terminal, width=120)
    progress = TaskProgress(len(TASKS), console=console)
    with progress.shown():
        for name in TASKS:
            progress.begin(name)
            for person in range(100):
                progress.step(f"{person} of 100 people")
            progress.finish()
    if terminal:
        assert "2/2" in written.getvalue()
    else:
        assert [line for line in written.getvalue().splitlines() if line] == [
            f"[{number}/2] {name}" for number, name in enumerate(TASKS, start=1)
        ]
    assert all(name in written.getvalue() for name in TASKS[1:])
