"""Show how far a run is: a bar in a terminal, one plain line for each task in a log."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from p2ce.base.visible import stderr_console


class TaskProgress:
    """Counts finished tasks, and names the current task and its latest step."""

    def __init__(self, total: int, *, console: Console) -> None:
        self.total, self.done = total, 0
        self._console = console
        self._bar = Progress(
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.description}", markup=False),
            TextColumn("{task.fields[step]}", style="dim", markup=False),
            console=console,
            disable=not console.is_terminal,  # a log keeps every frame of a bar
        )
        self._shown = self._bar.add_task("starting", total=total, step="")

    def begin(self, name: str) -> None:
        """Show the name of the task that starts now."""
        self._bar.update(self._shown, description=name, step="")
        if not self._console.is_terminal:
            self._console.print(f"[{self.done + 1}/{self.total}] {name}", markup=False)

    def step(self, text: str) -> None:
        """Show what the current task does, in a terminal only."""
        self._bar.update(self._shown, step=text)

    def finish(self) -> None:
        """Count the current task as done."""
        self.done += 1
        self._bar.update(self._shown, completed=self.done)

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Draw the bar while the block runs."""
        with self._bar:
            yield


@contextmanager
def task_progress(total: int) -> Iterator[TaskProgress]:
    """Show the progress of ``total`` tasks on stderr while the block runs."""
    progress = TaskProgress(total, console=stderr_console())
    with progress.shown():
        yield progress
