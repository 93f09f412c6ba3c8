"""A command takes the fields of a record as options, and gets them as one value."""

from __future__ import annotations

from inspect import signature

import pytest
from typer.testing import CliRunner

from sa.cli.main import application
from sa.cli.options import Asking, Common
from sa.cli.record import with_options


def test_the_fields_come_behind_the_commands_own_parameters_the_common_ones_last() -> None:
    @with_options(Asking)
    def command(given: Asking, file: str) -> None:
        """What it does."""

    names = list(signature(command).parameters)
    assert names[:2] == ["file", "split"]
    assert names[-4:] == ["json", "quiet", "timeout", "memory"]


def test_a_command_that_is_called_as_a_function_may_leave_options_out() -> None:
    found = list[tuple[bool, bool, str]]()

    @with_options(Common)
    def command(given: Common, file: str) -> None:
        """What it does."""
        found.append((given.json, given.quiet, file))

    command("a.sa", quiet=True)
    assert found == [(False, True, "a.sa")]


@pytest.mark.parametrize("command", ["refine", "verify", "prove"])
def test_commands_with_a_verdict_share_their_options(command: str) -> None:
    text = CliRunner().invoke(application(), [command, "--help"]).stdout
    assert all(f"--{name.replace('_', '-')}" in text for name in Asking.__struct_fields__)
