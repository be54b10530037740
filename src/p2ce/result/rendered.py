"""Write a result as Python, terminals and notebooks show it; the templates lie above this layer."""

from importlib import import_module


def rendered(function: str, result: object) -> str:
    """Call a function of `p2ce.present.console`, which is loaded when a result is first shown."""
    return str(getattr(import_module("p2ce.present.console"), function)(result))
