"""Pictures that code takes in a run, and what else a run shows and saves, over MCP."""

from __future__ import annotations

import base64
import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pilothouse.code.client.client import Client
from pilothouse.page.media.screenshot_size_and_annotation import MODEL_BYTES, MODEL_EDGE
from tests.cli.cli_process import run
from tests.daemon.daemon_process import Home
from tests.daemon.raw_mcp_client import Talk, talking
from tests.page_server import Pages

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

# Noise: nothing of it can be made small.
_HTML = """<!doctype html><title>noise</title><body style="margin:0"><input type=file id=file>
<canvas id=c width=1300 height=700></canvas><script>
const at = c.getContext("2d"), made = at.createImageData(1300, 700);
for (let i = 0; i < made.data.length; i++) made.data[i] = i % 4 === 3 ? 255 : Math.random() * 256;
at.putImageData(made, 0, 0);</script>"""


@pytest.fixture(scope="module")
def url(served: Pages) -> str:
    return served.add("/noise.html", _HTML)


@pytest.fixture
async def talk(lived_in: Home, url: str, tmp_path: Path) -> Any:
    async with talking(lived_in, toolsets="browser,code", cwd=str(tmp_path)) as made:
        await made.greet()
        opened = await made.call("browser", action="open", url=url)
        details = opened["structuredContent"]
        assert details["name"] == "main"
        assert details["viewport"] == {"width": 1365, "height": 768, "scale": 1.25}
        yield made


def size(item: dict[str, Any]) -> tuple[int, int, int]:
    data = base64.b64decode(item["data"])
    with Image.open(BytesIO(data)) as image:
        return *image.size, len(data)


async def test_a_run_shows_texts_and_capped_pictures_in_their_order(
    talk: Talk, tmp_path: Path
) -> None:
    code = """
display("before")
picture = tab.screenshot(save="shot.png")
print("between")
tab.screenshot()
console.log("to the log")
tab.screenshot(silent=True, target="#file")
return picture["width"]
"""
    result = await talk.call("browser", action="run", code=code)
    kinds = [block["type"] for block in result["content"]]
    assert kinds == ["text", "text", "text", "image", "text", "text", "image", "text"]
    texts = [block.get("text", "") for block in result["content"]]
    assert "before" in texts[1]
    assert f"Screenshot of 1365x768 in {tmp_path / 'shot.png'}; shown at 1024x576" in texts[2]
    assert "between" in texts[4]
    assert "1365" in texts[7]
    assert "to the log" not in "".join(texts)
    for block in result["content"]:
        if block["type"] == "image":
            width, height, length = size(block)
            assert block["mimeType"] == "image/jpeg"
            assert max(width, height) <= MODEL_EDGE
            assert length <= MODEL_BYTES
    shots = json.loads(texts[0].split("\n")[2])["screenshots"]
    assert len(shots) == 3
    assert set(shots[0]) == {"dest", "mimeType", "bytes", "width", "height"}
    assert shots[0]["dest"] == str(tmp_path / "shot.png")
    assert shots[0]["bytes"] == (tmp_path / "shot.png").stat().st_size > 1_000_000
    assert all(Path(shot["dest"]).is_file() for shot in shots)  # noqa: ASYNC240


async def test_a_run_uploads_from_the_folders_of_its_session(talk: Talk, tmp_path: Path) -> None:
    (tmp_path / "cv.txt").write_text("sails")
    code = """
tab.upload("#file", "cv.txt")
tab.pdf(save="page.pdf")
return tab.evaluate("document.querySelector('#file').files[0].name")
"""
    result = await talk.call("browser", action="run", code=code)
    assert "cv.txt" in result["content"][0]["text"]
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
    for refused in ('tab.upload("#file", "/etc/passwd")', 'tab.screenshot(save="/etc/x.png")'):
        result = await talk.call("browser", action="run", code=refused)
        assert "is refused" in result["content"][0]["text"]


@pytest.mark.parametrize(
    "code",
    [
        "const rows = await page.$$('tr'); return rows.length;",
        "document.title",
        "return null",
        "let x = 1;\nif (x === 1) { x += 1 }",
        "(() => 1)()",
    ],
)
async def test_javascript_in_a_python_run_is_told_how_to_be_run(talk: Talk, code: str) -> None:
    result = await talk.call("browser", action="run", code=code)
    text = result["content"][0]["text"]
    assert result["isError"] is True
    assert "JavaScript" in text
    assert "tab.evaluate('…')" in text
    assert 'language=\\"js\\"' in text


async def test_a_persons_run_saves_where_the_person_is(
    lived_in: Home, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    where = lived_in.environ(PYTHONPATH=str(Path(__file__).parents[2]))
    for words in (("open", url), ("run", "-c", "tab.screenshot(save='cli.png', silent=True)")):
        code, _, err = await run(*words, "--owner", "carl", **where)
        assert code == 0, err
    assert (tmp_path / "cli.png").read_bytes().startswith(b"\x89PNG")
    with Client("carl", paths=lived_in.paths, start=False) as client:
        report = client.run("tab.screenshot(save='lib.jpg')")
        assert report.details["screenshots"][0]["dest"] == str(tmp_path / "lib.jpg")
        assert (tmp_path / "lib.jpg").read_bytes().startswith(b"\xff\xd8")
        client.close()
