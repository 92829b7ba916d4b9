"""Values of unset kernel parameters, derived from the first and last time of a corpus."""

from __future__ import annotations


def default_values(kernel: str, length_fraction: float, first: float, last: float) -> dict[str, float]:
    """Values of all parameters of a kernel that stands alone: a prior variance of a few units over the span.

    kernel : name in the text form, such as "ou"
    length_fraction : default length scale of the kernel, as a fraction of the span
    first, last : first and last time of the corpus
    """
    span = last - first if last > first else 1.0
    common = {"variance": 6.0, "length_scale": length_fraction * span}
    special = {
        "wiener": {"variance": 4.0 / span, "initial_variance": 6.0, "origin": first},
        "se": {"variance": 3.0},
        "cauchy": {"variance": 3.0},
        "rq": {"variance": 3.0},
        "linear": {"variance": 4.0 / span**2, "origin": 0.5 * (first + last)},
        "periodic": {"length_scale": 1.0, "period": 1.0},
        "white": {"variance": 0.1},
    }
    return common | special.get(kernel, {})


def change_values(first: float, last: float) -> dict[str, float]:
    """Variance and length scale of a kernel added to a constant, which models the level: those of the change alone.

    Over years, the words of topics change at a similar rate in many corpora, so the variance grows with the span.
    """
    span = last - first if last > first else 1.0
    length = 0.3 * span
    variance = min(max(0.15, 0.03 * length), 2.0) if in_years(first, last) else 0.5
    return {"variance": variance, "length_scale": length}


def walk_values(first: float, last: float) -> dict[str, float]:
    """Variances of a Wiener process added to a constant: none at its origin, and in the mean over the span the same."""
    span = last - first if last > first else 1.0
    return {"variance": 2.0 * change_values(first, last)["variance"] / span, "initial_variance": 0.0}


def in_years(first: float, last: float) -> bool:
    """Whether times from `first` to `last` are taken for years: all lie between 1500 and 2100."""
    return first >= 1500.0 and last <= 2100.0
