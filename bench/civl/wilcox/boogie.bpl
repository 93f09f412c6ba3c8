// Adds n in steps of one; others add one now and then, and never look.
var {:layer 0,2} x : int;

procedure {:both} {:layer 1} AtomicIncr() modifies x;
{ x := x + 1; }
procedure {:yields} {:layer 0} {:refines "AtomicIncr"} Incr();

procedure {:atomic} {:layer 2} AtomicAdd(n : int) modifies x;
{ assert n >= 0; x := x + n; }
procedure {:yields} {:layer 1} {:refines "AtomicAdd"} Add(n : int)
requires {:layer 1} n >= 0;
{
  var i : int;
  var {:layer 1} before : int;
  yield;
  i := 0;
  call before := Look();
  while (i < n)
  invariant {:terminates} {:layer 0,1} true;
  invariant {:layer 1} 0 <= i && i <= n && x == before + i;
  {
    i := i + 1;
    call Incr();
  }
  yield;
}

procedure {:layer 1} {:inline 1} Look() returns (value : int)
{ value := x; }

procedure {:yields} {:layer 1} Other()
{
  yield;
  while (*)
  {
    call Incr();
    yield;
  }
  yield;
}
