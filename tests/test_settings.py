"""Settings: what is read, what goes first, and how exactly a mistake is named."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from pilothouse import settings as settings_module
from pilothouse.errors import PilothouseError
from pilothouse.settings import (
    OTHER_SECTIONS,
    PERMISSIONS,
    VARIABLES,
    DialogRule,
    IgnoredVariable,
    Settings,
    config_path,
    descriptions,
    find_ignored_variables,
    load,
    set_value,
)
from pilothouse.supervisor.model.dialog_policy_and_permissions import (
    PERMISSIONS as PAGE_PERMISSIONS,
)
from scripts.generate_configuration_docs import page
from tests.code_and_docs_rules import ROOT


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config.yaml"


def read(config: Path, text: str, **environ: str) -> Settings:
    config.write_text(text, "utf-8")
    return load(config, environ)


def refusal(config: Path, text: str, **environ: str) -> str:
    with pytest.raises(PilothouseError) as caught:
        read(config, text, **environ)
    return caught.value.format_line().replace(str(config), "config.yaml")


def test_without_a_file_everything_is_as_usual(config: Path) -> None:
    settings = load(config, {})
    assert settings == Settings()
    assert settings.browser.headless is True
    assert settings.browser.dialog_policy == "must_respond"
    assert settings.browser.dialog_timeout_s == 300


@pytest.mark.parametrize(
    "text", ["", "# nothing\n", "browser:\n", "browser:\n  # all usual\ndaemon:\n"]
)
def test_an_empty_file_or_section_changes_nothing(config: Path, text: str) -> None:
    assert read(config, text) == Settings()


def test_a_file_is_read(config: Path) -> None:
    settings = read(
        config,
        """
browser:
  headless: no
  cdp_url: http://127.0.0.1:9222
  args: [--mute-audio, --lang=fr]
  dialog_policy: auto_accept
  dialog_timeout_s: 12.5
  screenshotDir: ~/shots
  viewport_width: 800
  profile: 42
daemon:
  idle_s: 60
""",
    )
    browser = settings.browser
    assert browser.headless is False
    assert browser.cdp_url == "http://127.0.0.1:9222"
    assert browser.args == ("--mute-audio", "--lang=fr")
    assert (browser.dialog_policy, browser.dialog_timeout_s) == ("auto_accept", 12.5)
    assert (browser.viewport_width, browser.profile) == (800, "42")
    assert settings.daemon.idle_s == 60
    assert type(browser.viewport_width) is int
    assert type(settings.daemon.idle_s) is float


def test_services_for_tools_are_read_and_checked(config: Path) -> None:
    settings = read(
        config,
        "vision:\n  url: http://127.0.0.1:1/v1\n  model: m\n  key_env: KEY\n"
        "search:\n  backend: searxng\n  url: http://127.0.0.1:2\n",
    )
    assert (settings.vision.url, settings.vision.model) == ("http://127.0.0.1:1/v1", "m")
    assert (settings.vision.key_env, settings.search.backend) == ("KEY", "searxng")
    with pytest.raises(PilothouseError, match=r"search\.backend: unknown value 'searx'"):
        read(config, "search:\n  backend: searx\n")
    with pytest.raises(PilothouseError, match=r"there is no setting vision\.modl"):
        read(config, "vision:\n  modl: m\n")


def test_arguments_may_be_one_line(config: Path) -> None:
    assert read(config, "browser:\n  args: --a --b=1\n").browser.args == ("--a", "--b=1")


@pytest.mark.parametrize(
    ("variable", "value", "name", "wanted"),
    [
        ("PILOTHOUSE_HEADLESS", "off", "headless", False),
        ("PILOTHOUSE_CDP_URL", "ws://x", "cdp_url", "ws://x"),
        ("PILOTHOUSE_BROWSER", "/opt/chrome", "executable", "/opt/chrome"),
        ("PILOTHOUSE_PROFILE", "work", "profile", "work"),
        ("PILOTHOUSE_DIALOG_POLICY", "auto_dismiss", "dialog_policy", "auto_dismiss"),
        ("PILOTHOUSE_SCREENSHOT_DIR", "/s", "screenshotDir", "/s"),
        ("PILOTHOUSE_STEALTH", "off", "stealth", "off"),
    ],
)
def test_the_environment_goes_before_the_file(
    config: Path, variable: str, value: str, name: str, wanted: object
) -> None:
    text = "browser:\n  headless: true\n  cdp_url: file\n  dialog_policy: auto_accept\n"
    assert getattr(read(config, text, **{variable: value}).browser, name) == wanted
    empty = read(config, text, **{variable: ""})
    assert empty == read(config, text)


def test_the_daemon_is_set_by_the_environment_too(config: Path) -> None:
    assert read(config, "", PILOTHOUSE_IDLE_S="5").daemon.idle_s == 5


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "browser:\n  headles: true\n",
            "config.yaml:2: there is no setting browser.headles (did you mean browser.headless?)",
        ),
        (
            "daemon:\n  idle_s: 5\nbrowsers:\n  x: 1\n",
            "config.yaml:3: there is no setting browsers (did you mean browser?)",
        ),
        (
            "zzz: 1\n",
            "config.yaml:1: there is no setting zzz (known: browser, daemon, vision, search, "
            "mcp, relay, speedups, toolsets, platform_toolsets, custom_toolsets, tools, "
            "mcp_servers, plugins, policies, profiles, secrets)",
        ),
        (
            "browser:\n\n  headless: perhaps\n",
            "config.yaml:3: browser.headless: invalid value 'perhaps' (use true or false)",
        ),
        (
            "browser:\n  headless:\n",
            "config.yaml:2: browser.headless: the value is missing (use true or false)",
        ),
        (
            "browser:\n  viewport_width: 1.5\n",
            "config.yaml:2: browser.viewport_width: invalid value '1.5' (use a whole number)",
        ),
        (
            "browser:\n  viewport_width: wide\n",
            "config.yaml:2: browser.viewport_width: invalid value 'wide' (use a whole number)",
        ),
        (
            "browser:\n  dialog_timeout_s: .nan\n",
            "config.yaml:2: browser.dialog_timeout_s: invalid value 'nan' (use a number)",
        ),
        (
            "browser:\n  dialog_timeout_s: true\n",
            "config.yaml:2: browser.dialog_timeout_s: invalid value 'True' (use a number)",
        ),
        (
            "browser:\n  dialog_timeout_s: -5\n",
            "config.yaml:2: browser.dialog_timeout_s: -5 is too small (use at least 1)",
        ),
        (
            "daemon:\n  idle_s: -1\n",
            "config.yaml:2: daemon.idle_s: -1 is too small (use at least 0)",
        ),
        (
            "browser:\n  cdp_url: [a]\n",
            "config.yaml:2: browser.cdp_url: invalid value '['a']' (use a string)",
        ),
        (
            "browser:\n  args: {a: b}\n",
            "config.yaml:2: browser.args: invalid value '{'a': 'b'}' (use a list of strings)",
        ),
        (
            "browser:\n  dialog_policy: shrug\n",
            "config.yaml:2: browser.dialog_policy: unknown value 'shrug' "
            "(use one of must_respond, auto_dismiss, auto_accept)",
        ),
        (
            "browser: 5\n",
            "config.yaml:1: browser: expected a mapping of fields (indent the fields below it)",
        ),
        ("- a\n", "config.yaml: expected a mapping of sections (start with browser:)"),
    ],
)
def test_a_mistake_is_named_with_file_line_and_field(config: Path, text: str, told: str) -> None:
    assert refusal(config, text) == told


@pytest.mark.parametrize(
    ("text", "line"),
    [("browser:\n  headless: [true\n", 3), ("a: 1\n b: 2\n", 2), ("browser:\n  a: 1\n  a: 2\n", 3)],
)
def test_what_is_no_yaml_is_named_with_its_line(config: Path, text: str, line: int) -> None:
    assert refusal(config, text).startswith(f"config.yaml:{line}: ")


def test_a_mistake_in_the_environment_names_the_variable(config: Path) -> None:
    told = refusal(config, "", PILOTHOUSE_HEADLESS="perhaps")
    assert told.startswith("PILOTHOUSE_HEADLESS: browser.headless: invalid value 'perhaps'")


def test_a_file_in_another_encoding_is_named_with_its_line(config: Path) -> None:
    config.write_bytes(b"browser:\n  profile: caf\xe9\n")
    with pytest.raises(PilothouseError, match=r"config\.yaml:2: not valid UTF-8"):
        load(config, {})


def test_a_directory_in_the_place_of_the_file_is_named(config: Path) -> None:
    config.mkdir()
    with pytest.raises(PilothouseError, match=r"config\.yaml: Is a directory"):
        load(config, {})


def test_the_file_is_where_it_is_named_or_in_the_configuration_directory() -> None:
    assert config_path({"PILOTHOUSE_CONFIG": "~/mine.yaml"}) == Path.home() / "mine.yaml"
    assert config_path({"XDG_CONFIG_HOME": "/c"}) == Path("/c/pilothouse/config.yaml")
    assert config_path({}) == Path.home() / ".config/pilothouse/config.yaml"


def test_setting_a_value_keeps_comments_order_and_quotes(config: Path) -> None:
    config.write_text(
        '# mine\ndaemon:\n  idle_s: 60   # a minute\n\nbrowser:\n  # quiet\n  cdp_url: "http://x"\n',
        "utf-8",
    )
    config.chmod(0o600)
    assert set_value("browser.headless", "false", config) == config
    set_value("daemon.idle_s", "90", config)
    assert config.read_text("utf-8") == (
        "# mine\ndaemon:\n  idle_s: 90   # a minute\n\nbrowser:\n  # quiet\n"
        '  cdp_url: "http://x"\n  headless: false\n'
    )
    assert config.stat().st_mode & 0o777 == 0o600
    settings = load(config, {})
    assert (settings.daemon.idle_s, settings.browser.headless) == (90, False)
    assert [place.name for place in config.parent.iterdir()] == ["config.yaml"]


def test_a_file_of_comments_keeps_them(config: Path) -> None:
    config.write_text("# mine\n\n# browser:\n#   headless: true\n")
    set_value("daemon.log_mb", "3", config)
    assert config.read_text() == "# mine\n\n# browser:\n#   headless: true\ndaemon:\n  log_mb: 3\n"


def test_a_new_value_stands_before_what_is_written_about_the_next_section(config: Path) -> None:
    config.write_text("daemon:\n  idle_s: 60  # a minute\n\n# The browser\nbrowser:\n  args: [a]\n")
    set_value("daemon.log_mb", "3", config)
    assert config.read_text() == (
        "daemon:\n  idle_s: 60  # a minute\n  log_mb: 3\n\n# The browser\nbrowser:\n  args: [a]\n"
    )


def test_setting_a_value_makes_the_file_and_its_section(tmp_path: Path) -> None:
    config = tmp_path / "deep" / "config.yaml"
    set_value("browser.args", "--a --b", config)
    assert load(config, {}).browser.args == ("--a", "--b")
    config.write_text("browser:\n# nothing yet\n", "utf-8")
    set_value("browser.viewport_width", "640", config)
    assert load(config, {}).browser.viewport_width == 640


def test_a_long_value_stays_on_its_line(config: Path) -> None:
    url = "wss://example.test/" + "word " * 60
    set_value("browser.cdp_url", url, config)
    assert len(config.read_text("utf-8").splitlines()) == 2
    assert load(config, {}).browser.cdp_url == url


def test_a_file_that_is_a_link_stays_one(tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles.yaml"
    kept.write_text("daemon:\n  idle_s: 1\n", "utf-8")
    config = tmp_path / "config.yaml"
    config.symlink_to(kept)
    set_value("daemon.idle_s", "2", config)
    assert config.is_symlink()
    assert load(kept, {}).daemon.idle_s == 2


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("browser.headles", "true", r"no setting browser\.headles .*browser\.headless"),
        ("headless", "true", r"there is no setting headless"),
        ("browser.headless", "perhaps", r"browser\.headless: invalid value 'perhaps'"),
        ("browser.stealth", "max", r"browser\.stealth: unknown value 'max'"),
    ],
)
def test_a_value_that_will_not_do_is_not_written(
    config: Path, name: str, value: str, told: str
) -> None:
    with pytest.raises(PilothouseError) as caught:
        set_value(name, value, config)
    assert re.search(told, caught.value.format_line())
    assert not config.exists()


@pytest.mark.parametrize("text", ["- a\n", "browser: 5\n", "browser: [\n"])
def test_a_broken_file_is_not_written_over(config: Path, text: str) -> None:
    config.write_text(text, "utf-8")
    with pytest.raises(PilothouseError):
        set_value("browser.headless", "true", config)
    assert config.read_text("utf-8") == text


def test_the_relay_is_closed_unless_it_is_asked_for(config: Path) -> None:
    usual = load(config, {}).relay
    assert (usual.enabled, usual.port, usual.client_mode) == (False, 19222, "multi-client")
    assert (usual.attach, usual.browser, usual.grace_s) == ("owned", "extension", 20.0)
    settings = read(config, "relay:\n  enabled: yes\n  port: 0\nbrowser:\n  kind: extension\n")
    assert (settings.relay.enabled, settings.relay.port) == (True, 0)
    assert settings.browser.kind == "extension"


def test_the_relays_port_and_mode_come_from_the_environment_too(config: Path) -> None:
    asked = load(config, {"RELAY_PORT": "19300", "PILOTHOUSE_CLIENT_MODE": "single-active"}).relay
    assert (asked.port, asked.client_mode) == (19300, "single-active")
    ours_first = load(config, {"PILOTHOUSE_RELAY_PORT": "19301", "RELAY_PORT": "19300"})
    assert ours_first.relay.port == 19301


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "relay:\n  port: 70000\n",
            "config.yaml:2: relay.port: 70000 is too large (use at most 65535)",
        ),
        (
            "relay:\n  client_mode: one\n",
            "config.yaml:2: relay.client_mode: unknown value 'one' "
            "(use one of multi-client, single-active)",
        ),
        (
            "relay:\n  attach: all\n",
            "config.yaml:2: relay.attach: unknown value 'all' (use one of owned, lazy, eager)",
        ),
    ],
)
def test_a_mistake_about_the_relay_is_named(config: Path, text: str, told: str) -> None:
    assert refusal(config, text) == told


def test_variables_of_a_client_that_the_settings_in_use_do_not_heed_are_found(
    config: Path,
) -> None:
    used = read(config, "browser:\n  executable: /usr/bin/chromium\n  headless: false\n")
    asked = {
        "PILOTHOUSE_BROWSER": "/nope",
        "PILOTHOUSE_HEADLESS": "no",
        "PILOTHOUSE_STEALTH": "most",
        "PILOTHOUSE_PROFILE": "",
        "PILOTHOUSE_RELAY_PORT": "19301",
        "RELAY_PORT": "19222",
        "PATH": "/bin",
    }
    browser, stealth, port = find_ignored_variables(asked, used)
    assert browser == IgnoredVariable(
        "PILOTHOUSE_BROWSER", "browser.executable", "/nope", "/usr/bin/chromium"
    )
    assert stealth.error.startswith("PILOTHOUSE_STEALTH: browser.stealth: unknown value 'most'")
    assert (port.variable, port.value, port.in_use) == ("PILOTHOUSE_RELAY_PORT", "19301", 19222)
    assert find_ignored_variables({"PILOTHOUSE_BROWSER": "/usr/bin/chromium"}, used) == []


RULES = """browser:
  dialog_rules:
    - {type: beforeunload, policy: auto_accept}
    - {origin: "HTTPS://Shop.example/", policy: auto_dismiss}
"""


def test_rules_for_dialogs_are_read_and_written(config: Path) -> None:
    rules = read(config, RULES).browser.dialog_rules
    assert rules == (
        DialogRule("auto_accept", "beforeunload"),
        DialogRule("auto_dismiss", "", "https://shop.example"),
    )
    asked = '[{"type": "confirm", "origin": "http://127.0.0.1:8000", "policy": "must_respond"}]'
    set_value("browser.dialog_rules", asked, config)
    assert load(config, {}).browser.dialog_rules == (
        DialogRule("must_respond", "confirm", "http://127.0.0.1:8000"),
    )
    set_value("browser.dialog_rules", "[]", config)
    assert load(config, {}).browser.dialog_rules == ()


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (
            "{type: beforeunlod, policy: auto_accept}",
            "[0].type: unknown value 'beforeunlod' (use one of",
        ),
        (
            "{type: alert, policy: accept}",
            "[0].policy: unknown value 'accept' (use one of must_respond",
        ),
        ("{type: alert}", "[0]: policy is missing"),
        ("{policy: auto_accept}", "[0]: type or origin is missing"),
        (
            "{origin: shop.example, policy: auto_accept}",
            "[0].origin: 'shop.example' is not an origin",
        ),
        ("{orign: x, policy: auto_accept}", "there is no setting orign (did you mean origin?)"),
        ("alert", "[0]: invalid value 'alert'"),
    ],
)
def test_a_rule_for_dialogs_that_means_nothing_is_named(config: Path, rule: str, told: str) -> None:
    said = refusal(config, f"browser:\n  dialog_rules:\n    - {rule}\n")
    assert said.startswith("config.yaml:2: browser.dialog_rules")
    assert told in said
    assert "expected a list of rules" in refusal(config, "browser:\n  dialog_rules: 5\n")


# docs/configuration.md

DOCS = (ROOT / "docs" / "configuration.md").read_text("utf-8")


def _all() -> dict[str, tuple[Any, Any]]:
    """Every setting: its type and its default."""
    usual = Settings()
    return {
        f"{section}.{name}": (hint, getattr(getattr(usual, section), name))
        for section, kind in settings_module._sections().items()
        for name, hint in get_type_hints(kind).items()
    }


def test_the_tables_of_the_page_are_what_the_script_writes() -> None:
    assert page(DOCS) == DOCS, "run: python -m scripts.generate_configuration_docs"
    for section in settings_module._sections():
        assert f"<!-- settings: {section} -->" in DOCS
    assert "<!-- variables -->" in DOCS
    for section in OTHER_SECTIONS:
        assert f"| `{section}` |" in DOCS


def test_every_setting_has_a_description_beside_its_declaration() -> None:
    assert descriptions().keys() == _all().keys()
    assert [name for name, text in descriptions().items() if not text.endswith(".")] == []


def test_every_variable_that_the_package_reads_has_a_description() -> None:
    read_by_name: set[str] = set()
    for file in (ROOT / "src").rglob("*.py"):
        text = file.read_text("utf-8")
        read_by_name |= set(re.findall(r'environ(?:\.get\(|\[)\s*"([A-Z_]+)"', text))
        read_by_name |= set(re.findall(r'"([A-Z_]+)" in os\.environ', text))
    # These are found by other means: by a table, or by a name that is put together.
    others = {name for name in VARIABLES if name.endswith(("_PROXY", "_LOOPBACK", "_CERT_ERRORS"))}
    others |= {*settings_module._ENVIRONMENT, "PUPPETEER_EXECUTABLE_PATH"}
    assert read_by_name | others == VARIABLES.keys()


def test_the_example_of_the_page_is_valid_and_has_every_setting(config: Path) -> None:
    (example,) = re.findall(r"^```yaml\n(.*?)^```", DOCS, re.M | re.S)
    settings = read(config, example)
    assert len(settings.browser.dialog_rules) == 3
    section, named = "", set()
    for line in example.splitlines():
        if found := re.match(r"(\w+):", line):
            section = found[1]
        elif found := re.match(r"  (\w+):", line):
            named.add(f"{section}.{found[1]}")
    assert named == _all().keys()


def test_every_permission_that_pages_ask_for_can_be_granted_by_the_settings(config: Path) -> None:
    assert PERMISSIONS == PAGE_PERMISSIONS
    granted = read(config, "browser:\n  permissions: [geolocation, camera]\n").browser.permissions
    assert granted == ("geolocation", "camera")
    said = refusal(config, "browser:\n  permissions: [geolocation, flying]\n")
    assert said.startswith("config.yaml:2: browser.permissions: unknown value 'flying'")
