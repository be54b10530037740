"""Compare groups of people by their explanations: rejection, recourse, costs and burden, with intervals."""
