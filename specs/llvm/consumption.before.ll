@data = global i32 0
@ready = global i32 0

define i32 @consume() {
  %seen = load atomic i32, ptr @ready acquire, align 4
  %is_ready = icmp eq i32 %seen, 1
  br i1 %is_ready, label %read, label %leave

read:
  %first = load i32, ptr @data
  %second = load i32, ptr @data
  %sum = add i32 %first, %second
  ret i32 %sum

leave:
  ret i32 0
}
