"""Explain instances: compile arguments, solve and verify batches, diagnose infeasibility, judge proposals."""
