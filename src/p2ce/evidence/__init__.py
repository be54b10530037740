"""Keep how one explanation came about in a file, and repeat it later.

>>> from p2ce.evidence import replay, save
"""

from p2ce.evidence.replay_evidence import replay, verify_signature
from p2ce.evidence.replay_outcome import Difference, Replay
from p2ce.evidence.save_evidence import save

__all__ = ["Difference", "Replay", "replay", "save", "verify_signature"]
