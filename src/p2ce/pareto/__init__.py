"""Pure mathematics on cost vectors: dominance and fronts."""
