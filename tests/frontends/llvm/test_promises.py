"""Promises about functions that are called are left out of account: such calls are proved, and nothing is refuted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.llvm.modules import answer

pytest.importorskip("llvmlite")

ADD = "%r = call i32 @g(i32 noundef %x); %z = mul i32 %x, 2; ret i32 %z"
SHIFT = "%r = call i32 @g(i32 noundef %x); %z = shl i32 %x, 1; ret i32 %z"
TWICE = "%r = call i32 @g(i32 noundef %x) memory(read); %q = call i32 @g(i32 noundef %x); ret i32 %x"
HAND_ON = "call void @h(ptr %p); ret i32 %x"


def of(body: str, said: str = "", given: str = "i32", own: str = "", pointer: str = "") -> str:
    """A function that may call `@g`, of which and of whose argument something is `said` and `given`, and `@h`."""
    text = f"""@v = global i32 0
declare i32 @g({given}) {said}
declare void @h(ptr)
define i32 @f(i32 noundef %x, ptr {pointer} %p) {own} {{
  {body}
}}
"""
    return text.replace("; ", "\n  ")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # Without promises a play is an answer.
        (of(ADD), of("%r = call i32 @g(i32 noundef %x); ret i32 %x"), "REFUTED"),
        (of(ADD, "memory(read) willreturn"), of(SHIFT, "memory(read) willreturn"), "PROVED"),
        (of(ADD, "memory(read) willreturn"), of(SHIFT), "PROVED"),
        (of(ADD, "memory(read)"), of("%r = call i32 @g(i32 noundef %x); ret i32 %x", "memory(read)"), "UNKNOWN"),
        # A call without an effect may be left out, which is not seen here.
        (of(ADD, "memory(none) willreturn nounwind"), of("%z = shl i32 %x, 1; ret i32 %z"), "UNKNOWN"),
        # A call that breaks a promise that the first file does not make would be undefined in the second alone.
        (of(ADD), of(SHIFT, "memory(read)"), "SA746"),
        (of(ADD, "memory(none)"), of(SHIFT, "memory(read)"), "SA746"),
        (of(ADD), of(SHIFT.replace("%x);", "%x) willreturn;", 1)), "SA746"),
        # All calls of the first function must make it: any of them may be the one that is seen.
        (of(TWICE), of(TWICE), "SA746"),
        (of(TWICE), of(TWICE.replace(" memory(read)", "")), "PROVED"),
    ],
)  # fmt: skip
def test_the_second_function_relies_on_what_the_first_relies_on(
    before: str, after: str, expected: str, tmp_path: Path
) -> None:
    assert answer(before, after, tmp_path, 10.0) == expected


@pytest.mark.parametrize("said", ["range(i32 0, 9)", "align(8)"])
def test_a_result_may_be_one_that_breaks_a_promise(said: str, tmp_path: Path) -> None:
    """What is computed from it is compared all the same; what follows from the promise is not known."""
    if said.startswith("align"):
        head, call = "declare ptr @g(i32)", "%r = call align 8 ptr @g(i32 %x); %c = icmp eq ptr %r, null; "
        same, folded = "%d = icmp eq ptr null, %r", "%d = or i1 %c, false"
        ends = "; %z = zext i1 %c to i32; ret i32 %z", "; %z = zext i1 %d to i32; ret i32 %z"
    else:
        head, call = "declare i32 @g(i32)", f"%r = call {said} i32 @g(i32 %x); "
        same, folded = "%d = xor i32 %r, -1", "%d = sub i32 -1, %r"
        ends = "; ret i32 %d", "; ret i32 %d"
    first = call + (same if not said.startswith("align") else "%d = add i32 0, 0") + ends[0]
    texts = [
        f"{head}\ndefine i32 @f(i32 noundef %x) {{\n  {b}\n}}\n".replace("; ", "\n  ")
        for b in (first, call + folded + ends[1])
    ]
    assert answer(texts[0], texts[1], tmp_path, 10.0) == "PROVED"
    bare = texts[0].replace(said, "").replace("align 8", "")
    assert answer(bare, texts[1], tmp_path, 10.0) == "SA746"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (of(ADD, own="memory(read)"), of(SHIFT, own="memory(read)"), "PROVED"),
        (of(ADD, own="willreturn nosync memory(none)"), of(SHIFT), "PROVED"),
        (of(ADD), of(SHIFT, own="memory(read)"), "SA746"),
        # The second function reads what neither may read, which none of its calls shows.
        (of(ADD, own="memory(none)"), of("%w = load i32, ptr @v; " + SHIFT, own="memory(none)"), "SA746"),
        (of(ADD, own="memory(none)"), of("%r = call i32 @g(i32 noundef %x); ret i32 %x"), "UNKNOWN"),
        # What is given to others may be based on another pointer that is equal.
        (of(HAND_ON, pointer="readonly captures(none)"), of(HAND_ON), "PROVED"),
        (of(HAND_ON, pointer="readonly"), of(HAND_ON, pointer="readonly"), "SA746"),
        (of(HAND_ON), of(HAND_ON, pointer="captures(none)"), "SA746"),
    ],
)  # fmt: skip
def test_what_is_said_of_a_function_is_kept_by_what_it_calls(
    before: str, after: str, expected: str, tmp_path: Path
) -> None:
    assert answer(before, after, tmp_path, 10.0) == expected


@pytest.mark.parametrize("word", ["returned", "readonly", "captures(none)"])
def test_arguments_have_promises(word: str, tmp_path: Path) -> None:
    kind, at = ("i32", "%x") if word == "returned" else ("ptr", "%p")
    head = f"declare i32 @g({kind} {word})\n"
    text = f"define i32 @f(i32 noundef %x, ptr %p) {{\n  %r = call i32 @g({kind} {at})\n  ret i32 %r\n}}\n"
    plain = head.replace(f" {word}", "") + text.replace("ret i32 %r", "%z = add i32 %r, 0\n  ret i32 %z")
    assert answer(head + text, plain, tmp_path, 10.0) == "PROVED"
    assert answer(plain, head + text, tmp_path, 10.0) == "SA746"
    assert answer(head + text, head + text.replace("ret i32 %r", "ret i32 %x"), tmp_path, 10.0) == "UNKNOWN"


@pytest.mark.parametrize(("result", "argument"), [("i64", "i32 1"), ("i32", "i64 1"), ("i32", "ptr null")])
def test_a_call_of_another_type_is_refused(result: str, argument: str, tmp_path: Path) -> None:
    """It is undefined (LangRef, `call`), so that the second function may do anything: it is not REFUTED."""
    head = "declare i32 @g(i32)\n"
    before = f"{head}define void @f() {{\n  %r = call {result} @g({argument})\n  ret void\n}}\n"
    after = f"{head}define void @f() {{\n  unreachable\n}}\n"
    assert answer(before, after, tmp_path, 10.0) == "SA744"
