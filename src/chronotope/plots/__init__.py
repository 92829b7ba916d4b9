"""Pictures of what was learned; matplotlib is loaded when the first one is drawn."""

from chronotope.plots.trajectories import compare_trajectories, plot_trajectories

__all__ = ["compare_trajectories", "plot_trajectories"]
