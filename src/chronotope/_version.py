"""The version of the package, in one place."""

__version__ = "0.3.1"
SAME_RESULTS_SINCE = "0.3.1"  # fits give the same numbers since this version: its checkpoints can be resumed
