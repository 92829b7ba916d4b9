"""What prevalence follows, from the metadata of a corpus: groups by their names, and numbers by mean and deviation."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from chronotope.corpus import Corpus
from chronotope.corpus.groups import UNLABELLED, columns_of, groups_of, groups_to_fit, numbers_of
from chronotope.inference.share_tables import Covariates
from chronotope.kernels import Kernel, as_kernel, column_of_groups, has_by, has_space
from chronotope.kernels.terms import ShareTerms, parse_terms

DEFAULT = "constant + ou"  # prevalence if only groups are named
LARGEST = 1e100  # number, so that its square is one


def share_terms(given: Mapping[str, Any]) -> ShareTerms | None:
    """What prevalence follows; None if it does not.   given : parameters of the model by name."""
    prevalence, groups = given["prevalence"], given["groups"]
    if not (groups is None or (isinstance(groups, str) and groups)):
        raise ValueError(f"groups is {groups!r}; expected the name of a column of the corpus' metadata, or None.")
    if prevalence is None and groups is None:
        return None
    try:
        terms = parse_terms(DEFAULT if prevalence is None else prevalence)
    except TypeError as error:
        raise ValueError(str(error)) from None
    if groups is None:
        return terms
    if terms.by not in (None, groups):
        raise ValueError(f"groups is {groups!r}, but prevalence is by({terms.by}); name one column.")
    return terms._replace(by=groups)


def needed_columns(model: Any) -> list[str] | None:
    """Columns of the metadata that a model needs, for prevalence, groups and places; None if it needs none."""
    given = model.get_params(deep=False)
    terms, kernel = share_terms(given), as_kernel(given["kernel"])
    columns = [] if terms is None else list(terms.columns)
    if isinstance(kernel, Kernel) and has_by(kernel):
        columns.append(str(column_of_groups(kernel) or given["groups"]))
    if isinstance(kernel, Kernel) and has_space(kernel):
        if given["place"] is None:
            raise ValueError(
                "a corpus on disk keeps those columns alone that are named; pass the columns of latitude and longitude "
                'as place="lat,lon".'
            )
        columns += [column.strip() for column in given["place"].split(",")]
    return list(dict.fromkeys(columns)) or None


class ShareColumns(NamedTuple):
    """How documents are read.   groups : names;  means, deviations : of each number, so that it becomes standard."""

    terms: ShareTerms
    groups: tuple[str, ...]
    means: tuple[float, ...]
    deviations: tuple[float, ...]

    @classmethod
    def of(cls, corpus: Corpus, terms: ShareTerms, quiet: bool = False) -> ShareColumns:
        """Groups and numbers of the documents to fit; refuses groups that say nothing, and says what is missing."""
        with warnings.catch_warnings():
            if quiet:
                warnings.simplefilter("ignore")
            return cls._of(corpus, terms)

    @classmethod
    def _of(cls, corpus: Corpus, terms: ShareTerms) -> ShareColumns:
        groups = ("",) if terms.by is None else _groups(corpus, terms.by)
        numbers = [numbers_of(corpus, column) for column in terms.linear]
        for column, values in zip(terms.linear, numbers, strict=True):
            missing, largest = int(np.isnan(values).sum()), float(np.nanmax(np.abs(values), initial=0.0))
            if largest > LARGEST:
                raise ValueError(
                    f"linear is {column!r}, with numbers up to {largest:.3g}; expected at most {LARGEST:g}, so divide "
                    "them by something."
                )
            if missing == len(values) or np.nanstd(values) == 0.0:
                raise ValueError(f"linear is {column!r}, whose numbers are all the same; remove it.")
            if missing:
                _warn(f"{missing:,} of {len(values):,} documents have no {column!r}; they count as its mean.")
        means, deviations = (tuple(float(f(x)) for x in numbers) for f in (np.nanmean, np.nanstd))
        return cls(terms, groups, means, deviations)

    def grown(self, corpus: Corpus) -> ShareColumns:
        """The same, with the groups of more documents after those that are known."""
        by = self.terms.by
        if by is None or by not in columns_of(corpus):
            return self
        names, _ = groups_of(corpus, by, "groups")
        return self._replace(groups=(*self.groups, *(name for name in names if name not in self.groups)))

    def covariates(self, corpus: Corpus) -> Covariates:
        """What shares of these documents follow; a group that is not known is said once, a missing column is none."""
        known = columns_of(corpus)
        D, by = len(corpus), self.terms.by
        group = np.zeros(D, np.int64) if by is None else np.full(D, -1)
        if by in known and by is not None:
            names, label = groups_of(corpus, by, "groups")
            place = {name: i for i, name in enumerate(self.groups)}
            group = np.array([place.get(name, -1) for name in names], dtype=np.int64)[label]
            new = [name for name in names if name not in place and name != UNLABELLED]
            if new:
                n = int(np.isin(label, [names.index(name) for name in new]).sum())
                shown = ", ".join(map(repr, new[:3])) + ", ..." * (len(new) > 3)
                _warn(
                    f"{n:,} {'documents are' if n > 1 else 'document is'} of groups that were not fitted ({shown}), "
                    "with what all groups share."
                )
        numbers = np.zeros((D, len(self.terms.linear)))
        for p, column in enumerate(self.terms.linear):
            if column in known:
                numbers[:, p] = np.nan_to_num((numbers_of(corpus, column) - self.means[p]) / self.deviations[p])
        return Covariates(np.asarray(corpus.times, dtype=np.float64), group, numbers)


def _groups(corpus: Corpus, by: str) -> tuple[str, ...]:
    """Names of the groups of the documents to fit."""
    names, group = groups_to_fit(corpus, by)
    if UNLABELLED in names:
        missing = int((group == names.index(UNLABELLED)).sum())
        _warn(f"{missing:,} of {len(corpus):,} documents have no {by!r}; they are a group of their own, {UNLABELLED}.")
    if len(names) == 1:
        _warn(f"groups is {by!r}, and all documents are of the group {names[0]!r}: there is nothing to compare.")
    return tuple(names)


def _warn(sentence: str) -> None:
    warnings.warn(sentence, UserWarning, stacklevel=4)
