"""`feltwatch completion`: a script that completes commands, options and their values in bash, zsh or fish.

The scripts are made from the parser, so that they cannot disagree with `--help`. Where nothing of ours fits, the shell
completes file names.
"""

import argparse
import sys
from collections.abc import Iterator
from shlex import quote

from feltwatch.edge.cli.options import COMMANDS, CommandSpec

BASH = """_feltwatch() {
  local words=""
  case "${COMP_WORDS[1]} ${COMP_WORDS[COMP_CWORD-1]}" in
%(values)s
    *) case "${COMP_WORDS[1]}" in
%(options)s
    esac ;;
  esac
  [ "$COMP_CWORD" -eq 1 ] && words="%(commands)s"
  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _feltwatch feltwatch
"""
ZSH = """#compdef feltwatch
_feltwatch() {
  local -a commands=(%(commands)s)
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  shift words; (( CURRENT-- ))
  case $words[1] in
%(options)s
  esac
}
compdef _feltwatch feltwatch
"""


def completion(options: argparse.Namespace) -> int:
    """Print the script of one shell."""
    sys.stdout.write({"bash": _bash, "zsh": _zsh, "fish": _fish}[options.shell]())
    return 0


def _actions(command: CommandSpec) -> list[argparse.Action]:
    parser = argparse.ArgumentParser(add_help=False)
    command.add_options(parser)
    return parser._actions  # noqa: SLF001  argparse offers no other way to list them


def _help(action: argparse.Action) -> str:
    return (action.help or "").partition(" (default")[0].partition(";")[0]


def _choices(action: argparse.Action) -> str:
    return " ".join(map(str, action.choices or ()))


def _bash() -> str:
    values, options = [], []
    for command in COMMANDS.values():
        words = ["--help"]
        for action in _actions(command):
            words += action.option_strings or _choices(action).split()
            if action.option_strings and action.nargs != 0:  # without choices: a file's name
                names = "|".join(f'"{command.name} {name}"' for name in action.option_strings)
                values.append(f'    {names}) words="{_choices(action)}" ;;')
        options.append(f'    {command.name}) words="{" ".join(words)}" ;;')
    return BASH % {"values": "\n".join(values), "options": "\n".join(options), "commands": " ".join(COMMANDS)}


def _zsh() -> str:
    def spec(action: argparse.Action) -> Iterator[str]:
        value = f"({_choices(action)})" if action.choices else "_files"
        if not action.option_strings:
            yield quote(f"*:{action.dest}:{value}")
        for name in action.option_strings:
            text = _help(action).replace("[", "(").replace("]", ")").replace(":", "")
            yield quote(f"*{name}[{text}]" + ("" if action.nargs == 0 else f":{action.dest}:{value}"))

    options = [
        f"    {command.name}) _arguments {' '.join(one for action in _actions(command) for one in spec(action))} ;;"
        for command in COMMANDS.values()
    ]
    commands = " ".join(quote(f"{command.name}:{command.summary}") for command in COMMANDS.values())
    return ZSH % {"commands": commands, "options": "\n".join(options)}


def _fish() -> str:
    lines = []
    for command in COMMANDS.values():
        lines.append(f"-n __fish_use_subcommand -f -a {command.name} -d {quote(command.summary)}")
        for action in _actions(command):
            line = f"-n '__fish_seen_subcommand_from {command.name}'"
            for name in action.option_strings:
                line += f" -l {name[2:]}" if name.startswith("--") else f" -s {name[1:]}"
            if action.option_strings and action.nargs != 0:
                line += f" -x -a '{_choices(action)}'" if action.choices else " -r"
            elif action.choices:
                line += f" -f -a '{_choices(action)}'"
            lines.append(f"{line} -d {quote(_help(action))}")
    return "".join(f"complete -c feltwatch {line}\n" for line in lines)
