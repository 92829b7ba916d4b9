"""A report of a model: one HTML file that works offline."""

from chronotope.report.write import write_report

__all__ = ["write_report"]
