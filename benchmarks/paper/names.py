"""Say how data sets, models, methods and experiments are called, in files and for readers."""

DATA_SETS = {"german": "German Credit", "taiwan": "Taiwan", "adult": "Adult"}

MODELS = {
    "logistic": "Logistic regression",
    "lightgbm": "LightGBM",
    "mlp": "MLP",
    "forest": "Random forest",  # only beside OCEAN, which reads no other model of these
}

METHODS = {
    "mapocam": "MAPOCAM",
    "p2ce-ablation": "P²CE (Ablation)",
    "p2ce": "P²CE",
    "proven": "P²CE, proven",
    "dice-genetic": "DiCE (genetic)",
    "dice-random": "DiCE (random)",
    "nice": "NICE",
    "nice-bare": "NICE (bare model)",  # the model called without its class's checks: NICE at its quickest
    "ocean": "OCEAN",
}
OURS = ("mapocam", "p2ce-ablation", "p2ce", "proven")
PEERS = tuple(method for method in METHODS if method not in OURS)

EXPERIMENTS = {
    "inlierness": "Inlierness, one objective, logistic regression",
    "one": "One objective, LightGBM and MLP",
    "three": "Three objectives",
    "forests": "One objective, random forests",
}
