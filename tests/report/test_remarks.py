"""What a report says of the topics themselves: marks, relations, and what none of them explains."""

import numpy as np
import pytest
from subjects import FOREIGN, SPANISH, SUBJECTS, TOPICS, planted_subjects, with_subjects

import chronotope as ct
from chronotope import analysis
from chronotope.report.collect import report_data, wanted_documents
from chronotope.report.remarks import relation_sentence


@pytest.fixture(scope="module")
def archive():
    return planted_subjects()


@pytest.fixture(scope="module")
def subjects(archive):
    return with_subjects(archive)


@pytest.fixture(scope="module")
def data(subjects, archive):
    return report_data(subjects, archive, "Archive", 0.9, wanted_documents(archive, 3, 0, None), False)


def test_topics_carry_their_marks_and_subjects_none(data):
    marks = dict(zip(TOPICS, (topic["mark"] for topic in data["topics"]), strict=True))
    assert [marks[name] for name in SUBJECTS] == [None] * len(SUBJECTS)
    assert marks["speech"].startswith("Register. A way of speaking")
    assert marks["noise"] == "Junk. Words of a few documents: half of it is in 2 of 450."


def test_related_topics_are_close_and_say_why(data, subjects, archive):
    table = analysis.related_topics(subjects, archive)
    sea, ship = TOPICS.index("sea"), TOPICS.index("ship")
    first = data["topics"][sea]["related"][0]
    assert first["topic"] == ship
    [row] = table[(table["topic"] == sea) & (table["other"] == ship)].itertuples()
    assert first["why"] == relation_sentence(row)
    assert f"{row.together:.1f} times as often in the same documents as by chance" in first["why"]
    for k, topic in enumerate(data["topics"]):
        close = table[(table["topic"] == k) & ((table["similarity"] >= 0.2) | (table["together"] >= 1.25))]
        assert [entry["topic"] for entry in topic["related"]] == close["other"].tolist()[:4]


def test_what_no_topic_explains_is_told_in_its_period_only(data, archive):
    places = {data["vocabulary"].index(word) for word in SPANISH}
    [year] = np.unique(archive.times[list(FOREIGN)])
    with_them = [entry for entry in data["unexplained"] if places & set(entry["words"])]
    here = next(period["label"] for period in data["periods"] if year < period["end"])
    assert [entry["period"] for entry in with_them] == [here]
    shown = with_them[0]["documents"]
    assert len(shown) == 2
    assert {document["name"] for document in shown} <= {f"document {d}" for d in FOREIGN}
    assert all(document["share"] > 0.7 for document in shown)


def test_no_documents_are_named_if_none_are_asked_for(subjects, archive):
    without = report_data(subjects, archive, "Archive", 0.9, wanted_documents(archive, 0, 0, None), False)
    assert all(entry["documents"] == [] for entry in without["unexplained"])


@pytest.mark.slow
def test_the_page_shows_marks_links_related_topics_and_lists_what_is_unexplained(chromium, subjects, archive, tmp_path):
    by = pytest.importorskip("selenium.webdriver.common.by").By.CSS_SELECTOR
    address = ct.write_report(subjects, archive, tmp_path / "report.html", verbose=False).as_uri()
    chromium.get(f"{address}#overview")
    assert len(chromium.find_elements(by, ".card .warn")) == 3
    words = [link.text for link in chromium.find_elements(by, "[aria-labelledby=unexplained] dd a")]
    assert set(SPANISH) <= set(words)
    chromium.get(f"{address}#topic-{TOPICS.index('speech')}")
    assert "A way of speaking" in chromium.find_element(by, "main > .warn").text
    chromium.get(f"{address}#topic-{TOPICS.index('sea')}")
    chromium.find_element(by, "[aria-labelledby=related] a").click()
    assert chromium.current_url.endswith(f"#topic-{TOPICS.index('ship')}")
    assert chromium.get_log("browser") == []
