"""`pilothouse completion`: what a shell offers after Tab, made from the declared commands."""

from __future__ import annotations

from pilothouse.cli.command import Command
from pilothouse.cli.daemon_call import Answer, Call
from pilothouse.cli.declarations import all_commands
from pilothouse.cli.parser import words_of

__all__ = ["completion", "script"]


def completion(call: Call) -> Answer:
    """Print the script of one shell."""
    text = script(call.options["shell"])
    return Answer({"script": text}, text)


def script(shell: str) -> str:
    """The script that a shell reads."""
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]()


def _options(command: Command) -> list[str]:
    found = ["--help"]
    for word in words_of(command):
        if not word.positional:
            found += [word.option, *([word.short] if word.short else [])]
            if word.kind == "choice":
                found.append("--no-" + word.option[2:])
    return found


def _first(command: Command) -> tuple[str, ...]:
    """What may stand in the first place, if that is one of a few words."""
    return next((w.choices for w in command.words if w.positional), ())


def _bash() -> str:
    names = " ".join(command.name for command in all_commands())
    cases = []
    for command in all_commands():
        for word in command.words:
            if word.choices and not word.positional:
                cases.append(
                    f"    {command.name}:{word.option}) words='{' '.join(word.choices)}' ;;"
                )
        offered = " ".join([*_first(command), *_options(command)])
        cases.append(f"    {command.name}:*) words='{offered}' ;;")
    body = "\n".join(cases)
    return f"""\
_pilothouse() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command= words= each
  for each in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    [[ $each == -* ]] || {{ command=$each; break; }}
  done
  if [[ -z $command ]]; then
    words='{names} --help --version'
  else case $command:$before in
{body}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [[ ${{#COMPREPLY[@]}} -eq 0 && $word != -* ]] && COMPREPLY=($(compgen -f -- "$word"))
  return 0
}}
complete -F _pilothouse pilothouse"""


def _zsh() -> str:
    described = "\n".join(
        f"    '{command.name}:{_zsh_text(command.about)}'" for command in all_commands()
    )
    cases = "\n".join(
        f"    {command.name}) _arguments {_zsh_words(command)} ;;" for command in all_commands()
    )
    return f"""\
#compdef pilothouse
_pilothouse() {{
  local -a commands
  commands=(
{described}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{cases}
  esac
}}
compdef _pilothouse pilothouse"""


def _zsh_text(text: str) -> str:
    text = text.replace("'", "'\\''")
    for mark in "[]:":
        text = text.replace(mark, f"\\{mark}")
    return text


def _zsh_words(command: Command) -> str:
    parts = []
    for word in words_of(command):
        about = _zsh_text(word.about)
        if word.positional:
            kind = f"({' '.join(word.choices)})" if word.choices else "_files"
            parts.append(f"'{'*' if word.many else ''}:{_zsh_text(word.name)}:{kind}'")
        elif word.kind in ("flag", "choice"):
            parts.append(f"'{word.option}[{about}]'")
        else:
            kind = f"({' '.join(word.choices)})" if word.choices else ""
            parts.append(f"'{word.option}[{about}]:{word.name}:{kind}'")
    return " ".join(parts)


def _fish() -> str:
    lines = ["complete -c pilothouse -f"]
    for command in all_commands():
        lines.append(
            f"complete -c pilothouse -n __fish_use_subcommand -a {command.name} "
            f"-d {_fish_text(command.about)}"
        )
        seen = f"-n '__fish_seen_subcommand_from {command.name}'"
        if _first(command):
            lines.append(f"complete -c pilothouse {seen} -a '{' '.join(_first(command))}'")
        elif any(w.positional and w.name in ("file", "paths") for w in command.words):
            lines.append(f"complete -c pilothouse {seen} -F")
        for word in words_of(command):
            if word.positional:
                continue
            line = f"complete -c pilothouse {seen} -l {word.option[2:]}"
            if word.short:
                line += f" -s {word.short[1:]}"
            if word.name in ("output", "har", "images"):
                line += " -rF"
            elif word.kind not in ("flag", "choice"):
                line += " -x" + (f" -a '{' '.join(word.choices)}'" if word.choices else "")
            lines.append(line + f" -d {_fish_text(word.about)}")
    return "\n".join(lines)


def _fish_text(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
