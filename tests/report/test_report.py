"""The file a report is: what is in it, how large it is, and when it is refused."""

import base64
import json
import os
import re

import numpy as np
import pytest

import chronotope as ct
from chronotope.report.about import about_model
from chronotope.report.collect import Wanted, report_data
from chronotope.report.encode import FLOOR, json_for_html, quantise


def data_of(path):
    """What the page would read."""
    page = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


def unpack(text):
    return np.frombuffer(base64.b64decode(text), dtype="<u2")


def probability(q):
    return np.where(q == 0, 0.0, FLOOR ** (1 - q / 65535))


def wanted(corpus):
    """Three documents of each topic and period, and no search."""
    return Wanted(3, 0, [None] * len(corpus))


@pytest.fixture(scope="module")
def data(model, corpus, tmp_path_factory):
    return data_of(ct.write_report(model, corpus, tmp_path_factory.mktemp("out") / "report.html", verbose=False))


def test_curves_in_the_file_are_the_model_s_trajectories(data, model):
    topic = data["topics"][1]
    mean, low, high = probability(unpack(topic["curves"])).reshape(3, len(topic["words"]), len(data["times"]))
    word = data["vocabulary"][topic["words"][2]]
    table = model.topics_.trajectory(1, word, np.array(data["times"]))
    for packed, column in ((mean, "mean"), (low, "low"), (high, "high")):
        np.testing.assert_allclose(packed[2], table[column], rtol=1e-3, atol=1e-8)


def test_shares_and_events_that_are_given_lead_to_the_same_page(model, corpus, tmp_path):
    shares = model.transform(corpus)
    given = {"shares": shares, "events": ct.analysis.find_events(model, corpus, shares=shares, verbose=False)}
    whole, quick = (
        ct.write_report(model, corpus, tmp_path / name, verbose=False, **known)
        for name, known in (("whole.html", {}), ("quick.html", given))
    )
    assert quick.read_bytes() == whole.read_bytes()


def test_words_are_ranked_as_the_model_ranks_them_at_every_time(data, model):
    for k, topic in enumerate(data["topics"]):
        mean = probability(unpack(topic["curves"])).reshape(3, len(topic["words"]), len(data["times"]))[0]
        for t in (0, 30, 60):
            best = np.argsort(-mean[:, t], kind="stable")[:5]
            found = {data["vocabulary"][topic["words"][w]] for w in best}
            assert found == {word for word, _ in model.topics_.top_words(k, data["times"][t], 5)}


def test_shares_sum_to_one_at_every_time(data):
    np.testing.assert_allclose(np.sum([topic["shares"] for topic in data["topics"]], axis=0), 1.0, atol=1e-4)
    assert sum(topic["share"] for topic in data["topics"]) == pytest.approx(1.0, abs=1e-3)


def test_uses_of_a_word_are_the_parts_of_its_topics(data):
    each = data["uses"]["each"]
    table = unpack(data["uses"]["table"]).reshape(len(data["vocabulary"]), each, 4)
    np.testing.assert_allclose(table[:, :, 1].sum(axis=1) / 65535, 1.0, atol=1e-3)
    assert np.all(np.diff(table[:, :, 1].astype(int), axis=1) <= 0)
    assert table[:, :, 0].max() < 3
    assert table[:, :, 3].max() < len(data["times"])


def test_documents_are_of_their_period_and_their_marked_words_are_words(data, corpus):
    shown = 0
    for topic in data["topics"]:
        assert len(topic["documents"]) == len(data["periods"])
        for period, documents in zip(data["periods"], topic["documents"], strict=True):
            for document in documents:
                assert float(document["date"][:4]) < period["end"]
                assert set(document["parts"][1::2]) <= set(corpus.vocabulary)
                shown += 1
    assert shown > 9


def test_no_documents_are_shown_when_none_are_asked_for(model, corpus, tmp_path):
    page = ct.write_report(model, corpus, tmp_path / "r.html", n_documents=0, verbose=False)
    assert data_of(page)["search"] is None
    for topic in data_of(page)["topics"]:
        assert not any(topic["documents"])
        assert not any(event["documents"] for event in topic["events"])


def test_a_corpus_without_texts_shows_counted_words_and_says_so(model, corpus, tmp_path):
    bare = ct.Corpus(corpus.counts, corpus.times, corpus.vocabulary, calendar=True)
    data = data_of(ct.write_report(model, bare, tmp_path / "r.html", verbose=False))
    assert "no texts" in data["documentsNote"]
    document = next(d for topic in data["topics"] for period in topic["documents"] for d in period)
    row = int(document["name"].removeprefix("document "))
    for word, count in zip(document["parts"][1::2], document["parts"][2::2], strict=True):
        assert corpus.counts[row, list(corpus.vocabulary).index(word)] == int(count.strip(" ,"))


def test_no_text_can_end_the_script_or_break_the_file():
    given = {"a": ["</script>", "<!--", "\u2028", "half \ud800", "\x00", "\\", '"']}
    text = json_for_html(given)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text)["a"][:3] == ["</script>", "<!--", "\u2028"]
    assert json.loads(text)["a"][3] == "half ?"
    text.encode("utf-8")


def test_hostile_text_is_only_ever_data(hostile, tmp_path):
    corpus, model = hostile
    path = ct.write_report(
        model, corpus, tmp_path / "r.html", title="</title><script>window.hacked=9</script>", verbose=False
    )
    page = path.read_text(encoding="utf-8")
    assert page.count("<script") == 2
    assert page.count("</script") == 2
    assert "<img" not in page
    assert "<title>&lt;/title&gt;" in page


def test_nothing_in_the_page_points_elsewhere(model, corpus, tmp_path):
    page = ct.write_report(model, corpus, tmp_path / "r.html", verbose=False).read_text(encoding="utf-8")
    addresses = set(re.findall(r"(?:https?:)?//[\w.]+", re.sub(r"//[^\n]*\n", "\n", page)))
    assert not re.search(r"(?:src|href)=.?(?:https?:)?//", page)
    assert addresses <= {"http://www.w3.org"}  # the name of SVG, not an address
    assert "default-src 'none'" in page


@pytest.mark.parametrize(
    "times", [[5.0] * 12, np.arange(12.0), np.linspace(2020.0, 2020.02, 12)], ids=["one", "few", "days"]
)
def test_every_kind_of_time_makes_a_report(times, tmp_path):
    counts = np.random.default_rng(0).poisson(1.0, (12, 6))
    corpus = ct.Corpus(counts, times, calendar=times[0] == 2020.0)
    model = ct.DynamicTopicModel(1, "ou(1, 1)", max_epochs=2, n_threads=1, verbose=False).fit(corpus)
    data = data_of(ct.write_report(model, corpus, tmp_path / "r.html", verbose=False))
    assert len(data["labels"]) == len(data["times"])
    assert len(data["topics"]) == 1


def test_quantised_probabilities_are_right_to_a_thousandth():
    p = np.geomspace(1e-8, 1.0, 500)
    np.testing.assert_allclose(probability(quantise(p)), p, rtol=2e-4)
    assert quantise([0.0])[0] == 0


def test_the_size_is_bounded(model, corpus, monkeypatch):
    from chronotope.report import words

    data = report_data(model, corpus, "t", 0.9, wanted(corpus), False)
    assert len(data["times"]) <= 240
    assert all(len(topic["words"]) <= words.CURVES for topic in data["topics"])
    share = np.random.default_rng(0).dirichlet(np.full(3000, 0.05), size=200)
    kept, exact = words.words_to_keep(share)
    assert len(kept) == words.CURVES or exact == 1


def test_what_cannot_be_written_is_refused_before_the_work(model, corpus, tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        ct.write_report(model, corpus, tmp_path / "none" / "r.html")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        ct.write_report(model, corpus, tmp_path)
    with pytest.raises(ValueError, match="level is 2"):
        ct.write_report(model, corpus, tmp_path / "r.html", level=2)
    with pytest.raises(ValueError, match="n_documents is -1"):
        ct.write_report(model, corpus, tmp_path / "r.html", n_documents=-1)
    with pytest.raises(ValueError, match="search_documents is -1"):
        ct.write_report(model, corpus, tmp_path / "r.html", search_documents=-1)
    with pytest.raises(ValueError, match="no column 'url' for link="):
        ct.write_report(model, corpus, tmp_path / "r.html", link="url")
    assert os.listdir(tmp_path) == []


def test_other_words_than_the_model_s_are_refused(model, tmp_path):
    other = ct.Corpus(np.ones((4, 3), dtype=int), np.arange(4.0))
    with pytest.raises(ValueError, match="words"):
        ct.write_report(model, other, tmp_path / "r.html", verbose=False)


@pytest.mark.parametrize(
    ("kernel", "how", "learned"),
    [
        ("constant + ou", None, True),
        ("constant + ou", False, False),
        ("ou(2, 30)", None, False),
        ("ou(2, 3)", True, True),
    ],
)
def test_the_page_about_the_model_says_whether_its_kernel_was_learned(corpus, kernel, how, learned):
    fitted = ct.DynamicTopicModel(2, kernel, learn_kernel=how, max_epochs=2, n_threads=1, verbose=False).fit(corpus)
    prior = about_model(fitted, corpus, "90%")["prior"][0]
    assert ("learned from the corpus" in prior) == learned


@pytest.fixture(scope="module")
def with_gap(model, corpus):
    """The same documents without those of 1920 to 1934, and two of far-off centuries."""
    rows = np.flatnonzero((corpus.times < 1920) | (corpus.times > 1935))
    part = corpus[np.concatenate([rows, rows[:2]])]
    part.times[-2:] = 1628.0, 9952.0
    return part


def test_nothing_is_shown_where_there_is_no_text(with_gap, model):
    data = report_data(model, with_gap, "A gap", 0.9, wanted(with_gap), False)
    years = np.array(data["times"])
    gap = (years > 1920) & (years < 1935)
    np.testing.assert_array_equal(np.array(data["written"], bool), ~gap)
    np.testing.assert_allclose(years[[0, -1]], with_gap.main_span, rtol=0, atol=1e-6)
    for topic in data["topics"]:
        assert [value is None for value in topic["shares"]] == gap.tolist()
        assert data["written"][topic["peak"]]
    uses = unpack(data["uses"]["table"]).reshape(-1, 4)
    assert all(data["written"][peak] for peak in uses[:, 3])
    np.testing.assert_array_equal(np.array(data["documents"])[gap], 0)
    assert sum(data["documents"]) == len(with_gap) - 2


def test_documents_far_from_the_others_are_said_and_change_nothing_else(with_gap, model):
    data, alone = (report_data(model, part, "A gap", 0.9, wanted(part), False) for part in (with_gap, with_gap[:-2]))
    assert data["standfirst"].endswith("from 1628-01-01 to 9952-01-01, are not in the pictures.")
    assert "are not in the pictures" not in alone["standfirst"]
    for name in ("times", "labels", "written", "documents", "ticks", "periods"):
        assert data[name] == alone[name]
    for with_them, without in zip(data["topics"], alone["topics"], strict=True):
        assert with_them["shares"] == without["shares"]
        assert with_them["events"] == without["events"]
