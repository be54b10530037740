"""Name the data sets, models, methods and experiments, in files and for readers."""

DATA_SETS = {"german": "German Credit", "taiwan": "Taiwan", "adult": "Adult"}

MODELS = {
    "logistic": "Logistic regression",
    "lightgbm": "LightGBM",
    "mlp": "MLP",
    "forest": "Random forest",  # only for OCEAN, which supports no other model of these
}

METHODS = {
    "mapocam": "MAPOCAM",
    "p2ce-ablation": "P²CE (paper, ablation)",
    "p2ce": "P²CE (paper)",
    "proven": "p2ce",  # this project's own search
    "authors-mapocam": "MAPOCAM, authors' code",
    "authors-ablation": "P²CE (ablation), authors' code",
    "authors-p2ce": "P²CE, authors' code",
    "dice-genetic": "DiCE (genetic)",
    "dice-free": "DiCE (genetic, no ranges)",
    "dice-random": "DiCE (random)",
    "dice-code": "DiCE (random, no ranges)",  # the settings of the authors' code; the paper says genetic
    "nice": "NICE",
    "ocean": "OCEAN",
}
OURS = ("mapocam", "p2ce-ablation", "p2ce", "proven")
AUTHORS = ("authors-mapocam", "authors-ablation", "authors-p2ce")
PEERS = tuple(method for method in METHODS if method not in OURS)
ON_THE_GRID = (*OURS, *AUTHORS)  # brute force over the grid gives their true fronts
WITHOUT_PLAUSIBILITY = ("mapocam", "authors-mapocam")

EXPERIMENTS = {
    "inlierness": "Table 1: inlierness, one objective, logistic regression",
    "one": "Figure 2: one objective, LightGBM and MLP",
    "three": "Table 2: three objectives, LightGBM and MLP",
    "forests": "OCEAN comparison: one objective, random forests",
}
