"""Define the one error that is scikit-learn's as well, apart from the others, which load no library."""

from sklearn.exceptions import NotFittedError

from p2ce.errors import P2CEError


class NotFitted(P2CEError, NotFittedError):  # type: ignore[misc]  # scikit-learn has no types
    """A model or detector that has not seen any data yet."""
