// Four workers add one each, in parallel: x is four larger, in one step.
var {:layer 0,2} x : int;

procedure {:both} {:layer 1} AtomicIncr() modifies x; { x := x + 1; }
procedure {:yields} {:layer 0} {:refines "AtomicIncr"} Incr();

procedure {:atomic} {:layer 2} AtomicIncr4() modifies x; { x := x + 4; }
procedure {:yields} {:layer 1} {:refines "AtomicIncr4"} Incr4()
{
  yield;
  par Incr() | Incr() | Incr() | Incr();
  yield;
}
