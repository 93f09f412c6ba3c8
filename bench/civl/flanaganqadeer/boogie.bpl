// What is written under the lock stays: the lock's owner is the linear number of a thread.
type Tid;
function {:builtin "MapConst"} MapConstBool(bool) : [Tid]bool;
function {:builtin "MapOr"} MapOr([Tid]bool, [Tid]bool) : [Tid]bool;
function {:inline} {:linear "tid"} TidCollector(x : Tid) : [Tid]bool { MapConstBool(false)[x := true] }
const unique nobody : Tid;
var {:layer 0,1} l : Tid;
var {:layer 0,1} x : int;

procedure {:right} {:layer 1} AtomicTake({:linear "tid"} me : Tid) modifies l;
{ assert me != nobody; assume l == nobody; l := me; }
procedure {:yields} {:layer 0} {:refines "AtomicTake"} Take({:linear "tid"} me : Tid);

procedure {:left} {:layer 1} AtomicGive({:linear "tid"} me : Tid) modifies l;
{ assert me != nobody && l == me; l := nobody; }
procedure {:yields} {:layer 0} {:refines "AtomicGive"} Give({:linear "tid"} me : Tid);

procedure {:both} {:layer 1} AtomicPut({:linear "tid"} me : Tid, v : int) modifies x;
{ assert me != nobody && l == me; x := v; }
procedure {:yields} {:layer 0} {:refines "AtomicPut"} Put({:linear "tid"} me : Tid, v : int);

procedure {:both} {:layer 1} AtomicGet({:linear "tid"} me : Tid) returns (v : int)
{ assert me != nobody && l == me; v := x; }
procedure {:yields} {:layer 0} {:refines "AtomicGet"} Get({:linear "tid"} me : Tid) returns (v : int);

procedure {:yields} {:layer 1} F({:linear "tid"} me : Tid)
requires {:layer 1} me != nobody;
{
  var v, w : int;
  yield;
  while (*)
  {
    yield;
    havoc v;
    call Take(me);
    call Put(me, v);
    call w := Get(me);
    assert {:layer 1} w == v;
    call Give(me);
    yield;
  }
  yield;
}
