"""Compile kernels, and keep the compiled code on disk."""
