"""The catalogue of codes: what every error and warning means, at length. `sacheck explain CODE` prints it.

SA0xx reading, SA1xx names, SA2xx types, SA3xx well-formedness, SA4xx refinements and goals,
SA5xx vacuity, SA6xx proof scripts, SA7xx C, SA9xx use of the commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct


class Explanation(Struct, frozen=True):
    """What a code means: a title, and a paragraph with the way out."""

    title: str
    text: str


# A code with its title on a line, the explanation indented below.
_TEXT = """
SA001 a character without meaning
    The character is not part of the language outside of comments and strings. Assignment is `:=`, equality
    `==`, conjunction `&&`, disjunction `||`.
SA002 unexpected text
    The text up to here is fine, but what follows cannot follow. The hint lists what could. Statements and
    declarations end with `;`, blocks need braces.
SA003 a comment or string that is not closed
    A comment that starts with `/*` ends with `*/`; a string ends on the line on which it starts.
SA004 a reserved word as a name
    Words of the language are reserved everywhere, so that no text changes its meaning by where it stands.
    Choose another name.
SA005 a bracket that is not closed
    The file ends while this bracket is open. The place shown is the innermost bracket without a partner.
SA006 not a verdict
    `expect` takes `proved`, `refuted` or `unknown`.
SA007 a number that is too long
    Integers are mathematical, but a literal has at most 1000 digits.
SA008 a type was expected
    A type is `int`, `bool`, a range such as `0..7`, the name of an enumeration, or one of these followed by a
    size in brackets for an array.
SA009 cas and fetch_add give one value
    `r := cas(x, e, n);` and `r := fetch_add(x, k);` are one step with one result, so there is one variable on
    the left.
SA011 something given twice
    A refinement block names each side at most once, and a file has at most one `expect` of its own.
SA012 nested too deeply
    Expressions and blocks may be nested 150 levels deep. Long sums, conjunctions and `else if` chains do not
    count as nesting. Name parts of the expression with `define`, or move them to variables.
SA013 a file that cannot be read
    The file does not exist, is a directory, or may not be read.
SA014 not UTF-8
    Texts are UTF-8, with or without a byte order mark.
SA015 a NUL character
    The file contains a zero byte, so it is no text.
SA016 a file that is too large
    Files have at most 20 million bytes.
SA017 no thread
    A program has at least one `thread` or `automaton`. A file without any is fine only if it is imported, or if
    each of its refinement blocks names both sides with `abstract` and `concrete`.
SA018 a file that imports itself
    Imports must not form a circle. Move what both files need into a third one.
SA019 an absolute path in a text
    Files name others relative to their own folder: `import "../lib/queue.sa" as queue;`. So a folder of specs can be
    moved, and a text from somebody else does not reach for files of this machine.
SA101 an unknown name
    Nothing with this name is visible here. Names are visible from their declaration to the end of their block;
    names of an imported file are written behind its alias and a dot.
SA102 a name that is declared twice
    Names do not shadow each other: a name that is visible cannot be declared again, neither in an inner block.
    Blocks beside each other may use the same name.
SA103 a name of the wrong kind
    The name exists but cannot stand here: a type is no value, a constant cannot be assigned to, variables of
    another program cannot be used in this one.
SA104 an unknown location
    `at T.CS` needs a thread `T` in this file with a location `CS`: a statement named `CS: …` or a location of
    an automaton. Members of a family are written `at T[1].CS`.
SA105 the name of a choice
    Names such as `x?1` are those of values that steps choose, where automata are printed. Only a `local` in the block
    of an edge is declared so, or a variable could be mistaken for a choice.
SA106 a definition by itself
    Macros and functions with a body are replaced by their bodies, so they cannot use themselves. For recursive
    functions declare one without a body and say what holds of it in axioms.
SA107 an unknown type
    Types are `int`, `bool`, ranges, and enumerations declared with `enum`.
SA108 imports without a file
    This text does not come from a file, so there is no folder in which imports could be found.
SA201 the wrong type
    The expression has another type than its place needs. Ranges and `int` mix freely; `bool`, `int` and
    enumerations do not.
SA202 types that do not go together
    Both sides of `==` and `!=`, and both branches of `if … then … else`, have the same type. Enumerations are
    the same if their names and constructors are.
SA203 the wrong number of values
    A call has as many arguments as the definition has parameters; a simultaneous assignment has as many values
    as variables.
SA204 not a constant
    Bounds of ranges, sizes of arrays, bounds of families and values of `const` are known before anything runs,
    so they are made of numbers and constants only.
SA205 division by something else than a non-zero constant
    `/` and `%` are Euclidean (the remainder is never negative) and need a constant other than 0 on the right:
    that keeps questions decidable.
SA206 an empty range
    A range or family `low..high` needs `low <= high`; both ends are included.
SA207 a range, array or family that is too large
    Bounds of ranges are within -2^64..2^64, arrays and families have 1 to 1000 members. `int` has no bounds.
SA208 an array as a value, or a value as an array
    Arrays are used element by element, `flag[i]`. Parameters and results of functions are plain `int`, `bool`
    or enumerations.
SA209 a constant that is too large
    Constants that arise by calculation have at most 4096 bits.
SA210 a product of variables
    Products of variables make questions undecidable in general: the answer may be UNKNOWN where a linear
    formulation would be decided.
SA211 a product that is too large
    Products of sums are multiplied out, and this one gives more than 1000 terms.
SA212 a step that grows too deep
    Statements of an atomic block are merged into one update; conditional assignments that build on each other
    nest. This one is deeper than 150 levels: split the block, or compute in fewer dependent steps.
SA301 an assignment to a parameter
    A parameter is one arbitrary value that never changes, the same on both sides of a refinement.
SA302 a ghost that is read
    Ghosts are written by the program and read by invariants, relies and updates of other ghosts only. So they
    can be removed without changing what the program does.
SA303 primes or `old` in the wrong place
    `x'` and `old(x)` make sense in relations between two states: relies, environments and guarantees. A
    relation is written either with primes (`x` before, `x'` after) or with `old` (`old(x)` before, `x` after).
    What never changes has no primes.
SA304 a rely about locals
    The environment of a thread neither sees nor changes its locals, so a rely speaks of globals and parameters.
SA305 a name or label in the wrong place
    A label `@action` belongs to one step: not to `if`, `while`, `choose`, a declaration or a jump, and a step
    shows one label only. A name `CS:` names the location in front of a statement that makes a step.
SA306 a loop or jump inside of one step
    An atomic block is one step, which ends for sure: no `while`, `break`, `continue` or `return` inside.
SA307 a jump without a loop
    `break` and `continue` need a loop around them.
SA308 a special label or location
    `exit` and `fail` are the tool's own: the end of a thread, and a step that went wrong.
SA309 not exactly one initial location
    An automaton starts in one location: `location q0 initial;`.
SA310 a variable that is assigned twice at the same time
    In a simultaneous assignment every variable stands once on the left. Elements of one array count as the same
    unless both indices are constants.
SA312 a quantifier outside of axioms
    `forall` and `exists` are for axioms about functions. Elsewhere formulas are free of quantifiers, so that
    they can be evaluated.
SA313 `at` outside of invariants
    Where a thread stands can be asked in invariants only; programs use a variable or a ghost for it.
SA314 an initial value outside of its range
    The value can never be in the variable's range, so there would be no initial state.
SA315 too many ways through one step
    Each combination of `choose` branches in an atomic block becomes an edge of its own; there may be 1024.
    (`if` does not count, its branches are merged.)
SA316 a step that touches several shared locations
    One statement is one atomic step here, but reading or writing several shared locations is not one step of a
    machine. Either say that it is meant, with `atomic { … }`, or split it through local variables; `--split`
    does that for you.
SA317 a location that only edges mention
    The location is taken as declared, without invariant or environment. It may be a typing error.
SA319 an index outside of its array
    The index is never, or not surely, within the array. In programs a wrong index is a visible `fail`; in
    formulas, which cannot fail, it must be within the array whatever the values are.
SA320 a family of any number with a rely
    What a copy in `thread T[i : *]` must expect is inferred: all the other copies do the same as it does. It cannot
    be declared.
SA321 a family of any number where it is not known
    `thread T[i : *]` stands for any number of threads. This command looks at the threads of a program one by one,
    and would take it for a single one. Write a number, `thread T[i : 1..3]`: then the answer is about so many.
SA322 a procedure and its result
    A procedure that declares a result, `proc f(x : int) : int`, ends every way through it with `return e;`. A
    procedure without a result, and a thread, only have `return;`.
SA401 an unknown thread in a pairing
    `thread C refines A;` names a thread of the concrete and one of the abstract side.
SA402 two threads refine the same one
    Threads are paired one to one.
SA403 nothing to compare
    Neither side has a thread.
SA404 a thread without a partner
    Threads are paired by name, or by `thread C refines A;` in a refinement block. Every thread needs a partner
    on the other side.
SA405 a variable that differs on the two sides
    What both sides share or relate by its name must be of the same type on both.
SA406 an environment that is not declared everywhere
    Some threads, here or on the other side, declare a rely and this one does not. Declare one for each thread, or
    for none: then environments are inferred, and the answer is about the whole program.
SA407 a precondition that nobody satisfies
    No concrete and abstract initial state together satisfy the `pre` of the refinement block, although there
    are initial states without it. The claim would be about no run at all.
SA408 locals of threads that are not paired
    A formula about both sides may mention locals of one concrete thread and of the abstract one that it refines.
    It is meant for every pair of threads that has these locals.
SA409 a rely about a variable that one side lacks
    The rely of a refinement block holds on both sides. What it says of globals that only one side has is said of
    that side; a formula that mixes these with others belongs to the threads of that side.
SA410 a rely where one is asked for
    `--weakest-rely` finds the weakest relies of threads that declare none. Leave those out that are written.
SA451 a parameter that differs on the two sides
    A parameter is one value for both sides, so its type is the same on both.
SA452 a variable that one side lacks
    A bare name in `relate` means `conc.x == abs.x`, so both sides need a variable of that name. Where the names
    differ, write the formula.
SA453 arrays that cannot be related
    Related arrays have the same size and element type.
SA501 axioms that contradict each other
    Nothing satisfies all axioms together, so everything would follow from them.
SA502 no initial state
    No values satisfy the initial condition: every claim about runs would hold for want of runs.
SA503 an invariant that nothing satisfies
    The location can never be reached, because its invariant excludes every state.
SA504 a step that can never be taken
    The guard excludes every state that the location's invariant allows.
SA505 a thread that blocks for ever
    No step leads on from here in any state, and this is not the end of the thread.
SA506 an invariant that is not inductive
    The invariant of a location must hold initially, after each step that leads there, and it must be kept by
    the environment. Otherwise it would cut off behaviour of the program, and answers would not speak of it.
SA507 a step that another thread's environment does not allow
    A thread relies on the others, and one of them makes a step that breaks this rely in some state that the
    declared invariants do not exclude. If no such state can be reached, invariants that say so make the warning
    go away; otherwise the rely promises more than the program keeps.
SA508 an environment without the step that changes nothing
    In some state the declared relation does not allow that nothing changes. An environment may always do
    nothing, so this possibility is added; mention it in the relation to make that plain.
SA509 a thread that goes no further
    The proof shows that the concrete thread waits here for ever, in every run that gets here. What never happens
    refines anything: look whether the condition, the rely or the initial values are as they should be.
SA510 a declared environment that is replaced
    Inference looks at the threads of the file running together, and at nothing else. What a thread relied on is
    no longer said in the result: conjoin it again where the file is part of something larger.
SA511 a variable without a bound
    The values of the variable grow or shrink step by step, and no comparison with a constant stops them; or
    what stops them relates variables, which boxes cannot express. The result holds, and says less than one
    might like. An invariant written by hand is kept, and shown to be inductive.
SA512 axioms of which it is not known whether they can be true
    The solver finds no contradiction and no functions that satisfy all of them. If they contradict each other in a
    way that is not seen, everything follows from them.
SA513 variables of the two sides that are almost called the same
    Globals are related where both sides declare them under one name. This one is not related to anything, so its
    values play no part in the answer; if it is meant to be the other side's, give both the same name or relate them.
SA601 a proof script where a program is needed
    The file has a `lemma` or `theorem`, so it is a proof script: it speaks of programs that it imports and has no
    threads of its own. Name one of these programs.
SA602 a declaration that makes a program, in a proof script
    Variables, threads, initial states, invariants and refinement blocks belong into files of their own, which the
    script imports. It may declare constants, parameters, enumerations, macros, functions and axioms.
SA603 a proof script without steps
    There is no `lemma` and no `theorem`, so there is nothing to prove.
SA604 an unknown program
    The threads of a claim are named behind the alias of an import: `conc.T1`, or `conc` for all of its threads.
SA605 an unknown thread
    The imported program has no thread of this name. Members of a family are written `conc.T[1]`.
SA606 threads of two programs on one side
    Threads of one side run together over the same variables, so they belong to one program.
SA607 a thread twice on one side
    A thread runs once. For several copies write a family, `thread T[i : 1..3]`.
SA608 sides of different size
    The threads of a refinement are paired by their positions, so there are as many on the left as on the right.
SA609 both sides from the same import
    Formulas tell the two sides by their aliases, so a claim about a file and itself needs two imports of the file
    under two names.
SA610 programs whose threads have different names
    Between two whole programs threads are paired by name. Where names differ, list the threads of both sides in the
    same order.
SA611 an unknown step
    No step of this file has the cited name.
SA612 a step that cites itself or a later one
    A step may rest on steps above it only; otherwise a proof could go round in a circle.
SA613 an unknown rule
    The rules are `parallel`, `chain`, `preservation` and `auto`. Without `by` the claim is decided directly.
SA614 clauses that a claim cannot have
    `relate`, `pre`, `inv`, `rely`, `choose init` and `silent exit` say how two sides belong together, so they come
    with `refines`. A `preserves` claim has its formula only.
SA701 a tool that is missing
    C is preprocessed by a compiler of the machine, `cc`. Without one, give a preprocessed file (`.i`).
SA702 the compiler does not accept the file
    The compiler looks at a file of C first, and what it says is passed on. The headers of the standard library are
    sacheck's own: one that is missing is not supported.
SA703 not understood as C
    The compiler accepts the file, and the parser does not: an extension that it does not know.
SA705 options of C for another file
    `--overflow`, `--races` and their like say how C is read, and this file is not C.
SA710 data that is not accepted
    Values are integers of one to eight bytes and pointers: no floating point, no bit fields.
SA711 an array that is too large
    Each element of an array is a variable of its own, up to 64 of them, and the size is a constant.
SA712 a structure that is not accepted
    Unions, flexible members and atomic structures are not accepted.
SA713 a call that cannot be inlined
    Every call is replaced by the function that is called. A recursive one would never end; write a loop.
SA714 an address that is not known
    What a pointer may point to is computed before anything else. A number that is used as a pointer, or a `void *`
    that is followed, says nothing about that.
SA715 an allocation that is not accepted
    The size is a constant, and the pointer that takes the address or a `sizeof` says of what.
SA716 an undefined function that gets an address
    A function that is not in the file may do anything with what it gets. Define it.
SA718 division or shift by what is not constant
    Division is understood where the divisor is a constant or may have few values.
SA719 an expression that is not accepted
    The message says which one it is.
SA720 where a thread begins
    A program begins with `main`, and the function that a thread runs is named where the thread is created.
SA721 a join beside any number of threads
    Where any number of threads is created, which of them a join waits for is not known. Leave the join out, or create a
    fixed number of threads.
SA722 an atomic region that is not one step
    From its beginning to its end a region is one step: there is no loop in it, and nothing jumps into it.
SA723 threads without a known number
    Each creation of a thread is a thread of the program. A loop that creates threads has a constant number of rounds.
SA724 a claim that is not made of any number of threads
    Races and deadlocks are looked for where the number of threads is known.
SA731 a function that is not defined
    It may return anything, and is taken to change nothing that the program can see.
SA732 a memory order that is read as seq_cst
    Runs are sequentially consistent. A program that uses weaker orders may have more behaviours than are looked at.
SA901 no refinement block
    With one file, `refine` answers the refinement blocks in it. Give it two files, or write a block.
SA902 a refinement without its abstract side
    With one file, a refinement block says with `abstract "FILE.sa";` what is refined.
SA903 a file that cannot be written
    The result could not be written; nothing was left half done.
SA904 no such thread
    The file has no thread with the name that was asked for.
SA905 a script that cannot be followed
    The steps that were asked for do not exist in this order.
SA906 a refinement block that is the other way round
    The block says of the two files that the one named first on the command line refines the other. Files are named
    in the order in which things are made: what the threads should do, then what they do.
SA907 a chain of fewer than three programs
    Two programs have one refinement between them and nothing to chain.
SA908 two refinement blocks for one link of a chain
    A chain has one refinement from each program to the next.
SA910 not a certificate
    The file is no certificate, one of another version of the format, or damaged. Write it again with
    `sacheck refine --certificate FILE` or `sacheck verify --certificate FILE`.
SA911 a solver that is not there
    cvc5 gives the second opinion on certificates. It is an optional package: `pip install 'sacheck[cvc5]'`.
SA912 a source of a certificate that is not there
    A certificate names its sources and has their hashes, not their texts. They are looked for beside it, or in the
    folder that `--source` names.
SA913 a folder that exists
    `--export` and `sacheck init` make a new folder, or fill an empty one, so that nothing of yours is overwritten.
SA914 an engine that is not there
    `--engine` names engines of the command, separated by commas. `sacheck engines` lists them.
SA915 a folder without programs
    In a folder, files are read whose names end in `.sa`, `.c` or `.i`; folders with a name that starts with a dot are
    left out.
SA916 nothing is expected
    `sacheck test` asks the files that say what they expect: `expect proved;` or `expect refuted;` in a file or a
    refinement block, behind an invariant or a step of a proof, or the comment `// expect: proved` in a C program.
"""


def _entries() -> Iterator[tuple[str, Explanation]]:
    for code, title, text in re.findall(r"^(SA\d+) (.*)\n((?:    .*\n)+)", _TEXT, re.MULTILINE):
        yield code, Explanation(title, " ".join(text.split()))


CATALOGUE: Mapping[str, Explanation] = dict(_entries())


def explanation(code: str) -> Explanation | None:
    """What is known of a code, upper or lower case."""
    return CATALOGUE.get(code.upper())
