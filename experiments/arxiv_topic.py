"""A research topic of arXiv abstracts, 1993 to 2019, under three kernels: in the place of the paper's New York Times.

python experiments/arxiv_topic.py --data FOLDER [--out FOLDER] [--quick] [--topics 20] [--seeds 0]
"""

from __future__ import annotations

from collections.abc import Sequence

from common import options, research_topic, run

THEME = ("learning", "neural", "network", "networks", "deep", "training")


def main(argv: Sequence[str] | None = None) -> None:
    given = options("A topic of arXiv abstracts under three kernels.", argv)
    research_topic("arxiv", THEME, "Neural networks on arXiv, 90% bands", given)


if __name__ == "__main__":
    run(main)
