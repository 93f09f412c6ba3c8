; As clang writes it without optimisation.
@lock = global i32 0

define i32 @attempt() mustprogress {
entry:
  %tries = alloca i32, align 4
  store i32 0, ptr %tries, align 4
  br label %again

again:
  %old = load i32, ptr %tries, align 4
  %more = icmp slt i32 %old, 3
  br i1 %more, label %try, label %failed

try:
  %pair = cmpxchg ptr @lock, i32 0, i32 1 acquire monotonic, align 4
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %taken, label %next

next:
  %count = load i32, ptr %tries, align 4
  %new = add nsw i32 %count, 1
  store i32 %new, ptr %tries, align 4
  br label %again

taken:
  ret i32 1

failed:
  ret i32 0
}
