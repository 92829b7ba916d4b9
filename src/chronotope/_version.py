"""The version of the package, in one place."""

__version__ = "0.2.0"
SAME_RESULTS_SINCE = "0.1.0"  # fits give the same numbers since this version, so its checkpoints can be resumed
