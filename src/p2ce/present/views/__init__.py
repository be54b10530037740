"""Describe one explanation, many, or an audit in words: records that every medium lays out."""
