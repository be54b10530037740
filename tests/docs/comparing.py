"""Does a block print what the page shows? Three dots stand for what differs from run to run."""

from tests.docs.blocks import Block

DOTS = "..."


def is_as_shown(shown: str, printed: str) -> bool:
    """Compare line ends aside; `...` matches anything, also several lines.

    >>> is_as_shown("took ... ms", "took 12.3 ms  "), is_as_shown("a", "b")
    (True, False)
    """
    parts = tidy(shown).split(DOTS)
    text = tidy(printed)
    if len(parts) == 1:
        return parts[0] == text
    first, *middle, last = parts
    if not text.startswith(first) or not text.endswith(last) or len(text) < len(first) + len(last):
        return False
    place, end = len(first), len(text) - len(last)
    for part in middle:
        found = text.find(part, place, end)
        if found < 0:
            return False
        place = found + len(part)
    return True


def tidy(text: str) -> str:
    """Take away what no one sees: blanks at line ends, empty lines at the end."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def shown_by(block: Block) -> str | None:
    """Return what the page shows of a block's output; a console shows its own."""
    if block.language != "console":
        return block.shown
    lines, continued = [], False
    for line in block.code.splitlines():
        if line.startswith("$ ") or continued:
            continued = line.endswith("\\")  # a command that goes on in the next line
            if line.startswith("$ "):
                lines.append(line.rstrip("\\").rstrip())
            else:
                lines[-1] = f"{lines[-1]} {line.strip().rstrip(chr(92)).rstrip()}"
            continue
        lines.append(line)
    return "\n".join(lines)
