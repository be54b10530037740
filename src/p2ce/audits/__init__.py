"""Compare groups of people by their explanations: shares with recourse, costs and burden, with intervals."""
