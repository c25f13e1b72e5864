"""YAML that people write."""

from __future__ import annotations

from pathlib import Path

import pytest

from pilothouse.errors import PilothouseError
from pilothouse.yaml_file import (
    keep_trailing_comments,
    line_of,
    load_editable,
    parse_file,
    write_file,
)

TEXT = """\
# head
one:
    - a   # about a

# the second
two:
  key: "quoted"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file.yaml"
    path.write_text(TEXT)
    return path


def test_what_is_not_changed_comes_back_as_it_was(file: Path) -> None:
    write_file(load_editable(file), file)
    assert file.read_text() == TEXT


def test_a_line_is_known_for_every_field(file: Path) -> None:
    document = parse_file(file)
    assert (line_of(document, "two"), line_of(document["two"], "key")) == (6, 7)
    assert line_of({}, "nowhere") == 1


def test_what_is_added_at_the_end_stands_before_the_comments_of_what_follows(file: Path) -> None:
    document = load_editable(file)
    with keep_trailing_comments(document["one"]):
        document["one"].append("b")
    write_file(document, file)
    assert file.read_text() == TEXT.replace("# about a\n", "# about a\n    - b\n")


def test_a_new_section_comes_last(file: Path) -> None:
    document = load_editable(file)
    with keep_trailing_comments(document):
        document["three"] = 3
    write_file(document, file)
    assert file.read_text() == TEXT + "three: 3\n"


def test_a_file_of_comments_or_of_nothing_can_be_changed(tmp_path: Path) -> None:
    for text, head in (("# only this\n", "# only this\n"), ("", ""), ("~\n", ""), (None, "")):
        path = tmp_path / "file.yaml"
        path.unlink(missing_ok=True)
        if text is not None:
            path.write_text(text)
        document = load_editable(path)
        document["a"] = ["b"]
        write_file(document, path)
        assert path.read_text() == f"{head}a:\n  - b\n"


def test_what_is_no_yaml_or_has_no_sections_is_named(file: Path) -> None:
    file.write_text("a: [\n")
    with pytest.raises(PilothouseError, match=r"file\.yaml:2: "):
        parse_file(file)
    file.write_text("- a\n")
    with pytest.raises(PilothouseError, match="expected a mapping of sections"):
        load_editable(file)
