"""Dates: as people write them, as decimal years, by columns, and in periods."""
