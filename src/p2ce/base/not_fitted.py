"""Define the error that is also scikit-learn's, in a separate file, since it loads scikit-learn."""

from sklearn.exceptions import NotFittedError

from p2ce.errors import P2CEError


class NotFitted(P2CEError, NotFittedError):  # type: ignore[misc]  # scikit-learn has no types
    """A model or detector that has not seen any data yet."""
