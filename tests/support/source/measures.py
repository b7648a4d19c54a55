"""Measures of names, size and SQL in the source, each as the list of its occurrences.

``unit/structure/limits.txt`` records the maximum of each. A limit is lowered with the change that
makes it possible, and never raised.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[3]
LAYERS = ROOT / "tests/unit/structure/layers.txt"
VOCABULARY = ROOT / "tests/unit/structure/vocabulary.txt"
PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs"]

Function = ast.FunctionDef | ast.AsyncFunctionDef

MODULE_LINES = 350
FUNCTION_LINES = 60
PARAMETERS = 5
SQL_LINES = 3
SENTENCE_WORDS = 30

FACADE = "lineage/query/graph.py"
# Packages whose functions take the parameters of a command, a request or a tool call.
SURFACES = (
    "cli/",
    "lineage/mcp/",
    "lineage/http/api/",
    "lineage/http/marquez/",
    FACADE,
)

# Names that programs and the sinks of other distributions use, fixed by the design of the hub, and
# those of Metaflow and of the graph model of LineageBridge.
INTERFACE_PACKAGES = (
    *("lineage/hub/", "lineage/observe/", "lineage/sinks/", "lineage/metaflow/", "lineage/model/"),
    FACADE,
)
INTERFACE = {
    *("init", "accept", "shutdown", "emit", "flush", "wait", "configure", "identity"),
    *("run", "job", "fetch", "reads", "writes", "stored", "wrap", "environment"),
    *("start", "running", "complete", "fail", "abort"),
    *("http", "boto3", "filesystem", "asgi", "wsgi"),
    *("mutate", "lineage"),
    *("upstream", "downstream", "nodes", "edges", "validate", "model"),
    # of file systems of fsspec, and of files
    *("open", "cat", "get", "pipe", "put", "touch", "copy", "mv", "rm", "transaction"),
    *("read", "read1", "readinto", "readinto1", "readline", "readlines", "write", "close"),
    *("closed", "seek", "tell", "truncate", "fileno", "isatty", "readable", "writable", "seekable"),
}

_SQL = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH|MERGE|COPY|CREATE|ALTER|DROP)\b")
_SQL_NAME = re.compile(
    r"(?:^-- name: |\bFUNCTION lineage\.|\bAS |\bWINDOW |\bWITH (?:RECURSIVE )?|^ *\), )([a-z_]+)"
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


@cache
def modules() -> dict[str, list[ast.AST]]:
    """Return the nodes of each module of the product, by its path from the root."""
    return {
        str(path.relative_to(ROOT)): list(ast.walk(ast.parse(path.read_text())))
        for package in ("lineage", "cli")
        for path in sorted((ROOT / package).rglob("*.py"))
    }


def nodes(*types: type[ast.AST]) -> Iterator[tuple[str, ast.AST]]:
    for path, every in modules().items():
        for node in every:
            if isinstance(node, types):
                yield path, node


def functions() -> Iterator[tuple[str, Function]]:
    for path, node in nodes(ast.FunctionDef, ast.AsyncFunctionDef):
        assert isinstance(node, Function)
        yield path, node


def place(path: str, node: ast.AST) -> str:
    return f"{path}:{getattr(node, 'lineno', 1)}"


def words(identifier: str) -> list[str]:
    """Split an identifier in snake or camel case: ``last_goodWrite`` is last, good, write."""
    return [word.lower() for word in _WORD.findall(identifier)]


def long_modules() -> list[str]:
    """Return modules over the limit; the facade of all queries grows with their number."""
    return [
        f"{path} ({length} lines)"
        for path in modules()
        if path != FACADE
        if (length := (ROOT / path).read_text().count("\n")) > MODULE_LINES
    ]


def long_functions() -> list[str]:
    return [
        f"{place(path, node)} {node.name}"
        for path, node in functions()
        if (node.end_lineno or 0) - node.lineno >= FUNCTION_LINES
    ]


def functions_with_many_parameters() -> list[str]:
    """Return functions outside surfaces that take more than five beside the session.

    Keyword-only options do not count: each call names them.
    """
    return [
        f"{place(path, node)} {node.name}"
        for path, node in functions()
        if not path.startswith(SURFACES) and len(parameters(node)) > PARAMETERS
    ]


def parameters(node: Function) -> list[str]:
    named = [*node.args.posonlyargs, *node.args.args]
    return [each.arg for each in named if each.arg not in ("self", "cls", "session")]


def one_word_functions() -> list[str]:
    return [
        f"{place(path, node)} {node.name}"
        for path, node in functions()
        if len(words(node.name)) == 1 and not node.name.startswith("__")
        if not (path.startswith(INTERFACE_PACKAGES) and node.name in INTERFACE)
    ]


def share_of_one_word_functions() -> float:
    """Return the share of functions whose name is one word, in percent."""
    names = [node.name for _, node in functions() if not node.name.startswith("__")]
    return 100 * len(one_word_functions()) / len(names)


def long_sql_literals() -> list[str]:
    """Return string literals of SQL that have more than three lines, without docstrings."""
    docstrings = {id(e.value) for _, e in nodes(ast.Expr) if isinstance(e, ast.Expr)}
    return [
        place(path, node)
        for path, node in nodes(ast.Constant)
        if isinstance(node, ast.Constant)
        and id(node) not in docstrings
        and isinstance(node.value, str)
        and _SQL.match(node.value)
        and len(node.value.strip().splitlines()) > SQL_LINES
    ]


def sql_templates() -> list[str]:
    """Return calls of ``.replace("{name}", …)`` and f-strings that begin with a SQL keyword."""
    replaced = [
        place(path, node)
        for path, node in nodes(ast.Call)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "replace"
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and re.match(r"\{\w+\}", str(node.args[0].value))
    ]
    formatted = [
        place(path, node)
        for path, node in nodes(ast.JoinedStr)
        if isinstance(node, ast.JoinedStr)
        and node.values
        and isinstance(node.values[0], ast.Constant)
        and _SQL.match(str(node.values[0].value))
    ]
    return replaced + formatted


def rows_by_position() -> list[str]:
    """Return subscripts of a name ``row`` by a number."""
    return [
        place(path, node)
        for path, node in nodes(ast.Subscript)
        if isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == "row"
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, int)
    ]


def identifiers() -> Iterator[tuple[str, str]]:
    """Yield place and name of each definition, parameter, assigned name and attribute."""
    for path, node in nodes(ast.AST):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield place(path, node), node.name
        elif isinstance(node, ast.arg):
            yield place(path, node), node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield place(path, node), node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield place(path, node), node.attr
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield place(path, node), node.name
        elif isinstance(node, ast.Call):
            yield from ((place(path, node), option) for option in declared_options(node))


def declared_options(call: ast.Call) -> list[str]:
    """Return the options that a call of ``click.option`` declares, such as ``--depth``."""
    if not (isinstance(call.func, ast.Attribute) and call.func.attr == "option"):
        return []
    texts = [each.value for each in call.args if isinstance(each, ast.Constant)]
    return [text for text in texts if isinstance(text, str) and text.startswith("--")]


def sql_identifiers() -> Iterator[tuple[str, str]]:
    """Yield place and name of each statement, function and alias in the ``.sql`` files."""
    for path in (
        *(ROOT / "lineage").rglob("*.sql"),
        *(ROOT / "migrations/functions").glob("*.sql"),
    ):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for name in _SQL_NAME.findall(re.sub(r"'[^']*'", "", line)):
                yield f"{path.relative_to(ROOT)}:{number}", name


def old_words() -> list[str]:
    """Return each use of a word of ``vocabulary.txt`` in an identifier of Python or SQL.

    Lines ``= IDENTIFIER`` of that file are exceptions.
    """
    lines = VOCABULARY.read_text().splitlines()
    old = {line for line in lines if line[0] not in "#="}
    plain = {line.removeprefix("= ") for line in lines if line[0] == "="}
    return [
        f"{where} {name} ({word})"
        for where, name in (*identifiers(), *sql_identifiers())
        for word in words(name)
        if word in old and name not in plain
    ]


def sentences(page: str) -> list[str]:
    """Return the sentences of a page's prose: no code, table or heading."""
    text = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    prose = [line for line in text.splitlines() if not re.match(r"\s*(\||#|<)", line)]
    paragraphs = re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", "\n".join(prose))
    return [
        " ".join(sentence.split())
        for paragraph in paragraphs
        for sentence in re.split(r"(?<=[.!?:])\s+(?=[A-Z`*\[])", paragraph)
        if sentence.split()
    ]


def share_of_long_sentences() -> float:
    """Return the share of sentences in the documentation of more than 30 words, in percent."""
    pages = [page for top in PAGES for page in ([ROOT / top, *(ROOT / top).rglob("*.md")])]
    every = [each for page in pages if page.is_file() for each in sentences(page.read_text())]
    return 100 * sum(len(each.split()) > SENTENCE_WORDS for each in every) / len(every)


def functions_defined_twice() -> list[str]:
    """Return the SQL functions that the files in ``migrations/`` define more than once."""
    text = "\n".join(path.read_text() for path in sorted((ROOT / "migrations").rglob("*.sql")))
    signatures = re.findall(
        r"^CREATE (?:OR REPLACE )?FUNCTION (lineage\.\w+\s*\([^)]*\))", text, re.MULTILINE
    )
    plain = [" ".join(each.split()) for each in signatures]
    return sorted({each for each in plain if plain.count(each) > 1})


@cache
def layers() -> dict[str, int]:
    """Return the layer of each package; the lowest is 0."""
    lines = [line for line in LAYERS.read_text().splitlines() if not line.startswith("#")]
    pairs = [
        (package, layer)
        for layer, line in enumerate(lines)
        for package in line.partition(": ")[2].split()
    ]
    assert len(dict(pairs)) == len(pairs), "layers.txt lists a package twice"
    return dict(pairs)


def package_of(module: str) -> str | None:
    """Return the package in ``layers.txt`` that a module is part of; None for the facade."""
    parts = module.removeprefix("lineage.").split(".")
    if parts == ["lineage"]:
        return None
    known = layers()
    named = [".".join(parts[:length]) for length in (2, 1)]
    return next((name for name in named if name in known), parts[0])


def imports() -> Iterator[tuple[str, str, str]]:
    """Yield place, importing and imported package of each import inside the product."""
    for path, node in nodes(ast.ImportFrom):
        assert isinstance(node, ast.ImportFrom)
        module = ".".join(Path(path).with_suffix("").parts).removesuffix(".__init__")
        if node.level or not (node.module or "").startswith("lineage"):
            continue
        here = package_of(module)
        for alias in node.names:
            full = f"{node.module}.{alias.name}"
            there = package_of(full if is_module(full) else str(node.module))
            if here and there and here != there:
                yield place(path, node), here, there


@cache
def is_module(name: str) -> bool:
    path = ROOT / name.replace(".", "/")
    return path.with_suffix(".py").exists() or path.is_dir()


def packages_without_layer() -> list[str]:
    return sorted({each for _, *both in imports() for each in both if each not in layers()})


def upward_imports() -> list[str]:
    """Return imports from a package of the same or a higher layer, also those inside functions."""
    known = layers()
    return [
        f"{where} {here} imports {there}"
        for where, here, there in imports()
        if known.get(here, 0) <= known.get(there, 0) and known.get(there, 0) > 0
    ]


def modules_in_import_cycles() -> list[str]:
    """Return the modules that import themselves through others, also for type checking."""
    imported = _imported_modules()
    return sorted(module for module in imported if module in _reachable_from(module, imported))


def _imported_modules() -> dict[str, set[str]]:
    """Return the modules of the product that each one imports."""
    imported: dict[str, set[str]] = {}
    for path, node in nodes(ast.ImportFrom):
        assert isinstance(node, ast.ImportFrom)
        module = ".".join(Path(path).with_suffix("").parts).removesuffix(".__init__")
        if node.level or not (node.module or "").startswith("lineage"):
            continue
        names = (f"{node.module}.{alias.name}" for alias in node.names)
        here = imported.setdefault(module, set())
        here |= {name if is_module(name) else str(node.module) for name in names} - {module}
    return imported


def _reachable_from(module: str, imported: dict[str, set[str]]) -> set[str]:
    """Return the modules that a module imports, directly or through others."""
    reached: set[str] = set()
    pending = [module]
    while pending:
        following = imported.get(pending.pop(), set()) - reached
        reached |= following
        pending += following
    return reached


LISTS: tuple[Callable[[], list[str]], ...] = (
    packages_without_layer,
    upward_imports,
    modules_in_import_cycles,
    long_modules,
    long_functions,
    functions_with_many_parameters,
    one_word_functions,
    long_sql_literals,
    sql_templates,
    rows_by_position,
    old_words,
    functions_defined_twice,
)
SHARES: tuple[Callable[[], float], ...] = (share_of_one_word_functions, share_of_long_sentences)
