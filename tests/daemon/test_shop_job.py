"""The whole job in the shop over MCP, as a model does it: every fact is learnt from the answers,
and the browser's own refusal is the only one."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from bench.economy import work
from bench.mcp_stdio_client import McpPeer
from bench.shop_job_agents import OurWorker
from bench.shop_site import Shop
from tests.daemon.daemon_process import Home


@pytest.mark.browser
@pytest.mark.timeout(180)
def test_a_model_does_the_whole_job_and_nothing_stays_hidden(
    lived_in: Home, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "pilothouse", "mcp", "--owner", "shopper"]
    peer = McpPeer(command, lived_in.environ(), tmp_path)
    worker = OurWorker(peer)
    try:
        with Shop() as shop:
            found = work(worker, shop, tmp_path)
    finally:
        peer.close()
    assert worker.hidden == []
    assert [one["tool"] for one in worker.log].count("browser_snapshot") == 0
    refusals = [one["answer"] for one in worker.log if worker.is_refusal(one["answer"])]
    assert [re.findall(r'"error":"([^"]*)"', one) for one in refusals] == [
        ["not submitted: Customer: Please select an item in the list."]
    ]
    assert found["calls"] <= 38
    assert not any("correct horse" in one["answer"] for one in worker.log)
