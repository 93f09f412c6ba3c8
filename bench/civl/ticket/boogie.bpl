// Tickets: draw one, wait until it is served.
type Tid;
const unique nobody : Tid;
function {:builtin "MapConst"} MapConstBool(bool) : [Tid]bool;
function {:builtin "MapOr"} MapOr([Tid]bool, [Tid]bool) : [Tid]bool;
function {:inline} {:linear "tid"} TidCollector(x : Tid) : [Tid]bool { MapConstBool(false)[x := true] }

var {:layer 0,1} t : int;
var {:layer 0,2} s : int;
var {:layer 1,2} drawn : [int]bool;
var {:layer 0,3} cs : Tid;

function {:inline} Drawn(drawn : [int]bool, t : int) : bool
{ (forall i : int :: drawn[i] <==> i < t) }
function {:inline} Served(drawn : [int]bool, s : int, cs : Tid) : bool
{ cs == nobody || drawn[s] }

procedure {:atomic} {:layer 1} AtomicFetchAdd() returns (m : int) modifies t;
{ m := t; t := t + 1; }
procedure {:yields} {:layer 0} {:refines "AtomicFetchAdd"} FetchAdd() returns (m : int);

procedure {:layer 1} {:inline 1} Note(m : int) modifies drawn;
{ drawn[m] := true; }

procedure {:right} {:layer 2} AtomicDraw({:linear "tid"} me : Tid) returns (m : int) modifies drawn;
{ assume !drawn[m]; drawn[m] := true; }
procedure {:yields} {:layer 1} {:refines "AtomicDraw"} Draw({:linear "tid"} me : Tid) returns (m : int)
requires {:layer 1} Drawn(drawn, t);
ensures {:layer 1} Drawn(drawn, t);
{
  yield;
  assert {:layer 1} Drawn(drawn, t);
  call m := FetchAdd();
  call Note(m);
  yield;
  assert {:layer 1} Drawn(drawn, t);
}

procedure {:atomic} {:layer 1,2} AtomicWait({:linear "tid"} me : Tid, m : int) modifies cs;
{ assume s == m; cs := me; }
procedure {:yields} {:layer 0} {:refines "AtomicWait"} Wait({:linear "tid"} me : Tid, m : int);

procedure {:atomic} {:layer 1,2} AtomicLeave({:linear "tid"} me : Tid) modifies s, cs;
{ assert cs == me; s := s + 1; cs := nobody; }
procedure {:yields} {:layer 0} {:refines "AtomicLeave"} Leave({:linear "tid"} me : Tid);

procedure {:right} {:layer 3} AtomicEnter({:linear "tid"} me : Tid) modifies cs;
{ assume me != nobody && cs == nobody; cs := me; }
procedure {:yields} {:layer 2} {:refines "AtomicEnter"} Enter({:linear "tid"} me : Tid)
requires {:layer 2} me != nobody && Served(drawn, s, cs);
ensures {:layer 2} Served(drawn, s, cs) && me != nobody && cs == me;
requires {:layer 1} Drawn(drawn, t);
ensures {:layer 1} Drawn(drawn, t);
{
  var m : int;
  yield;
  assert {:layer 1} Drawn(drawn, t);
  assert {:layer 2} Served(drawn, s, cs);
  call m := Draw(me);
  call Wait(me, m);
  yield;
  assert {:layer 1} Drawn(drawn, t);
  assert {:layer 2} Served(drawn, s, cs) && me != nobody && cs == me;
}

procedure {:left} {:layer 3} AtomicExit({:linear "tid"} me : Tid) modifies cs;
{ assert me != nobody && cs == me; cs := nobody; }
procedure {:yields} {:layer 2} {:refines "AtomicExit"} Exit({:linear "tid"} me : Tid)
requires {:layer 2} me != nobody && Served(drawn, s, cs) && me != nobody && cs == me;
ensures {:layer 2} Served(drawn, s, cs);
requires {:layer 1} Drawn(drawn, t);
ensures {:layer 1} Drawn(drawn, t);
{
  yield;
  assert {:layer 1} Drawn(drawn, t);
  assert {:layer 2} Served(drawn, s, cs) && me != nobody && cs == me;
  call Leave(me);
  yield;
  assert {:layer 1} Drawn(drawn, t);
  assert {:layer 2} Served(drawn, s, cs);
}

procedure {:yields} {:layer 3} C({:linear "tid"} me : Tid)
requires {:layer 1} Drawn(drawn, t);
requires {:layer 2} me != nobody && Served(drawn, s, cs);
{
  yield;
  assert {:layer 1} Drawn(drawn, t);
  assert {:layer 2} Served(drawn, s, cs);
  while (*)
  invariant {:layer 1} Drawn(drawn, t);
  invariant {:layer 2} Served(drawn, s, cs);
  {
    call Enter(me);
    assert {:layer 3} cs == me;
    call Exit(me);
    yield;
    assert {:layer 1} Drawn(drawn, t);
    assert {:layer 2} Served(drawn, s, cs);
  }
  yield;
  assert {:layer 1} Drawn(drawn, t);
  assert {:layer 2} Served(drawn, s, cs);
}
