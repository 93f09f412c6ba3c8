"""Techniques, their parameters, and how names pick engines."""

from __future__ import annotations

import pytest

from sa.app.engines import listed
from sa.base.diagnostic import InputError
from sa.engines.portfolio_of_claims import CLAIMS
from sa.engines.portfolio_of_families import CROWDS
from sa.engines.portfolio_of_goals import engines_of_goals
from sa.engines.technique import Row, picked, wanted

OF_VERIFY: tuple[Row, ...] = tuple(turn.engine for turn in (*CLAIMS, *CROWDS))
OF_REFINE: tuple[Row, ...] = engines_of_goals()


def test_there_are_few_techniques_and_each_has_one_name() -> None:
    assert len(listed("verify")) <= 8 and len(listed("refine")) <= 7


@pytest.mark.parametrize("engine", [*OF_VERIFY, *OF_REFINE], ids=lambda engine: engine.name)
def test_what_each_value_of_a_parameter_says_is_written_down(engine: Row) -> None:
    for name, value in engine.parameters.items():
        assert value in engine.technique.parameters[name]


def test_engines_of_a_command_have_different_names() -> None:
    names = [turn.engine.name for turn in CLAIMS]
    assert len(set(names)) == len(names)


def test_parameters_belong_to_the_technique_before_them() -> None:
    assert wanted("chc:encoding=control-points,effort=much, bmc") == ("chc:encoding=control-points,effort=much", "bmc")


def test_a_technique_means_its_engine_without_parameters_or_all_that_fit() -> None:
    assert picked(("explicit-state",), OF_VERIFY) == ("explicit-state",)
    points = ("chc:encoding=control-points", "chc:encoding=control-points,domain=arrays")
    assert picked(points[::-1], OF_VERIFY) == points[::-1]
    assert set(points) < set(picked(("chc",), OF_VERIFY))


def test_a_name_that_is_not_there_is_wrong_input_with_one_that_is() -> None:
    with pytest.raises(InputError) as caught:
        picked(("houdni",), OF_VERIFY)
    (said,) = caught.value.diagnostics
    assert (said.code, said.hint) == ("SA914", "did you mean `houdini`?")
