// Two cells that belong together, moved on one by one under a lock of one bit.
type Tid;
function {:builtin "MapConst"} MapConstBool(bool) : [Tid]bool;
function {:builtin "MapOr"} MapOr([Tid]bool, [Tid]bool) : [Tid]bool;
function {:inline} {:linear "tid"} TidCollector(x : Tid) : [Tid]bool { MapConstBool(false)[x := true] }
const unique nobody : Tid;
var {:layer 0,1} b : bool;
var {:layer 1,2} owner : Tid;
var {:layer 0,2} p : int;
var {:layer 0,2} q : int;

procedure {:atomic} {:layer 1} AtomicSwap(old_b : bool, new_b : bool) returns (won : bool) modifies b;
{ if (b == old_b) { b := new_b; won := true; } else { won := false; } }
procedure {:yields} {:layer 0} {:refines "AtomicSwap"} Swap(old_b : bool, new_b : bool) returns (won : bool);

procedure {:atomic} {:layer 1} AtomicClear() modifies b;
{ b := false; }
procedure {:yields} {:layer 0} {:refines "AtomicClear"} Clear();

procedure {:layer 1} {:inline 1} SetOwner(who : Tid) modifies owner;
{ owner := who; }

procedure {:right} {:layer 2} AtomicTake({:linear "tid"} me : Tid) modifies owner;
{ assert me != nobody; assume owner == nobody; owner := me; }
procedure {:yields} {:layer 1} {:refines "AtomicTake"} Take({:linear "tid"} me : Tid)
requires {:layer 1} b <==> owner != nobody;
ensures {:layer 1} b <==> owner != nobody;
{
  var won : bool;
  yield;
  assert {:layer 1} b <==> owner != nobody;
  while (true)
  invariant {:layer 1} b <==> owner != nobody;
  {
    call won := Swap(false, true);
    if (won)
    {
      call SetOwner(me);
      yield;
      assert {:layer 1} b <==> owner != nobody;
      return;
    }
    yield;
    assert {:layer 1} b <==> owner != nobody;
  }
  yield;
}

procedure {:left} {:layer 2} AtomicGive({:linear "tid"} me : Tid) modifies owner;
{ assert me != nobody && owner == me; owner := nobody; }
procedure {:yields} {:layer 1} {:refines "AtomicGive"} Give({:linear "tid"} me : Tid)
requires {:layer 1} b <==> owner != nobody;
ensures {:layer 1} b <==> owner != nobody;
{
  yield;
  assert {:layer 1} b <==> owner != nobody;
  call Clear();
  call SetOwner(nobody);
  yield;
  assert {:layer 1} b <==> owner != nobody;
}

procedure {:atomic} {:layer 1} PlainGetP() returns (v : int)
{ v := p; }
procedure {:yields} {:layer 0} {:refines "PlainGetP"} LoadP() returns (v : int);
procedure {:both} {:layer 2} AtomicGetP({:linear "tid"} me : Tid) returns (v : int)
{ assert me != nobody && owner == me; v := p; }
procedure {:yields} {:layer 1} {:refines "AtomicGetP"} GetP({:linear "tid"} me : Tid) returns (v : int)
requires {:layer 1} b <==> owner != nobody;
ensures {:layer 1} b <==> owner != nobody;
{
  yield;
  assert {:layer 1} b <==> owner != nobody;
  call v := LoadP();
  yield;
  assert {:layer 1} b <==> owner != nobody;
}

procedure {:atomic} {:layer 1} PlainPutP(v : int) modifies p;
{ p := v; }
procedure {:yields} {:layer 0} {:refines "PlainPutP"} StoreP(v : int);
procedure {:both} {:layer 2} AtomicPutP({:linear "tid"} me : Tid, v : int) modifies p;
{ assert me != nobody && owner == me; p := v; }
procedure {:yields} {:layer 1} {:refines "AtomicPutP"} PutP({:linear "tid"} me : Tid, v : int)
requires {:layer 1} b <==> owner != nobody;
ensures {:layer 1} b <==> owner != nobody;
{
  yield;
  assert {:layer 1} b <==> owner != nobody;
  call StoreP(v);
  yield;
  assert {:layer 1} b <==> owner != nobody;
}

procedure {:atomic} {:layer 1} PlainGetQ() returns (v : int)
{ v := q; }
procedure {:yields} {:layer 0} {:refines "PlainGetQ"} LoadQ() returns (v : int);
procedure {:both} {:layer 2} AtomicGetQ({:linear "tid"} me : Tid) returns (v : int)
{ assert me != nobody && owner == me; v := q; }
procedure {:yields} {:layer 1} {:refines "AtomicGetQ"} GetQ({:linear "tid"} me : Tid) returns (v : int)
requires {:layer 1} b <==> owner != nobody;
ensures {:layer 1} b <==> owner != nobody;
{
  yield;
  assert {:layer 1} b <==> owner != nobody;
  call v := LoadQ();
  yield;
  assert {:layer 1} b <==> owner != nobody;
}

procedure {:atomic} {:layer 1} PlainPutQ(v : int) modifies q;
{ q := v; }
procedure {:yields} {:layer 0} {:refines "PlainPutQ"} StoreQ(v : int);
procedure {:both} {:layer 2} AtomicPutQ({:linear "tid"} me : Tid, v : int) modifies q;
{ assert me != nobody && owner == me; q := v; }
procedure {:yields} {:layer 1} {:refines "AtomicPutQ"} PutQ({:linear "tid"} me : Tid, v : int)
requires {:layer 1} b <==> owner != nobody;
ensures {:layer 1} b <==> owner != nobody;
{
  yield;
  assert {:layer 1} b <==> owner != nobody;
  call StoreQ(v);
  yield;
  assert {:layer 1} b <==> owner != nobody;
}

procedure {:yields} {:layer 2} T({:linear "tid"} me : Tid)
requires {:layer 1} b <==> owner != nobody;
requires {:layer 2} me != nobody && (owner == nobody ==> p == q);
{
  var t, u : int;
  yield;
  assert {:layer 1} b <==> owner != nobody;
  assert {:layer 2} owner == nobody ==> p == q;
  while (*)
  invariant {:layer 1} b <==> owner != nobody;
  invariant {:layer 2} owner == nobody ==> p == q;
  {
    call Take(me);
    call t := GetP(me);
    call u := GetQ(me);
    assert {:layer 2} t == u;
    call t := GetP(me);
    call PutP(me, t + 1);
    call t := GetQ(me);
    call PutQ(me, t + 1);
    call t := GetP(me);
    call u := GetQ(me);
    assert {:layer 2} t == u;
    call Give(me);
    yield;
    assert {:layer 1} b <==> owner != nobody;
    assert {:layer 2} owner == nobody ==> p == q;
  }
  yield;
  assert {:layer 1} b <==> owner != nobody;
  assert {:layer 2} owner == nobody ==> p == q;
}
