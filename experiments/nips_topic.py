"""A research topic of NIPS, 1987 to 2003, under three kernels: the paper's figure of function approximation.

python experiments/nips_topic.py --data FOLDER [--out FOLDER] [--quick] [--topics 20] [--seeds 0]
"""

from __future__ import annotations

from collections.abc import Sequence

from common import options, research_topic, run

THEME = ("kernel", "support", "vector", "svm", "classification", "margin")


def main(argv: Sequence[str] | None = None) -> None:
    given = options("A topic of NIPS under three kernels.", argv)
    research_topic("nips", THEME, "Kernel methods at NIPS, 90% bands", given)


if __name__ == "__main__":
    run(main)
