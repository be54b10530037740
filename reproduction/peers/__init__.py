"""Run each peer from its own package, in its own environment and process, and exchange files with it."""

from reproduction.peers.handing_over import Request, Search
from reproduction.peers.run_peer import PeerAnswers, PeerPerson, run_peer

__all__ = ["PeerAnswers", "PeerPerson", "Request", "Search", "run_peer"]
