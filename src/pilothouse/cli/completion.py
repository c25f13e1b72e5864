"""`pilothouse completion`: shell completion scripts, generated from the declared commands."""

from __future__ import annotations

from pilothouse.cli.command import CliCommand
from pilothouse.cli.command_invocation import CommandResult, Invocation
from pilothouse.cli.declarations import all_commands
from pilothouse.cli.parser import all_arguments

__all__ = ["completion", "script"]


def completion(call: Invocation) -> CommandResult:
    """Print the completion script of a shell."""
    text = script(call.options["shell"])
    return CommandResult({"script": text}, text)


def script(shell: str) -> str:
    """Return the completion script of a shell."""
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]()


def _options(command: CliCommand) -> list[str]:
    found = ["--help"]
    for argument in all_arguments(command):
        if not argument.positional:
            found += [argument.option, *([argument.short] if argument.short else [])]
            if argument.kind == "choice":
                found.append("--no-" + argument.option[2:])
    return found


def _first(command: CliCommand) -> tuple[str, ...]:
    """Return the choices of the first positional argument."""
    return next((w.choices for w in command.arguments if w.positional), ())


def _bash() -> str:
    names = " ".join(command.name for command in all_commands())
    cases = []
    for command in all_commands():
        for argument in command.arguments:
            if argument.choices and not argument.positional:
                cases.append(
                    f"    {command.name}:{argument.option}) words='{' '.join(argument.choices)}' ;;"
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


def _zsh_words(command: CliCommand) -> str:
    parts = []
    for argument in all_arguments(command):
        about = _zsh_text(argument.about)
        if argument.positional:
            kind = f"({' '.join(argument.choices)})" if argument.choices else "_files"
            parts.append(f"'{'*' if argument.many else ''}:{_zsh_text(argument.name)}:{kind}'")
        elif argument.kind in ("flag", "choice"):
            parts.append(f"'{argument.option}[{about}]'")
        else:
            kind = f"({' '.join(argument.choices)})" if argument.choices else ""
            parts.append(f"'{argument.option}[{about}]:{argument.name}:{kind}'")
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
        elif any(w.positional and w.name in ("file", "paths") for w in command.arguments):
            lines.append(f"complete -c pilothouse {seen} -F")
        for argument in all_arguments(command):
            if argument.positional:
                continue
            line = f"complete -c pilothouse {seen} -l {argument.option[2:]}"
            if argument.short:
                line += f" -s {argument.short[1:]}"
            if argument.name in ("output", "har", "images"):
                line += " -rF"
            elif argument.kind not in ("flag", "choice"):
                line += " -x" + (f" -a '{' '.join(argument.choices)}'" if argument.choices else "")
            lines.append(line + f" -d {_fish_text(argument.about)}")
    return "\n".join(lines)


def _fish_text(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
