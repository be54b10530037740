"""The paper's algorithms, literal."""
