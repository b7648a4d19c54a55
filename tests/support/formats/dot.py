"""Parser and renderer of DOT by Graphviz, whose libraries are in the wheel of pygraphviz.

``import pygraphviz`` would also load the plug-ins for Pango and GD. They need libraries of X11 and
GLib that a bare system does not have; parsing, layout and SVG do not.
"""

from __future__ import annotations

import ctypes
import importlib.util
from functools import cache
from pathlib import Path
from typing import NamedTuple


class DotGraph(NamedTuple):
    """A parsed graph: the label of each node, and source, target and label of each edge."""

    labels: dict[str, str]
    edges: list[tuple[str, str, str]]


def read_dot(text: str) -> DotGraph:
    """Parse ``text``. Raise ValueError if Graphviz does not accept it as DOT."""
    cgraph = _cgraph()
    graph = _parse(text)
    labels, edges = {}, []
    node = cgraph.agfstnode(graph)
    while node:
        labels[_name(node)] = _label(node)
        edge = cgraph.agfstout(graph, node)
        while edge:
            edges.append((_name(node), _name(cgraph.aghead(edge)), _label(edge)))
            edge = cgraph.agnxtout(graph, edge)
        node = cgraph.agnxtnode(graph, node)
    cgraph.agclose(graph)
    return DotGraph(labels, edges)


def draw_svg(text: str) -> bytes:
    """Render ``text`` as ``dot -Tsvg`` does."""
    gvc, context = _renderer()
    graph = _parse(text)
    assert gvc.gvLayout(context, graph, b"dot") == 0
    result, length = ctypes.c_void_p(), ctypes.c_size_t()
    pointers = ctypes.byref(result), ctypes.byref(length)
    assert gvc.gvRenderData(context, graph, b"svg", *pointers) == 0
    drawn = ctypes.string_at(result, length.value)
    gvc.gvFreeRenderData(result)
    gvc.gvFreeLayout(context, graph)
    _cgraph().agclose(graph)
    return drawn


def _parse(text: str) -> int:
    graph: int | None = _cgraph().agmemread(text.encode())
    if not graph:
        raise ValueError(f"Graphviz cannot read this: {text}")
    return graph


def _name(node: int) -> str:
    name: bytes = _cgraph().agnameof(node)
    return name.decode()


def _label(item: int) -> str:
    label: bytes | None = _cgraph().agget(item, b"label")
    return (label or b"").decode()


class _Plugin(ctypes.Structure):
    """lt_symlist_t: a plug-in that is linked statically."""

    _fields_ = (("name", ctypes.c_char_p), ("address", ctypes.c_void_p))


@cache
def _cgraph() -> ctypes.CDLL:
    """Load the library that parses DOT."""
    cgraph = _library("cgraph")
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    for name, result, *arguments in (
        ("agmemread", pointer, text),
        ("agfstnode", pointer, pointer),
        ("agnxtnode", pointer, pointer, pointer),
        ("agfstout", pointer, pointer, pointer),
        ("agnxtout", pointer, pointer, pointer),
        ("aghead", pointer, pointer),
        ("agnameof", text, pointer),
        ("agget", text, pointer, text),
        ("agclose", ctypes.c_int, pointer),
    ):
        function = getattr(cgraph, name)
        function.restype, function.argtypes = result, arguments
    return cgraph


@cache
def _renderer() -> tuple[ctypes.CDLL, int]:
    """Load the renderer with the layout "dot" and the formats of Graphviz's core only."""
    gvc, pointer = _library("gvc"), ctypes.c_void_p
    names = ("gvplugin_core", "gvplugin_dot_layout")
    symbols = [ctypes.c_char.in_dll(_library(name), f"{name}_LTX_library") for name in names]
    plugins = (_Plugin * 3)(
        *(
            (f"{name}_LTX_library".encode(), ctypes.addressof(symbol))
            for name, symbol in zip(names, symbols, strict=True)
        )
    )
    gvc.gvContextPlugins.restype = pointer
    gvc.gvLayout.argtypes = [pointer, pointer, ctypes.c_char_p]
    gvc.gvRenderData.argtypes = [pointer, pointer, ctypes.c_char_p, pointer, pointer]
    gvc.gvFreeLayout.argtypes = [pointer, pointer]
    return gvc, gvc.gvContextPlugins(plugins, 0)


def _library(name: str) -> ctypes.CDLL:
    """Load a library of the wheel: beside the package on Linux, inside it on macOS."""
    spec = importlib.util.find_spec("pygraphviz")
    assert spec is not None
    assert spec.origin is not None
    package = Path(spec.origin).parent
    folders = (package.with_name("pygraphviz.libs"), package / ".dylibs")
    (path,) = (
        file for folder in folders for file in folder.glob(f"lib{name}[-.]*") if file.is_file()
    )
    return ctypes.CDLL(str(path))
