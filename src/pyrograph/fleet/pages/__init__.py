"""The store as pages."""
