"""Limits, thresholds and guesses from names, as data with a reason; the mechanisms that use them are elsewhere.

This package imports nothing of ours, so that every layer can use it.
"""
