"""From raw text to the words that count: options, tokens, languages, phrases, and a report of what was removed."""

from chronotope._deprecated import moved_text as __getattr__  # noqa: F401  # until 0.3
from chronotope.text.options import Preprocessing
from chronotope.text.phrases import Phrases
from chronotope.text.report import PreprocessingReport, Removed

__all__ = ["Phrases", "Preprocessing", "PreprocessingReport", "Removed"]
