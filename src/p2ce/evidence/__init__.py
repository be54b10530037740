"""Save everything behind one explanation in a file, repeat the search later, or check it independently.

>>> from p2ce.evidence import check, replay, save
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from p2ce.evidence.independent.check import check as check
    from p2ce.evidence.independent.evidence_report import Check as Check
    from p2ce.evidence.independent.evidence_report import EvidenceReport as EvidenceReport
    from p2ce.evidence.replay_evidence import replay as replay
    from p2ce.evidence.replay_evidence import verify_signature as verify_signature
    from p2ce.evidence.replay_outcome import Difference as Difference
    from p2ce.evidence.replay_outcome import Replay as Replay
    from p2ce.evidence.save_evidence import save as save

# Names are loaded at first use, since a check must not load the search.
_HOMES = {
    "Check": "independent.evidence_report",
    "Difference": "replay_outcome",
    "EvidenceReport": "independent.evidence_report",
    "Replay": "replay_outcome",
    "check": "independent.check",
    "replay": "replay_evidence",
    "save": "save_evidence",
    "verify_signature": "replay_evidence",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'p2ce.evidence' has no attribute {name!r}")
    value = getattr(import_module(f"p2ce.evidence.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
