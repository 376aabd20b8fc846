"""Hostile and generated input for the whole pipeline."""
