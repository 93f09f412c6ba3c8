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
    The text is correct up to here, but this cannot come next. The hint lists what can. Statements and
    declarations end with `;`, and blocks need braces.
SA003 a comment or string that is not closed
    A comment that starts with `/*` ends with `*/`; a string ends on the line on which it starts.
SA004 a reserved word as a name
    The words of the language are reserved everywhere, so that a word means the same wherever it stands.
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
    The file contains a zero byte, so it is not a text file.
SA016 a file that is too large
    Files have at most 20 million bytes.
SA017 no thread
    A program has at least one `thread` or `automaton`. A file without any is fine only if it is imported, or if
    each of its refinement blocks names both sides with `abstract` and `concrete`.
SA018 a file that imports itself
    Imports must not form a circle. Move what both files need into a third one.
SA019 an absolute path in a text
    Files name others relative to their own folder: `import "../lib/queue.sa" as queue;`. A folder of specs can
    then be moved, and a file from somebody else cannot read other files of this machine.
SA101 an unknown name
    Nothing with this name is visible here. Names are visible from their declaration to the end of their block;
    names of an imported file are written behind its alias and a dot.
SA102 a name that is declared twice
    Names do not shadow each other: a name that is visible cannot be declared again, not even in an inner block.
    Two blocks of which neither is inside the other may use the same name.
SA103 a name of the wrong kind
    The name exists but cannot stand here: a type is not a value, a constant cannot be assigned to, variables of
    another program cannot be used in this one. Outside of its thread, a name means nothing that several of its
    locals have.
SA104 an unknown location
    `at T.CS` needs a thread `T` in this file with a location `CS`: a statement named `CS: …` or a location of
    an automaton. Members of a family are written `at T[1].CS`.
SA105 the name of a choice
    Names such as `x?1` stand for values that a step chooses, where automata are printed. Only a `local` in the block
    of an edge may have such a name; otherwise a variable could be mistaken for a choice.
SA106 a definition by itself
    Macros and functions with a body are replaced by their bodies, so they cannot use themselves. For a recursive
    function, declare one without a body and state its properties as axioms.
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
SA205 division by zero
    `/` and `%` are Euclidean. In a statement a divisor may be 0, which is a visible `fail`. A formula cannot fail:
    it divides by constants, or by what has a range of few values without 0.
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
    can be removed without changing what the program does. A lock is read, and so is what `cas` compares.
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
    An atomic block is one step, which always ends: it contains no `while`, `break`, `continue` or `return`.
SA307 a jump without a loop
    `break` and `continue` need a loop around them.
SA308 a special label or location
    `exit` and `fail` are the tool's own: the end of a thread, and a step that went wrong.
SA309 not exactly one initial location
    An automaton starts in one location: `location q0 initial;`.
SA310 a variable that is assigned twice at the same time
    In a simultaneous assignment every variable stands once on the left. Elements of one array may have indices that are
    equal at times; the step then fails if the values differ.
SA312 a quantifier over too many values
    In axioms, `forall` and `exists` are about all values of a type. Elsewhere they stand for a case for each value, so
    that formulas can be evaluated: the type is a range, `forall i : 0..9 :: …`, an enumeration or `bool`; in an
    invariant also a family of threads.
SA313 `at` outside of invariants
    Only invariants can ask where a thread is. In a program, use a variable or a ghost instead.
SA314 an initial value outside of its range
    The value can never be in the variable's range, so there would be no initial state.
SA315 too many ways through one step
    Each combination of `choose` branches in an atomic block becomes an edge of its own; at most 1024 are allowed.
    (`if` does not count, since its branches are merged.)
SA316 a step that touches several shared locations
    One statement is one atomic step here, but reading or writing several shared locations is not one step of a
    machine. Either say that one step is intended, with `atomic { … }`, or split it with local variables; `--split`
    does that for you.
SA317 a location that only edges mention
    The location is treated as declared, without invariant or environment. Its name may be a typing error.
SA319 an index outside of its array
    The index is never, or not surely, within the array. In programs a wrong index is a visible `fail`; in
    formulas, which cannot fail, it must be within the array whatever the values are.
SA320 a family of any number with a rely
    What the environment of a copy in `thread T[i : *]` does is inferred, since all other copies run the same code. It
    cannot be declared.
SA321 a family of any number where it is not supported
    `thread T[i : *]` stands for any number of threads. This command does not support such families. Give a number,
    `thread T[i : 1..3]`: then the answer is about that many threads.
SA322 a procedure and its result
    A procedure that declares a result, `proc f(x : int) : int`, ends with `return e;` on every path. A
    procedure without a result, and a thread, only have `return;`.
SA323 a thread that cannot be started or joined
    `start T;` and `join T;` name a thread of the same file that is written as statements: `T`, or a member of a family
    such as `T[1]`, whose indices start at 0 or above. Copies in a family of any number are neither started nor joined.
SA324 a built-in statement that is used in a wrong way
    `acquire(s)` and `release(s)` are about a semaphore, an int. `wait(c, l)`, `signal(c)` and `broadcast(c)` are about
    a condition variable, `global c : condition;`, and `wait` about a lock too. `barrier(b, n)` is about an int that
    is 0 at first, and the number of threads, a constant.
SA325 a sequence that is used in a wrong way
    `push(q, e)`, `push_first(q, e)`, `send(q, e)`, `x := pop(q)`, `x := pop_last(q)` and `x := receive(q)` are
    statements; `len(q)`, `first(q)` and `last(q)` are values. `q` is declared as a sequence, for example
    `global q : seq<int, 4> = {};`.
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
SA407 a precondition that no initial state satisfies
    No concrete and abstract initial state together satisfy the `pre` of the refinement block, although there
    are initial states without it. The claim would hold trivially, since there would be no runs.
SA408 locals of threads that are not paired
    A formula about both sides may mention locals of one concrete thread and of the abstract one that it refines.
    It applies to every pair of threads that has these locals.
SA409 a rely about a variable that one side lacks
    The rely of a refinement block holds on both sides. What it says of globals that only one side has is said of
    that side; a formula that mixes these with others belongs to the threads of that side.
SA410 a rely where one is asked for
    `--weakest-rely` finds the weakest relies of threads that declare none. Remove the relies that are written.
SA411 a family of any number beside declared environments
    What the environment of a copy in `thread T[i : *]` does is inferred from both programs. Remove the relies of the
    other threads and of the block, or ask with `--whole`, which leaves them out.
SA451 a parameter that differs on the two sides
    A parameter is one value for both sides, so its type is the same on both.
SA452 a variable that one side lacks
    A bare name in `relate` means `conc.x == abs.x`, so both sides need a variable of that name. Where the names
    differ, write the formula.
SA453 arrays that cannot be related
    Related arrays have the same size and element type.
SA501 axioms that contradict each other
    No functions satisfy all axioms together, so any claim would follow from them.
SA502 no initial state
    No values satisfy the initial condition. There are no runs, so every claim about runs would hold trivially.
SA503 an invariant that nothing satisfies
    The location can never be reached, because its invariant excludes every state.
SA504 a step that can never be taken
    The guard excludes every state that the location's invariant allows.
SA505 a thread that blocks for ever
    No step can be taken from here in any state, and this is not the end of the thread.
SA506 an invariant that is not inductive
    The invariant of a location must hold initially and after each step that leads there, and the environment must
    preserve it. Otherwise it would remove behaviour of the program, and answers would not cover that behaviour.
SA507 a step that another thread's environment does not allow
    A thread relies on the others, and one of them makes a step that breaks this rely in some state that the
    declared invariants do not exclude. If no such state can be reached, add invariants that exclude it, and the
    warning disappears. Otherwise the rely assumes more than the program guarantees.
SA508 an environment without the step that changes nothing
    In some state the declared relation does not allow that nothing changes. An environment may always do
    nothing, so this possibility is added. Write it in the relation to make that explicit.
SA509 a thread that goes no further
    The proof shows that the concrete thread waits here for ever, in every run that gets here. A thread that
    takes no steps refines anything: check that the condition, the rely and the initial values are as intended.
SA510 a declared environment that is replaced
    Inference takes the threads of the file as the whole program. The relies that were written are not part of the
    result: conjoin them again if the file is part of a larger program.
SA511 a variable without a bound
    The values of the variable grow or shrink step by step, and no comparison with a constant stops them; or
    what stops them relates variables, which boxes cannot express. The result is correct, but may be
    weaker than needed. An invariant written by hand is used as well, once it is shown to be inductive.
SA512 axioms that may contradict each other
    The solver finds neither a contradiction nor functions that satisfy all axioms. If they contradict each other,
    any claim follows from them.
SA513 variables of the two sides with almost the same name
    Globals are related if both sides declare them under the same name. This one is not related to anything, so the
    answer does not depend on its values. If it stands for the other side's variable, give both the same name or
    relate them.
SA601 a proof script where a program is needed
    The file has a `lemma` or `theorem`, so it is a proof script: it speaks of programs that it imports and has no
    threads of its own. Name one of these programs.
SA602 a declaration that makes a program, in a proof script
    Variables, threads, initial states, invariants and refinement blocks belong in files of their own, which the
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
    `relate`, `pre`, `inv`, `rely`, `choose init` and `silent exit` say how two sides are related, so they belong
    to `refines`. A `preserves` claim has its formula only.
SA701 a tool that is missing
    C is preprocessed with the C compiler of this machine, `cc`. Without one, give a preprocessed file (`.i`).
SA702 the compiler does not accept the file
    The C compiler reads the file first, and its messages are passed on. The headers of the standard library are
    sacheck's own: a header that is missing is not supported.
SA703 not understood as C
    The compiler accepts the file, but the parser does not: it uses an extension that the parser does not know.
SA705 options of C for another file
    `--overflow`, `--races` and similar options say how C is read, and this file is not C.
SA710 data that is not accepted
    Values are integers of one to eight bytes and pointers. Floating-point numbers may be computed, stored and printed,
    but nothing else may depend on them. A bit field has at most
    32 bits, and races are not looked for beside it: fields side by side are one location in C.
SA711 an array that is too large
    The size of an array is a constant. Objects have up to 65,536 elements; arrays of more than 64 stay whole, which
    `.sa` text cannot say.
SA712 a structure that is not accepted
    Flexible members, atomic structures and unions of more than 8 bytes are not accepted. Parts of a union have no
    address, and races are not looked for beside unions.
SA713 calls that are too many to be inlined
    Every call is replaced by the function that is called, recursive ones up to a depth. Make the program smaller.
SA714 an address that is not known
    What a pointer may point to is computed before anything else. That is not possible for a number that is used as a
    pointer, or for a `void *` that is dereferenced.
SA715 an allocation that is not accepted
    The type must be known, from the pointer that takes the address or from a `sizeof`. A size that is not constant
    is a number times a `sizeof`. In programs that are compared no step may reach a limit of the translation: an
    allocation in a loop has so many objects, a recursion is inlined so often.
SA716 an undefined function that gets an address
    A function that is not in the file may do anything with the address. Define the function.
SA717 instructions of the machine
    What inline assembly does is not known here, but for instructions that only wait or order what is around them.
SA718 what is not accepted where a function is compared alone
    With `--function` and `--plain permissions` a function stands in any environment. Variables are accessed by their
    names and are either plain or atomic in both files, with the same first values; pointers that are given are not
    followed, and nobody gets to see addresses.
SA719 an expression that is not accepted
    This kind of expression is not supported; the message names it.
SA720 where a thread begins
    A program begins with `main`, and the function that a thread runs is named where the thread is created.
SA721 a join where the number of threads is not known
    Which thread a join waits for is not known then: only the first thread has joins.
SA722 an atomic region that is not one step
    From its beginning to its end a region is one step: there is no loop in it, and nothing jumps into it.
SA723 threads without a known number
    There are up to 64 creations; a loop with more rounds makes a family, which an atomic region cannot do.
SA724 a claim that needs a known number of threads
    Deadlocks beside any number of threads are not looked for, nor races on elements chosen in the same step.
SA731 a function that is not defined
    It may return any value, and is assumed not to change anything that the program can see.
SA732 a memory order that is treated as seq_cst
    Only sequentially consistent runs are considered. A program with weaker orders may have more behaviours.
SA901 no refinement block
    With one file, `refine` answers the refinement blocks in it. Give it two files, or write a block.
SA902 a refinement without its abstract side
    With one file, a refinement block says with `abstract "FILE.sa";` what is refined.
SA903 a file that cannot be written
    The result could not be written. No partial file was left behind.
SA904 no such thread
    The file has no thread with the name that was asked for.
SA905 a script that cannot be followed
    The steps that were asked for do not exist in this order.
SA906 a refinement block in the opposite direction
    According to the block, the file named first on the command line refines the other one. On the command line the
    abstract file comes first (what the threads should do), then the concrete one (what they do).
SA907 a chain of fewer than three programs
    Between two programs there is one refinement, so there is nothing to chain.
SA908 two refinement blocks for one link of a chain
    A chain has one refinement from each program to the next.
SA910 not a certificate
    The file is not a certificate, has another version of the format, or is damaged. Write it again with
    `sacheck refine --certificate FILE` or `sacheck verify --certificate FILE`.
SA911 a solver that is not installed
    cvc5 gives a second opinion on certificates. It is an optional package: `pip install -e '.[cvc5]'` in a
    clone of the repository installs it.
SA912 a source of a certificate that is not there
    A certificate contains the names and hashes of its sources, not their texts. They are looked for in its
    folder, or in the folder that `--source` names.
SA913 a folder that exists
    `--export` and `sacheck init` make a new folder, or fill an empty one, so that nothing of yours is overwritten.
SA914 an engine, a thread or a step that is not there
    `--engine` names engines (`sacheck engines` lists them), `--schedule` threads, and lines where they have a step.
SA915 a folder without programs
    In a folder, files are read whose names end in `.sa`, `.c` or `.i`; folders with a name that starts with a dot are
    left out.
SA916 nothing is expected
    `sacheck test` asks the files that say what they expect: `expect proved;` or `expect refuted;` in a file or a
    refinement block, behind an invariant or a step of a proof, or the comment `// expect: proved` in a C program.
SA918 a program without an environment
    `verify --open` is about threads beside an environment that does what all declared relies allow. At least one thread
    declares a rely, and each declares one for all of its locations.
SA917 a package that is not there
    `sacheck lsp` needs the package pygls, which is optional: `pip install '.[lsp]'` in the clone.
"""


def _entries() -> Iterator[tuple[str, Explanation]]:
    for code, title, text in re.findall(r"^(SA\d+) (.*)\n((?:    .*\n)+)", _TEXT, re.MULTILINE):
        yield code, Explanation(title, " ".join(text.split()))


CATALOGUE: Mapping[str, Explanation] = dict(_entries())


def explanation(code: str) -> Explanation | None:
    """What is known of a code, upper or lower case."""
    return CATALOGUE.get(code.upper())
