"""The version of the package, in one place."""

__version__ = "0.7.0"
SAME_RESULTS_SINCE = "0.5.0"  # fits give the same numbers since this version: its checkpoints can be resumed
