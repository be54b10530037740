"""Parse the glass-box models of InterpretML."""
