"""How much is done: the full benchmark, the quick one, and a trial that only shows that everything runs."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Scale:
    """Sizes of a benchmark.

    documents : of the corpus at most, None for all;  words : V;  topics : K;  scored : held-out documents at most
    epochs : of scikit-learn;  gibbs, dynamic : iterations of tomotopy at which its topics are scored;  slices : of time
    topica : iterations of topica
    passes : of Chronotope, None for its default
    small_* : of the case gensim can finish
    reach_D … reach_V : what cost is measured against;  steps : measured of each
    roof_* : documents and numbers of topics whose loops are timed, how often; numbers in an array of the triad
    cluster_passes : of the fits on a cluster
    many_* : documents, words, distinct times, scored documents, few and many topics; passes of Chronotope,
        iterations of tomotopy at which its topics are scored
    """

    name: str
    documents: int | None
    words: int = 5_000
    topics: int = 20
    scored: int = 3_000
    epochs: int = 3
    gibbs: tuple[int, ...] = (10, 20, 50, 100, 250)
    topica: int = 500
    dynamic: tuple[int, ...] = (30, 100, 300)
    slices: int = 27
    passes: int | None = None
    small_documents: int = 400
    small_words: int = 500
    small_slices: int = 10
    small_topics: int = 5
    small_iterations: int = 3
    reach_D: tuple[int, ...] = (6_000, 12_000, 24_000, 48_000, 96_000)
    reach_T: tuple[int, ...] = (100, 400, 1_600, 10**9)
    reach_M: tuple[int, ...] = (100, 200, 400, 800, 1_600)
    reach_K: tuple[int, ...] = (5, 10, 20, 40, 80)
    reach_V: tuple[int, ...] = (625, 1_250, 2_500, 5_000)
    steps: int = 12
    roof_documents: int = 4_000
    roof_topics: tuple[int, ...] = (20, 200)
    roof_repeats: int = 7
    roof_array: int = 2**26
    many_documents: int = 20_000
    many_words: int = 20_000
    many_times: int = 200
    many_scored: int = 500
    many_topics: tuple[int, int] = (20, 200)
    many_passes: int = 2
    many_gibbs: tuple[int, ...] = (10, 20, 50, 100)
    cluster_passes: int = 8

    def wide(self) -> Scale:
        """The same with the corpus of many words."""
        documents = min(self.many_documents, self.documents or self.many_documents)
        return replace(self, documents=documents, words=self.many_words)


FULL = Scale("full", None)
QUICK = Scale(
    "quick",
    15_000,
    scored=500,
    gibbs=(10, 50, 250),
    topica=100,
    dynamic=(10, 50),
    passes=2,
    small_documents=150,
    small_words=200,
    small_slices=5,
    small_iterations=1,
    reach_D=(3_000, 12_000),
    reach_T=(100, 10**9),
    reach_M=(100, 1_600),
    reach_K=(10, 40),
    reach_V=(1_250, 5_000),
    steps=4,
    roof_documents=500,
    roof_repeats=3,
    roof_array=2**24,
    many_documents=600,
    many_words=1_000,
    many_times=100,
    many_scored=50,
    many_passes=1,
    many_gibbs=(10, 20),
)
TRIAL = Scale(
    "trial",
    150,
    words=200,
    topics=3,
    epochs=1,
    gibbs=(2, 5),
    topica=5,
    dynamic=(2, 5),
    slices=4,
    passes=2,
    small_documents=40,
    small_words=30,
    small_slices=2,
    small_topics=2,
    small_iterations=1,
    reach_D=(50, 100),
    reach_T=(10, 40),
    reach_M=(10, 40),
    reach_K=(2, 4),
    reach_V=(50, 100),
    steps=2,
    roof_documents=50,
    roof_topics=(2, 4),
    roof_repeats=2,
    roof_array=2**16,
    many_documents=100,
    many_words=300,
    many_times=20,
    many_scored=20,
    many_topics=(2, 4),
    many_passes=1,
    many_gibbs=(2, 3),
    cluster_passes=2,
)
SCALES = {scale.name: scale for scale in (FULL, QUICK, TRIAL)}
