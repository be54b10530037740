"""Which commit is a folder at? Of this project, and of the authors' checkout."""

import subprocess
from pathlib import Path


def commit_of(root: Path, *folders: str) -> str:
    """The commit of the code in ``folders`` of a checkout, marked if they were changed since."""
    said = []
    for command in (
        ["rev-parse", "--short=12", "HEAD"],
        ["status", "--porcelain", "--", *(folders or ["."])],
    ):
        done = subprocess.run(["git", *command], cwd=root, capture_output=True, text=True, check=False)
        if done.returncode:
            return "unknown"
        said.append(done.stdout.strip())
    return f"{said[0]} with changes" if said[1] else said[0]
