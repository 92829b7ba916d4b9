"""Dating: when a text was written, from its words, with an interval that holds what it promises."""

from chronotope.dating.dated import Dated
from chronotope.dating.dating import Dating

__all__ = ["Dated", "Dating"]
