"""Draw charts with plotly."""
