"""The entries of the gallery: what each folder of `specs/optimisations` shows, and who discusses it."""

from __future__ import annotations

from msgspec import Struct


class Entry(Struct, frozen=True):
    """A transformation: its folder, the chapter of the page, what it does, where it is discussed."""

    folder: str
    group: str
    title: str
    source: str


ENTRIES = (
    Entry(
        "read-after-read",
        "eliminations",
        "A value that was read is not read again",
        "Ševčík 2011; Morisset 2013; Simuliris E_RaR",
    ),
    Entry(
        "read-after-read-across-a-wait", "eliminations", "A value read before a wait is used after it", "Ševčík 2011"
    ),
    Entry("read-after-write", "eliminations", "What was just written is not read", "Ševčík 2011; Simuliris E_RaW"),
    Entry(
        "read-after-write-across-a-wait",
        "eliminations",
        "A written value is forwarded across a wait",
        "SEQ, WRforwarding",
    ),
    Entry(
        "write-after-read",
        "eliminations",
        "A value that was just read is not written back",
        "Ševčík 2011; Simuliris E_WaR",
    ),
    Entry(
        "overwritten-write",
        "eliminations",
        "A write that is overwritten at once is left out",
        "Ševčík 2011; Morisset 2013; N4455",
    ),
    Entry(
        "last-write",
        "eliminations",
        "The last write to a variable that nobody else reads is left out",
        "Ševčík 2011, redundant last write",
    ),
    Entry("dead-read", "eliminations", "A value that is never used is not read", "Simuliris E_IR"),
    Entry(
        "dead-atomic-read",
        "eliminations",
        "A dead read after a store is left out (sequentially consistent)",
        "unsafe-code-guidelines 548",
    ),
    Entry("constant-folding", "eliminations", "Constants are propagated and folded", "textbook"),
    Entry("common-subexpression", "eliminations", "A sum is computed once", "textbook"),
    Entry("copy-propagation", "eliminations", "A copy is replaced by what it is a copy of", "textbook"),
    Entry("ownership", "eliminations", "A variable that one owns is kept in a register", "Simuliris, ownership"),
    Entry("forwarding-past-a-release", "eliminations", "A written value is used after the release", "SEQ; LLVM 64188"),
    Entry("jump-threading", "eliminations", "A test whose outcome is known is not made again", "GCC, jump threading"),
    Entry("stable-fact", "eliminations", "A test that stays true is not repeated", "value numbering"),
    Entry("flag-set-once", "eliminations", "A flag that is set once is not tested again", "value numbering"),
    Entry(
        "read-only-once-ready", "eliminations", "What does not change once it is ready is read once", "initialise once"
    ),
    Entry("branches-merged", "eliminations", "Branches that do the same become one", "textbook"),
    Entry(
        "tests-over-output",
        "eliminations",
        "Two tests become one although something is shown between",
        "GCC, jump threading",
    ),
    Entry(
        "scalar-replacement",
        "eliminations",
        "A shared variable that nobody else uses becomes a local",
        "Simuliris ex_2_1",
    ),
    Entry("dead-loop", "eliminations", "A loop without effect is left out", "CompCert; textbook"),
    Entry("irrelevant-read", "introductions", "A value is read that nobody uses", "SEQ LICM_LoadIntro; Simuliris"),
    Entry("rematerialisation", "introductions", "A value is read again instead of kept", "Boehm 2011; LWN 2019"),
    Entry("idempotent-write", "introductions", "What was read is written back", "Morisset 2013"),
    Entry("store-select", "introductions", "A conditional store becomes a select and a store", "LLVM Atomics guide"),
    Entry("read-select", "introductions", "A conditional read is made always", "LLVM, speculated load"),
    Entry("adjacent-field", "introductions", "A field is written together with the one beside it", "Boehm 2005"),
    Entry("widened-read", "introductions", "Two fields are read although one is used", "LLVM"),
    Entry("intermediate-store", "introductions", "A value is stored in two steps", "LWN 2019"),
    Entry("read-read", "reorderings", "Two reads are exchanged", "Ševčík 2011; Simuliris R_RR"),
    Entry("write-write", "reorderings", "Two writes are exchanged where one of them is not seen", "Simuliris R_WW"),
    Entry("write-read", "reorderings", "A read goes before a write", "Simuliris R_WR"),
    Entry("read-write", "reorderings", "A write goes before a read", "Simuliris R_RW"),
    Entry("evaluation-order", "reorderings", "One of two orders is chosen", "Vafeiadis 2015"),
    Entry("read-into-a-region", "locks", "A read goes into a critical region", "Ševčík 2011, roach motel"),
    Entry("read-out-of-a-region", "locks", "A read goes out of a critical region", "Ševčík 2011"),
    Entry("empty-region", "locks", "An empty critical region is left out", "textbook"),
    Entry("coarsening", "locks", "Two critical regions become one", "lock coarsening"),
    Entry("write-out-of-a-region", "locks", "A write to what is not seen goes out of a region", "Boehm 2005"),
    Entry("double-checked-initialisation", "locks", "A test saves the lock", "double-checked locking"),
    Entry("test-and-test-and-set", "locks", "A lock is looked at before it is taken", "textbook"),
    Entry("coarser-step", "atomicity", "Two steps become one", "Vafeiadis 2015, strengthening"),
    Entry("merged-updates", "atomicity", "Two atomic additions become one", "N4455"),
    Entry("update-by-zero", "atomicity", "An atomic addition of zero becomes a read", "LLVM 56450, 101551"),
    Entry("update-as-a-loop", "atomicity", "An atomic addition becomes compare-and-swap in a loop", "RGSim 2012"),
    Entry("weak-compare-and-swap", "atomicity", "A compare-and-swap that waits", "textbook"),
    Entry("hoisted-read", "loops", "A read goes out of a loop", "Simuliris hoist_load; SEQ; PromisingCompiler LICM"),
    Entry("peeled-loop", "loops", "A round is peeled and its read hoisted", "Simuliris hoist_load_unknown"),
    Entry("unrolled-loop", "loops", "A loop of two rounds is unrolled", "textbook"),
    Entry("unswitched-loop", "loops", "A test goes out of a loop", "SEQ; LLVM 50387, 31000"),
    Entry("fused-loops", "loops", "Two loops become one where one result is not seen", "textbook"),
    Entry("closed-form", "loops", "A counting loop becomes an assignment", "scalar evolution"),
    Entry("promoted-store", "loops", "A variable is kept in a register over two updates", "Morisset 2013; LLVM 50537"),
    Entry(
        "conditional-promotion",
        "loops",
        "A variable is kept in a register over conditional updates",
        "Vafeiadis 2015; LLVM 50537",
    ),
    Entry("waiting-by-spinning", "loops", "Waiting becomes a loop", "textbook"),
    Entry("retry-hoisted", "loops", "A read that is retried any number of times is made once", "textbook"),
    Entry("strength-reduction", "loops", "A product becomes a sum that grows", "textbook"),
)
