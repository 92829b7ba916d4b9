"""The version of the package, in one place."""

__version__ = "0.2.5"
SAME_RESULTS_SINCE = "0.2.5"  # fits give the same numbers since this version: its checkpoints can be resumed
