"""Representation of a graph result in a notebook: diagram and edges, without a script."""

from __future__ import annotations

import base64
import re
from xml.etree import ElementTree

import pytest
from support.formats.html import Tags

from lineage.query.records import Dataset, Edge, Job, Node, Run, Trace

SVG = "{http://www.w3.org/2000/svg}"
RUN = Run("r1", "COMPLETE", "2026-01-01T00:00:00.000000Z", None, None, None)


def trace(raw: str, gold: str, copies: int = 1) -> Trace:
    root = Dataset(1, "s3://lake", gold)
    sources = [Dataset(n, "s3://lake", f"{raw}{n}" if n > 2 else raw) for n in range(2, 2 + copies)]
    job = Job(9, "etl", "report")
    time = "2026-01-01T00:00:00.000000Z"
    edges = tuple(Edge(source, root, job, 1, time, time, RUN) for source in sources)
    nodes = (Node(root, 0), *(Node(source, 1) for source in sources))
    return Trace(root, "upstream", None, nodes, edges)


def drawn(html: str) -> ElementTree.Element:
    [image] = [attributes for tag, attributes in Tags(html).tags if tag == "img"]
    kind, _, data = str(image["src"]).partition(",")
    assert kind == "data:image/svg+xml;base64"
    return ElementTree.fromstring(base64.b64decode(data))


def test_the_picture_has_each_dataset_and_its_job() -> None:
    svg = drawn(trace("raw/orders", "gold/revenue")._repr_html_())
    texts = {text.text for text in svg.iter(f"{SVG}text")}
    assert texts == {"s3://lake/raw/orders", "s3://lake/gold/revenue", "report"}
    assert float(svg.attrib["width"]) > 0 < float(svg.attrib["height"])


def test_the_edges_are_there_as_text() -> None:
    html = Tags(trace("raw/orders", "gold/revenue")._repr_html_())
    assert "s3://lake/raw/orders" in html.text
    assert "1 edges" in html.text


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", '"><img src=x>', "a\x1b[31m\u202eb"])
def test_hostile_names_are_text(name: str) -> None:
    html = trace(name, "gold/revenue")._repr_html_()
    tags = Tags(html).tags
    assert not {"script", "iframe", "link"} & {tag for tag, _ in tags}
    assert len([tag for tag, _ in tags if tag == "img"]) == 1
    assert not re.search(r"[\x1b\u202e]", html)
    assert not [each for each in drawn(html).iter() if each.tag.endswith("script")]


def test_a_large_answer_says_why_it_has_no_picture() -> None:
    html = Tags(trace("raw/orders", "gold/revenue", copies=400)._repr_html_())
    assert "401 nodes are too many for a picture" in html.text
    assert [tag for tag, _ in html.tags if tag == "img"] == []


def test_the_short_form_is_one_line() -> None:
    shown = repr(trace("raw/orders", "gold/revenue", copies=50))
    assert shown == "<Trace: upstream of s3://lake/gold/revenue; 51 nodes, 50 edges>"
