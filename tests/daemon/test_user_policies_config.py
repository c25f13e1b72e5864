"""The user's policies, as config.yaml says them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pilothouse.daemon.user_policies_config import Policies, load
from pilothouse.errors import PilothouseError
from pilothouse.security.url_policy import UrlPolicy, classify


def _load(tmp_path: Path, text: str, **environ: str) -> Policies:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    return load(path, environ)


def test_without_a_file_or_a_section_the_usual_holds(tmp_path: Path) -> None:
    for policies in (load(tmp_path / "none.yaml"), _load(tmp_path, "browser: {headless: true}")):
        assert policies.url_policy_for("anybody") == UrlPolicy(own_ports=policies.own_ports)
        assert not policies.secrets


def test_everything_can_be_said(tmp_path: Path) -> None:
    policies = _load(
        tmp_path,
        """
policies:
  allow: ["*.example.com", "localhost:*"]
  deny: [ads.example.com]
  private_networks: block
  schemes: {file: allow, data: deny}
  joined: allow
  owners:
    nightly: {allow: [staging.example.com]}
secrets:
  SHOP: {env: SHOP_PASSWORD}
  PIN: {value: "471147", origins: [bank.example]}
  PLAIN: abcdef
profiles:
  work: [cli, nightly]
  shared: ["*"]
""",
        SHOP_PASSWORD="hunter2",
    )
    url_policy = policies.url_policy_for("me")
    assert classify("https://a.example.com", url_policy)
    assert classify("http://localhost:3000", url_policy)
    assert not classify("https://ads.example.com", url_policy)
    assert not classify("http://10.0.0.1", url_policy)
    assert classify("file:///x", url_policy)
    assert not classify("data:text/html,x", url_policy)
    assert url_policy.joined
    nightly = policies.url_policy_for("nightly")
    assert classify("https://staging.example.com", nightly)
    assert not classify("https://a.example.com", nightly)
    assert not nightly.joined
    typed = policies.secrets.fill_in("{{secret:SHOP}} {{secret:PLAIN}}", "https://x.example/")
    assert typed == "hunter2 abcdef"
    assert "hunter2" not in repr(policies)
    assert policies.profiles == {"work": ("cli", "nightly"), "shared": ("*",)}


def test_an_empty_allow_list_allows_nothing(tmp_path: Path) -> None:
    url_policy = _load(tmp_path, "policies: {allow: []}").url_policy_for("me")
    assert not classify("https://example.com", url_policy)
    assert classify("about:blank", url_policy)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("policies:\n  alow: []", 2, "policies.alow: unknown field"),
        ("policies:\n  allow: example.com", 2, "policies.allow: expected a list of origins"),
        (
            "policies:\n  allow:\n    - https://x/y",
            2,
            r"policies.allow\[0\]: .*not a valid origin rule",
        ),
        ("policies:\n  deny: [5]", 2, r"policies.deny\[0\]: 5 is not text"),
        (
            "policies:\n  private_networks: maybe",
            2,
            "policies.private_networks: unknown value 'maybe'",
        ),
        ("policies:\n  schemes: {fil: allow}", 2, "policies.schemes.fil: unknown"),
        ("policies:\n  schemes: {file: yes}", 2, "policies.schemes.file: unknown value 'yes'"),
        ("policies:\n  schemes: {javascript: allow}", 2, "javascript: it cannot be allowed"),
        ("policies: [1]", 1, "policies: expected fields"),
        ("policies:\n  owners:\n    a: {allowed: []}", 3, "policies.owners.a.allowed"),
        (
            "secrets:\n  A: {env: NOT_SET}",
            2,
            "secrets.A: the daemon's environment has no variable NOT_SET",
        ),
        ("secrets:\n  A: abc", 2, "secrets.A: shorter than 4"),
        ("secrets:\n  A: true", 2, "secrets.A: expected text"),
        ("secrets:\n  A: {}", 2, "secrets.A: expected env or value"),
        ("secrets:\n  9A: abcdef", 2, "secrets.9A: invalid name"),
        ("profiles:\n  work: cli", 2, "profiles.work: expected a list of owners"),
        ("profiles:\n  work: [5]", 2, "profiles.work: expected a list of owners"),
        ("profiles: [work]", 1, "profiles: expected fields"),
        ("secrets:\n  A: {value: abcdef, orgins: []}", 2, "secrets.A.orgins: unknown"),
    ],
)
def test_what_is_wrong_is_said_with_file_line_and_field(
    tmp_path: Path, text: str, line: int, said: str
) -> None:
    with pytest.raises(PilothouseError, match=rf"config.yaml:{line}: .*{said}|:{line}: {said}"):
        _load(tmp_path, text)


def test_a_wrong_secret_is_not_said_in_the_error(tmp_path: Path) -> None:
    with pytest.raises(PilothouseError) as refused:
        _load(tmp_path, "secrets:\n  A: {value: [hunter2]}")
    assert "hunter2" not in refused.value.format_line()
