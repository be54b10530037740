"""Name what each option is best at."""

from p2ce.result import Explanation

# What being best in an objective is called; any other objective is called by its own name.
BEST_IN_WORDS = {
    "mean_distance": "smallest change overall",
    "max_distance": "smallest single change",
    "changes": "fewest changes",
    "percentile_shift": "smallest shift against other people",
    "euclidean": "smallest distance",
}


def trade_offs(explanation: Explanation) -> list[list[str]]:
    """Give, for each option, the objectives in which no other option is better, in words.

    A strength that all options share sets none apart, so it is left out.
    """
    names: list[list[str]] = [[] for _ in explanation]
    if len(explanation) < 2:
        return names
    for objective in explanation.objectives:
        costs = [option.costs[objective] for option in explanation]
        least = min(costs)
        if least == max(costs):
            continue
        for strengths, cost in zip(names, costs, strict=True):
            if cost == least:
                strengths.append(BEST_IN_WORDS.get(objective, f"lowest {objective}"))
    return names
