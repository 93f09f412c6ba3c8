@data = global i32 0
@ready = global i32 0

define i32 @consume() {
  %seen = load atomic i32, ptr @ready acquire, align 4
  %is_ready = icmp eq i32 %seen, 1
  %value = load i32, ptr @data
  %twice = shl i32 %value, 1
  %result = select i1 %is_ready, i32 %twice, i32 0
  ret i32 %result
}
