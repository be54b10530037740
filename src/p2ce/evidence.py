"""Save everything behind one explanation in a file, repeat the search later, or check it independently.

>>> from p2ce.evidence import check, replay, save
"""

from typing import TYPE_CHECKING

from p2ce.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from p2ce.portfolio.evidence.independent.check import Check as Check
    from p2ce.portfolio.evidence.independent.check import EvidenceReport as EvidenceReport
    from p2ce.portfolio.evidence.independent.check import check as check
    from p2ce.portfolio.evidence.replay_evidence import replay as replay
    from p2ce.portfolio.evidence.replay_evidence import verify_signature as verify_signature
    from p2ce.portfolio.evidence.replay_outcome import Difference as Difference
    from p2ce.portfolio.evidence.replay_outcome import Replay as Replay
    from p2ce.portfolio.evidence.save_evidence import save as save

# Names are loaded at first use, since a check must not load the search.
_HOMES = {
    "Check": "portfolio.evidence.independent.check",
    "Difference": "portfolio.evidence.replay_outcome",
    "EvidenceReport": "portfolio.evidence.independent.check",
    "Replay": "portfolio.evidence.replay_outcome",
    "check": "portfolio.evidence.independent.check",
    "replay": "portfolio.evidence.replay_evidence",
    "save": "portfolio.evidence.save_evidence",
    "verify_signature": "portfolio.evidence.replay_evidence",
}

__all__ = sorted(_HOMES)
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
