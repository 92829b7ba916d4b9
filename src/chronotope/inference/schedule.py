"""Step sizes of stochastic inference."""

from __future__ import annotations


def robbins_monro(step: int, offset: float, decay: float) -> float:
    """ρ_t = (t + offset)^−decay, t = 0, 1, …: Σ ρ_t diverges and Σ ρ_t² does not for decay in (½, 1]."""
    return float((step + offset) ** -decay)


def caution(step: int) -> float:
    """How far the curvature of a global step leans to the safe side, halving from 1 to nothing.   [see step_sites]"""
    return 0.5**step if step < 10 else 0.0
