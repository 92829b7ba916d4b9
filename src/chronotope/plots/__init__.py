"""Plots of topics, comparisons and priors; matplotlib is imported when the first one is drawn."""

from chronotope.plots.comparison import plot_bounds, plot_comparison
from chronotope.plots.events import plot_events
from chronotope.plots.groups import plot_contrast
from chronotope.plots.heatmap import plot_heatmap
from chronotope.plots.maps import plot_map
from chronotope.plots.prevalence import plot_prevalence
from chronotope.plots.prior import plot_prior
from chronotope.plots.share_forecast import plot_share_forecast
from chronotope.plots.shares import plot_river, plot_shares
from chronotope.plots.tracks import plot_divergence, plot_word_contrast
from chronotope.plots.trajectories import compare_trajectories, plot_trajectories

__all__ = [
    "compare_trajectories",
    "plot_bounds",
    "plot_comparison",
    "plot_contrast",
    "plot_divergence",
    "plot_events",
    "plot_heatmap",
    "plot_map",
    "plot_prevalence",
    "plot_prior",
    "plot_river",
    "plot_share_forecast",
    "plot_shares",
    "plot_trajectories",
    "plot_word_contrast",
]
