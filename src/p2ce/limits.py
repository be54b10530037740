"""How much of an input from outside is taken before it is refused.

Every parser has a limit on what it reads, so that a file made to be too large ends in one line of error. The
defaults are far above what people have; whoever has more raises them.
"""

from dataclasses import dataclass

MIB = 1 << 20
GIB = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The largest inputs that are parsed; bytes are those after unpacking."""

    model_bytes: int = 2 * GIB
    model_memory: int = 8 * GIB  # address space of the process that parses a model file
    model_seconds: float = 120.0  # for that process, from its start to its end
