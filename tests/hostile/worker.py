"""Read hostile files one after the other in a process of its own: ``python -m tests.hostile.worker``.

Requests come on stdin and outcomes go to stdout, a line of JSON each. The parent process sees when this
one dies, and of which file.
"""

import json
import os
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

LONGEST_MESSAGE = 1000
OWN_CODE = f"{os.sep}p2ce{os.sep}"


def main() -> None:
    """Answer until stdin ends."""
    import resource  # of Unix only

    memory = int(sys.argv[1])
    # Only what is allowed, not what may be allowed: a process that p2ce starts sets limits of its own.
    resource.setrlimit(resource.RLIMIT_AS, (memory, resource.getrlimit(resource.RLIMIT_AS)[1]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # libraries print to stdout, from C too
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        request = json.loads(line)
        os.ftruncate(2, 0)
        answers.write(json.dumps(outcome_of(request)) + "\n")
        answers.flush()


def outcome_of(request: dict[str, Any]) -> dict[str, Any]:
    """Classify the outcome of a file: accepted, rejected in one line, or anything else."""
    from p2ce.errors import P2CEError
    from tests.hostile.entry_points import Inconsistent, take, warm_up

    try:
        if request["format"] == "warm up":
            warm_up()
        else:
            take(request["format"], Path(request["path"]), table=request["table"], target=request["target"])
    except P2CEError as error:
        message = str(error)
        fits = "\n" not in message and 0 < len(message) <= LONGEST_MESSAGE
        return {
            "kind": "rejected" if fits else "bad message",
            "message": message[:2000],
            "place": _place(error),
        }
    except MemoryError as error:
        return {"kind": "memory", "message": repr(error), "place": _place(error)}
    except Inconsistent as error:
        return {"kind": "inconsistent", "message": str(error), "place": ""}
    except Exception as error:
        message = f"{type(error).__name__}: {error}"[:2000]
        return {"kind": "raw error", "message": message, "place": _place(error)}
    return {"kind": "accepted", "message": "", "place": ""}


def _place(error: BaseException) -> str:
    """Give file and line of the innermost frame of p2ce."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if OWN_CODE in one.filename]
    if not frames:
        return ""
    return f"{frames[-1].filename.rpartition(OWN_CODE)[2]}:{frames[-1].lineno}"


if __name__ == "__main__":
    main()
