"""Ask the peers, each from its own package in its own environment, in another process, over files."""

from benchmarks.paper.peers.answers import PeerAnswers, PeerPerson
from benchmarks.paper.peers.asking import ask
from benchmarks.paper.peers.handing_over import Request, Search

__all__ = ["PeerAnswers", "PeerPerson", "Request", "Search", "ask"]
