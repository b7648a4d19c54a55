"""Notations of the export, each parsed by its own parser: names of any kind are preserved."""

from __future__ import annotations

import base64
import hashlib
import io
import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.formats.dot import draw_svg, read_dot

from lineage import export
from lineage.control_characters import escape_controls
from lineage.export.diagram import DiagramBuilder, numbered_ids, replace_control_characters

if TYPE_CHECKING:
    from lineage.export.diagram import Diagram

SVG = "{http://www.w3.org/2000/svg}"

HOSTILE = [
    "s3://lake/gold/revenue",
    "quote \" and ' and `",
    "</title></script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "&lt; &amp; &#60; #35; #quot;",
    'n0"]; n1[("x")] --> n2',
    "]])}> %% comment",
    "back\\slash \\n \\N \\G \\",
    "two\nlines\r\nand\ttabs",
    "Zürich/東京/🦆/\u202eesrever",
    "control \x01 \x1b[31m \x7f",
    "-1. list * _bold_ **b** __init__",
    "1. first",
    "https://host/x?a=1&b=2 user@host.org www.example.org",
    "=HYPERLINK(1)",
    "]]> <![CDATA[ -->",
    "end",
    "  outer spaces  ",
    "x" * 1000,
    "",
]


def hostile(names: list[str]) -> Diagram:
    builder = DiagramBuilder()
    ids = [
        builder.add_node(
            place, name, ("dataset", "column", "run")[place % 3], {"name": name, "n": 1}
        )
        for place, name in enumerate(names)
    ]
    builder.set_root(ids[0], f"upstream of {names[0]}")
    for place, name in enumerate(names):
        ends = ids[place], ids[(place + 1) % len(ids)]
        builder.add_edge(
            *ends, name, {"job": name, "masking": True, "runs": place, "nothing": None}
        )
        builder.add_edge(*ends, "other")
    return builder.build_diagram()


names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
GRAPHS = st.lists(names | st.sampled_from(HOSTILE), min_size=1, max_size=6).map(hostile)


# The displayed form of a label. GraphML is data: it contains all characters that XML permits.
Show = Callable[[str], str]


def ends(graph: Diagram, show: Show = escape_controls) -> list[tuple[str, str, str]]:
    short = numbered_ids(graph.nodes)
    return [(short[e.source], short[e.target], show(e.label)) for e in graph.edges]


def labels(graph: Diagram, show: Show = escape_controls) -> dict[str, str]:
    return {
        name: show(node.label)
        for node, name in zip(graph.nodes, numbered_ids(graph.nodes).values(), strict=True)
    }


# --- DOT -------------------------------------------------------------------------------------


def as_drawn(label: str) -> str:
    """Return the text that Graphviz draws for a label: resolve escapes, then HTML entities."""
    text = re.sub(r"\\(.)", lambda m: {"n": "\n", "r": "\r"}.get(m[1], m[1]), label, flags=re.S)
    return text.replace("&amp;", "&")


def assert_dot(graph: Diagram) -> None:
    read = read_dot(export.text(graph, "dot"))
    assert {name: as_drawn(label) for name, label in read.labels.items()} == labels(graph)
    found = [(source, target, as_drawn(label)) for source, target, label in read.edges]
    assert sorted(found) == sorted(ends(graph))


def test_dot_renders_hostile_names_correctly() -> None:
    graph = hostile([name for name in HOSTILE if not set("\n\t") & set(name)])
    drawn = draw_svg(export.text(graph, "dot"))
    groups = [g for g in ElementTree.fromstring(drawn).iter(f"{SVG}g") if g.get("class") == "node"]
    texts = {
        g.findtext(f"{SVG}title"): "".join(t.text or "" for t in g.iter(f"{SVG}text"))
        for g in groups
    }
    assert {name: text.replace("\xa0", " ") for name, text in texts.items()} == labels(graph)


def test_dot_keeps_hostile_names() -> None:
    assert_dot(hostile(HOSTILE))


@settings(max_examples=40)
@given(GRAPHS)
def test_dot_keeps_any_name(graph: Diagram) -> None:
    assert_dot(graph)


# --- GraphML ---------------------------------------------------------------------------------


def assert_graphml(graph: Diagram) -> None:
    read = networkx.read_graphml(io.BytesIO(export.text(graph, "graphml").encode()))
    assert isinstance(read, networkx.MultiDiGraph)
    said = {
        name: (data.get("label", ""), data.get("name", "")) for name, data in read.nodes(data=True)
    }
    assert said == {
        name: (label, label) for name, label in labels(graph, replace_control_characters).items()
    }
    found = [(s, t, data.get("label", "")) for s, t, data in read.edges(data=True)]
    assert sorted(found) == sorted(ends(graph, replace_control_characters))
    runs = [data["runs"] for *_, data in read.edges(data=True) if "runs" in data]
    assert all(type(each) is int for each in runs)
    assert {data["masking"] for *_, data in read.edges(data=True) if "masking" in data} == {True}


def test_graphml_keeps_hostile_names() -> None:
    assert_graphml(hostile(HOSTILE))


@settings(max_examples=40)
@given(GRAPHS)
def test_graphml_keeps_any_name(graph: Diagram) -> None:
    assert_graphml(graph)


def test_a_value_that_is_not_there_is_left_out_and_mixed_ones_are_text() -> None:
    builder = DiagramBuilder()
    builder.add_node(1, "a", "dataset", {"x": 1, "y": True, "z": None})
    builder.add_node(2, "b", "dataset", {"x": "one", "y": False, "z": None})
    read = networkx.read_graphml(
        io.BytesIO(export.text(builder.build_diagram(), "graphml").encode())
    )
    assert [(d["x"], d["y"], "z" in d) for _, d in read.nodes(data=True)] == [
        ("1", True, False),
        ("one", False, False),
    ]


# --- Mermaid: a parser of exactly the part of its grammar that we write -----------------------

LABEL = r'(?:[^"#<>&`\\\x00-\x1f]|#\d+;)+'
NODE = re.compile(rf'  (n\d+)(?:\[\("({LABEL})"\)\]|\["({LABEL})"\]|\(\["({LABEL})"\]\))')
EDGE = re.compile(rf'  (n\d+) -->\|"({LABEL})"\| (n\d+)')
CLASS = re.compile(r"  classDef root stroke-width:3px|  class n\d+ root")


def plain(label: str) -> str:
    return re.sub(r"#(\d+);", lambda match: chr(int(match[1])), label)


def assert_mermaid(graph: Diagram) -> None:
    first, *lines = export.text(graph, "mermaid").split("\n")
    assert first == "flowchart LR"
    assert lines.pop() == ""
    nodes = {
        m[1]: plain(m[2] or m[3] or m[4] or "") for line in lines if (m := NODE.fullmatch(line))
    }
    edges = [(m[1], m[3], plain(m[2])) for line in lines if (m := EDGE.fullmatch(line))]
    classes = [line for line in lines if CLASS.fullmatch(line)]
    assert len(lines) == len(nodes) + len(edges) + len(classes)
    assert nodes == {name: label or " " for name, label in labels(graph).items()}
    assert sorted(edges) == sorted((s, t, label or " ") for s, t, label in ends(graph))


def test_mermaid_keeps_hostile_names() -> None:
    assert_mermaid(hostile(HOSTILE))


@settings(max_examples=100)
@given(GRAPHS)
def test_mermaid_keeps_any_name(graph: Diagram) -> None:
    assert_mermaid(graph)


@pytest.mark.parametrize("name", ["1. first", "- item", "* item", "+ item", "2) second"])
def test_mermaid_sees_no_list_in_a_name(name: str) -> None:
    text = export.text(hostile([name]), "mermaid")
    assert not re.search(r'"\s*(?:\d+[.)]|[-+*])', text)


@pytest.mark.parametrize("name", ["https://h/x", "www.example.org", "a@b.org", "__init__", "*b*"])
def test_mermaid_sees_no_markdown_in_a_name(name: str) -> None:
    text = export.text(hostile([name]), "mermaid")
    assert not re.search(r"://|www\.|@|__|\*", text)


def test_an_ordinary_name_is_readable_in_mermaid() -> None:
    assert 'n0[("s3://lake/gold_zone/revenue-eu.v2")]' in export.text(
        hostile(["s3://lake/gold_zone/revenue-eu.v2"]), "mermaid"
    )


# --- HTML ------------------------------------------------------------------------------------


class Page(HTMLParser):
    """Parser of a page as in a browser: elements, their attributes and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "path", "rect"):
            self._open.append(tag)
            self.texts.append((tag, ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open:
            tag, text = self.texts[-1]
            if tag == self._open[-1]:
                self.texts[-1] = (tag, text + data)

    def of(self, tag: str) -> list[str]:
        return [text for name, text in self.texts if name == tag]


def assert_html(graph: Diagram) -> None:
    text = export.text(graph, "html")
    page = Page(text)
    # Titles of the page, the nodes and the edges; each begins with the full name.
    titles = page.of("title")
    assert {escape_controls(node.label) for node in graph.nodes} <= {
        title.rpartition("\nname: ")[0] for title in titles if "\nname: " in title
    }
    cells = page.of("td")
    assert [cells[at] for at in range(2, len(cells), len(cells) // len(graph.edges))] == [
        escape_controls(edge.label) for edge in graph.edges
    ]
    assert [name for name, _ in page.tags].count("script") == 1
    assert not [a for _, attributes in page.tags for a in attributes if a.startswith("on")]


def test_html_keeps_hostile_names() -> None:
    assert_html(hostile(HOSTILE))


@settings(max_examples=40)
@given(GRAPHS)
def test_html_keeps_any_name(graph: Diagram) -> None:
    assert_html(graph)


def test_html_asks_nobody_for_anything_and_runs_its_own_script_alone() -> None:
    page = Page(export.text(hostile(HOSTILE), "html"))
    remote = {"src", "href", "srcset", "action", "formaction", "poster", "data", "style"}
    assert not [a for _, attributes in page.tags for a in attributes if a in remote]
    [policy] = [
        a["content"] for _, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"
    ]
    rules = dict(rule.strip().split(" ", 1) for rule in (policy or "").split(";"))
    assert rules["default-src"] == "'none'"
    for kind in ("script", "style"):
        [own] = page.of(kind)
        digest = base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()
        assert rules[f"{kind}-src"] == f"'sha256-{digest}'"
        assert "http" not in own
    assert sum(len(page.of(kind)[0]) for kind in ("script", "style")) < 30_000


@settings(max_examples=40)
@given(GRAPHS)
def test_no_notation_has_a_character_that_a_terminal_obeys(graph: Diagram) -> None:
    for form in export.NOTATIONS:
        text = export.text(graph, form)
        assert escape_controls(text, keep="\n") == text


# --- all ---------------------------------------------------------------------------------------


def test_an_answer_without_edges_can_be_written_in_each() -> None:
    builder = DiagramBuilder()
    builder.set_root(builder.add_node(1, "alone", "dataset"), "upstream of alone")
    for form in export.NOTATIONS:
        assert "alone" in export.text(builder.build_diagram(), form)


def test_two_entities_of_one_label_are_two_nodes() -> None:
    builder = DiagramBuilder()
    ids = {builder.add_node(key, "same", "dataset") for key in (1, 2, 1)}
    assert len(ids) == 2
    assert [node.label for node in builder.build_diagram().nodes] == ["same", "same"]
