"""Pictures of automata: nothing is written over anything else, and what is drawn is what is there."""

from __future__ import annotations

import random
import re
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from sa.cli.main import application
from sa.frontends.load import load_program
from sa.report.chart import chart
from sa.report.layered import Arrow, Drawing, Point, Size, layered
from sa.report.scene import play_scene
from sa.report.story import story
from sa.report.svg import show_svg
from tests.report.samples import escaping_play, goal

SPECS = Path(__file__).parents[2] / "specs"
_SVG = "{http://www.w3.org/2000/svg}"


def overlap(one: tuple[Point, Size], other: tuple[Point, Size]) -> bool:
    """Whether two boxes, by their middles, share more than a border."""
    (a, s), (b, t) = one, other
    return abs(a.x - b.x) < (s.width + t.width) / 2 - 0.01 and abs(a.y - b.y) < (s.height + t.height) / 2 - 0.01


def check(drawing: Drawing, sizes: dict[str, Size], arrows: list[Arrow]) -> None:
    """Boxes and labels are apart and inside of the picture; ways lead from border to border."""
    labels = [(way.label, a.label) for way, a in zip(drawing.ways, arrows, strict=True) if a.label.width]
    things = [*((drawing.places[name], size) for name, size in sizes.items()), *labels]
    assert not any(overlap(one, other) for one, other in combinations(things, 2))
    for at, size in things:
        assert at.x - size.width / 2 >= -0.01 and at.x + size.width / 2 <= drawing.size.width + 0.01
        assert at.y - size.height / 2 >= -0.01 and at.y + size.height / 2 <= drawing.size.height + 0.01
    for way, arrow in zip(drawing.ways, arrows, strict=True):
        for end, name in ((way.points[0], arrow.source), (way.points[-1], arrow.target)):
            middle, size = drawing.places[name], sizes[name]
            assert abs(end.x - middle.x) <= size.width / 2
            assert abs(abs(end.y - middle.y) - size.height / 2) < 0.01


@pytest.mark.parametrize("seed", range(40))
def test_boxes_and_labels_are_apart_in_any_graph(seed: int) -> None:
    dice = random.Random(seed)
    names = [f"q{i}" for i in range(dice.randint(1, 30))]
    sizes = {name: Size(dice.uniform(20, 200), dice.uniform(20, 90)) for name in names}
    count = dice.randint(0, 2 * len(names))
    labels = [
        Size(0, 0) if dice.random() < 0.2 else Size(dice.uniform(5, 250), dice.uniform(10, 60)) for _ in range(count)
    ]
    arrows = [Arrow(dice.choice(names), dice.choice(names), label) for label in labels]
    drawing = layered(names[0], sizes, arrows)
    check(drawing, sizes, arrows)
    assert layered(names[0], sizes, arrows) == drawing


def test_a_chain_goes_straight_down_and_the_first_location_is_on_top() -> None:
    sizes = {name: Size(40, 30) for name in "abcd"}
    drawing = layered("a", sizes, [Arrow(x, y, Size(60, 16)) for x, y in pairwise("abcd")])
    places = [drawing.places[name] for name in "abcd"]
    assert len({round(place.x, 3) for place in places}) == 1
    assert [place.y for place in places] == sorted(place.y for place in places)


def test_two_branches_do_not_cross() -> None:
    sizes = {name: Size(40, 30) for name in "abcdef"}
    ends = ["ab", "ac", "bd", "ce", "df", "ef"]
    drawing = layered("a", sizes, [Arrow(x, y, Size(30, 16)) for x, y in ends])
    left = drawing.places["b"].x < drawing.places["c"].x
    assert (drawing.places["d"].x < drawing.places["e"].x) is left


def test_a_loop_is_drawn_upwards_and_a_self_loop_ends_where_it_begins() -> None:
    sizes = {name: Size(40, 30) for name in "ab"}
    drawing = layered("a", sizes, [Arrow(x, y, Size(30, 16)) for x, y in ("ab", "ba", "bb")])
    down, up, own = (way.points for way in drawing.ways)
    assert down[0].y < down[-1].y
    assert up[0].y > up[-1].y
    assert own[0].y == own[-1].y


def test_a_picture_has_every_location_and_every_step_and_needs_nothing_else() -> None:
    program = load_program(str(SPECS / "mutex" / "peterson.sa")).program
    root = ElementTree.fromstring(show_svg(program.threads))
    drawn = [g.get("data-location") for g in root.iter(f"{_SVG}g") if g.get("data-location")]
    assert drawn == [loc.name for t in program.threads for loc in t.locations]
    titles = [title.text for title in root.iter(f"{_SVG}title")]
    assert len(titles) == sum(len(t.locations) + len(t.edges) for t in program.threads)
    assert "flag[0] := true" in titles


def test_long_formulas_are_cut_but_whole_in_the_tooltip(tmp_path: Path) -> None:
    names = [f"variable_{i}" for i in range(20)]
    text = (
        f"global {', '.join(names)} : int;\nthread T {{ if ({' && '.join(f'{n} > 7' for n in names)}) {{ skip; }} }}\n"
    )
    (tmp_path / "p.sa").write_text(text)
    root = ElementTree.fromstring(show_svg(load_program(str(tmp_path / "p.sa")).program.threads))
    lines = [span.text or "" for span in root.iter(f"{_SVG}tspan")]
    assert "…" in lines
    assert max(map(len, lines)) <= 44
    assert any(all(n in (title.text or "") for n in names) for title in root.iter(f"{_SVG}title"))


def test_show_writes_a_picture(tmp_path: Path) -> None:
    result = CliRunner().invoke(application(), ["show", "--format", "svg", str(SPECS / "mutex" / "peterson.sa")])
    assert result.exit_code == 0
    assert re.match(r"<svg xmlns=.* viewBox=", result.stdout)
    ElementTree.fromstring(result.stdout)


def test_a_chart_of_a_play_has_a_box_for_each_step_of_each_side() -> None:
    g = goal()
    scene = play_scene(story(escaping_play(g), g), g)
    root = ElementTree.fromstring(chart(scene))
    drawn = sum(1 for _ in root.iter("rect"))
    assert drawn == sum(bool(acts) for frame in scene.frames for acts in frame.acts)
    words = {span.text for span in root.iter("tspan")}
    assert {"concrete Main", "abstract Main", "start", scene.ending} <= words
    assert {str(number) for number in range(len(scene.frames))} <= words
    environment = sum(any(act.kind == "environment" for act in acts) for frame in scene.frames for acts in frame.acts)
    assert sum(rect.get("stroke-dasharray") is not None for rect in root.iter("rect")) == environment > 0
