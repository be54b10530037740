"""The paper's experiments, run again beside its peers: `python -m benchmarks.paper`."""
