"""Reports as pages of HTML: they need nothing else, show all evidence, and are stepped through with the keyboard."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sa.cli.main import application
from sa.report.html import _prose
from tests.report.browser import BROWSER, Browser, browser

SPECS = Path(__file__).parents[2] / "specs"
REFUTED = SPECS / "paper" / "constant-folding" / "broken-environment"

#: Elements without an end tag.
_EMPTY = {"meta", "link", "br", "img", "input", "hr"}

HOSTILE = """\
// </script><script>document.title = "wrong"</script> & <b>bold</b>
global x : int = 0;
thread T { x := 1; @say(x) skip; x := 2; }
invariant small : x < 2;
"""


class _Shape(HTMLParser):
    """Whether elements are closed in order, and what they refer to."""

    def __init__(self) -> None:
        super().__init__()
        self.open = list[str]()
        self.identities = list[str]()
        self.references = list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _EMPTY:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.identities.append(value or "")
            if name in ("href", "src"):
                self.references.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page(folder: Path, *arguments: str) -> Path:
    """The report that a command writes."""
    file = folder / "report.html"
    result = CliRunner().invoke(application(), [*arguments, "--no-cache", "--report", str(file)])
    assert result.exit_code in (0, 1, 3), result.output
    return file


def shape(file: Path) -> _Shape:
    """A page that is well-formed: elements are closed in order, and nothing outside of it is referred to."""
    found = _Shape()
    found.feed(file.read_text())
    assert found.open == []
    assert len(set(found.identities)) == len(found.identities)
    assert {"#" + name for name in found.identities} >= set(found.references)
    return found


def pair(folder: Path) -> tuple[str, str]:
    """The files of a pair."""
    return str(folder / "abs.sa"), str(folder / "conc.sa")


@pytest.mark.parametrize(
    "arguments",
    [
        ("refine", *pair(REFUTED)),
        ("refine", *pair(SPECS / "closed" / "gcd")),
        ("verify", str(SPECS / "mutex" / "peterson-broken.sa")),
        ("verify", str(SPECS / "c" / "cas-counter-broken.c")),
        ("verify", str(SPECS / "family" / "tas.sa")),
        ("prove", str(SPECS / "proofs" / "gcd.sa")),
        ("prove", str(SPECS / "proofs" / "rejected" / "theorem-4-kappa.sa")),
    ],
    ids=lambda arguments: Path(arguments[-1]).parent.name + "-" + Path(arguments[-1]).stem,
)
def test_a_page_is_well_formed_and_refers_to_nothing_outside(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    file = page(tmp_path, *arguments)
    shape(file)
    assert not re.search(r"https?://", file.read_text())


def test_texts_of_programs_are_no_html(tmp_path: Path) -> None:
    program = tmp_path / "p <i>.sa"
    program.write_text(HOSTILE)
    file = page(tmp_path, "verify", str(program))
    shape(file)
    text = file.read_text()
    assert text.count("<script") == text.count("</script>") == 2
    assert "<b>bold" not in text
    assert "p <i>" not in text


def test_the_verdict_comes_first_and_every_pair_is_told(tmp_path: Path) -> None:
    text = page(tmp_path, "refine", *pair(SPECS / "closed" / "gcd")).read_text()
    assert '<span class="verdict good">PROVED</span>' in text
    links = re.findall(r'href="#(pair-[^"]+)"', text)
    assert len(links) == 20
    assert all(f'<details id="{name}">' in text for name in links)
    assert text.count('<table class="automaton">') == 4


def test_the_tree_of_a_proof_has_each_step_with_its_conditions(tmp_path: Path) -> None:
    text = page(tmp_path, "prove", str(SPECS / "proofs" / "gcd.sa")).read_text()
    tree = text[text.index('<ul class="tree">') : text.index("<h2>Steps</h2>")]
    assert re.findall(r"<b>(.*?)</b>", tree) == [
        "theorem correct",
        "theorem refined",
        "lemma t1",
        "lemma t2",
        "lemma abs_ok",
    ]
    assert "non-interference" in tree


def test_what_a_limit_stops_has_a_page_too(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    arguments = ["refine", *pair(SPECS / "closed" / "gcd"), "--timeout", "0.001", "--report", str(file)]
    assert CliRunner().invoke(application(), arguments).exit_code == 3
    shape(file)
    assert "UNKNOWN" in file.read_text()


# ---------------------------------------------------------------- in a browser


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser for all tests of this file."""
    if BROWSER is None:
        pytest.skip("there is no chromium: apt-get install chromium")
    with browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


def now(chromium: Browser) -> list[str]:
    """The numbers of the steps that are shown as the current ones."""
    rows = "JSON.stringify([...document.querySelectorAll('tr.now')].map(r => r.dataset.frame))"
    found: list[str] = json.loads(chromium.value(rows))
    return found


def marked(chromium: Browser) -> list[str]:
    """The pieces of source that are marked."""
    found: list[str] = json.loads(
        chromium.value("JSON.stringify([...document.querySelectorAll('.code .row mark')].map(m => m.textContent))")
    )
    return found


def test_a_play_is_stepped_through_with_the_keyboard(tmp_path: Path, chromium: Browser) -> None:
    chromium.open(page(tmp_path, "refine", *pair(REFUTED)))
    assert (now(chromium), marked(chromium)) == (["0"], [])
    chromium.press("ArrowRight")
    assert (now(chromium), marked(chromium)) == (["1"], ["x := 2;", "x := 2;"])
    chromium.press("j")
    assert marked(chromium) == ["y := 5;", "y := x + 3;"]
    chromium.press("End")
    assert (now(chromium), marked(chromium)) == (["4"], ["z := z + 7;", "y := x + 3;"])
    chromium.press("ArrowRight")
    assert now(chromium) == ["4"]
    chromium.press("ArrowLeft")
    assert now(chromium) == ["3"]
    assert "environment" in chromium.value("document.querySelector('tr.now .act').className")
    assert chromium.value("document.querySelector('.state').textContent.replace(/\\s+/g, ' ')").startswith(
        "concrete Mainline 9x = 2 y = 0 z = 0"
    )
    chromium.press("Home")
    assert (now(chromium), marked(chromium)) == (["0"], [])
    assert chromium.errors == []


def test_buttons_rows_and_the_slider_do_the_same(tmp_path: Path, chromium: Browser) -> None:
    chromium.open(page(tmp_path, "refine", *pair(REFUTED)))
    chromium.value("document.querySelector('button.next').click()")
    assert now(chromium) == ["1"]
    chromium.value("document.querySelector('tr[data-frame=\"3\"]').click()")
    assert now(chromium) == ["3"]
    slide = "const s = document.querySelector('input'); s.value = 2; s.dispatchEvent(new Event('input'))"
    chromium.value(f"{{ {slide} }}")
    assert now(chromium) == ["2"]
    assert chromium.errors == []


def test_a_run_in_c_marks_its_source_line(tmp_path: Path, chromium: Browser) -> None:
    file = SPECS / "c" / "cas-counter-broken.c"
    chromium.open(page(tmp_path, "verify", str(file)))
    text = file.read_text()
    chromium.press("End")
    steps = int(now(chromium)[0])
    assert steps > 2
    for _ in range(steps):
        assert all(m in text for m in marked(chromium))
        chromium.press("ArrowLeft")
    assert now(chromium) == ["0"]
    assert chromium.errors == []


@pytest.mark.parametrize(("step", "said"), [("skip", ""), ("x := x + 1", " (values of round 1)")])
def test_behind_the_last_step_of_a_cycle_its_first_one_is_taken_again(
    step: str, said: str, tmp_path: Path, chromium: Browser
) -> None:
    file = tmp_path / "endless.sa"
    file.write_text(f"global x : int = 0; thread T {{ x := 0; while (true) {{ {step}; }} }} terminates;")
    chromium.open(page(tmp_path, "verify", str(file)))
    again: list[str] = json.loads(
        chromium.value("JSON.stringify([...document.querySelectorAll('tr.again')].map(r => r.dataset.frame))")
    )
    counter = "document.querySelector('.controls .faint').textContent"
    chromium.press("End")
    assert now(chromium) == again[-1:]
    chromium.press("ArrowRight")
    assert now(chromium) == again[:1]
    assert chromium.value(counter).endswith(f", round 2{said}")
    chromium.press("ArrowLeft")
    assert (now(chromium), chromium.value(counter)) == (again[-1:], f"step {again[-1]} of {again[-1]}, round 1")
    assert chromium.errors == []


def test_a_cell_of_the_relation_opens_its_pair(tmp_path: Path, chromium: Browser) -> None:
    chromium.open(page(tmp_path, "refine", *pair(SPECS / "closed" / "gcd")))
    assert not chromium.value("document.querySelector('.pairs details').open")
    chromium.value("document.querySelector('.matrix a').click()")
    opened = "[...document.querySelectorAll('.pairs details')].filter(d => d.open).length"
    for _ in range(50):
        if chromium.value(opened):
            break
    assert chromium.value(opened) == 1
    assert chromium.errors == []


@pytest.mark.parametrize("width", [320, 390, 1280])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_nothing_is_wider_than_the_window_and_colours_can_be_read(
    tmp_path: Path, chromium: Browser, width: int, dark: bool
) -> None:
    chromium.open(page(tmp_path, "refine", *pair(REFUTED)), width, 800, dark)
    assert chromium.value("document.documentElement.scrollWidth") <= width
    for chosen in ("body", ".verdict", ".faint"):
        style = f"getComputedStyle(document.querySelector('{chosen}'))"
        front, back = (_brightness(chromium.value(f"{style}.{p}")) for p in ("color", "backgroundColor"))
        if back is None:
            back = _brightness(chromium.value("getComputedStyle(document.body).backgroundColor"))
        assert front is not None and back is not None
        # WCAG 2, level AA.
        assert (max(front, back) + 0.05) / (min(front, back) + 0.05) >= 4.5, (chosen, front, back)


def _brightness(colour: str) -> float | None:
    """The relative luminance of `rgb(…)` (WCAG 2); None for what is transparent."""
    numbers = [float(n) for n in re.findall(r"[\d.]+", colour)]
    if len(numbers) == 4 and numbers[3] == 0:
        return None
    parts = [n / 255 / 12.92 if n <= 10 else ((n / 255 + 0.055) / 1.055) ** 2.4 for n in numbers[:3]]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


@pytest.mark.slow
def test_the_page_of_a_large_proof_opens_in_less_than_a_second(tmp_path: Path, chromium: Browser) -> None:
    chromium.open(page(tmp_path, "prove", str(SPECS / "proofs" / "peterson.sa")))
    assert chromium.value("performance.getEntriesByType('navigation')[0].duration") < 1000
    assert chromium.errors == []


def test_words_between_backquotes_are_code_and_stay_escaped() -> None:
    assert _prose("nothing relates `a<b>` and `c`") == "nothing relates <code>a&lt;b&gt;</code> and <code>c</code>"


@pytest.fixture(scope="module")
def joined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page about a run of C in which one step passes several lines."""
    return page(tmp_path_factory.mktemp("joined"), "verify", str(SPECS / "c/condition-queue-broken.c"))


def test_a_step_shows_all_lines_that_it_passes(joined: Path) -> None:
    rows = re.findall(r'<tr data-frame="\d+">(.*?)</tr>', joined.read_text())
    assert [re.findall(r"<i>(\d+)</i>", row) for row in rows] == [[], ["41"], ["25", "26"], ["27", "28"], ["29", "30"]]


def test_what_a_translation_makes_is_not_drawn(joined: Path, tmp_path: Path) -> None:
    (tmp_path / "p.sa").write_text(HOSTILE)
    drawn = page(tmp_path, "verify", str(tmp_path / "p.sa"))
    assert 'class="picture"' in drawn.read_text()
    assert 'class="picture"' not in joined.read_text()


def test_places_are_lines_and_not_names_that_nobody_wrote(joined: Path) -> None:
    data = json.loads(re.search(r'id="data">(.*?)</script>', joined.read_text(), re.DOTALL)[1])  # type: ignore[index]
    places = {state[2] for frame in data["scenes"][0]["frames"] for state in frame["states"] if state}
    assert all(re.fullmatch(r"line \d+|at \w+", place) for place in places)
    assert not any(re.fullmatch(r"at [qL]\d+(_\d+)*", place) for place in places)


@pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")
@pytest.mark.parametrize("dark", [False, True])
def test_on_a_phone_nothing_is_cut(joined: Path, tmp_path: Path, dark: bool) -> None:
    with browser(tmp_path) as tab:
        tab.open(joined, 390, 844, dark)
        assert tab.value("document.documentElement.scrollWidth") == 390
        assert tab.value(
            "[...document.querySelectorAll('.lanes td')].every(c => c.getBoundingClientRect().right <= 390)"
        )


@pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")
def test_the_source_is_as_high_as_the_window_allows(joined: Path, tmp_path: Path) -> None:
    with browser(tmp_path) as tab:
        tab.open(joined, 1280, 900)
        assert tab.value("document.querySelector('.panes .code').clientHeight") > 600
        assert tab.value("document.querySelector('.beside').getBoundingClientRect().height") <= 900
