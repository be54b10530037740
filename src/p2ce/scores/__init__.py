"""The one language that search speaks: scores and costs over grid indices, with bounds."""
