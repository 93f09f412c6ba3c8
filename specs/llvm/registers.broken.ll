@lock = global i32 0

define i32 @attempt() mustprogress {
entry:
  br label %try

try:
  %tries = phi i32 [ 0, %entry ], [ %new, %next ]
  %pair = cmpxchg ptr @lock, i32 0, i32 1 acquire monotonic, align 4
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %leave, label %next

next:
  %new = add nuw nsw i32 %tries, 1
  %more = icmp ult i32 %new, 2
  br i1 %more, label %try, label %leave

leave:
  %result = phi i32 [ 1, %try ], [ 0, %next ]
  ret i32 %result
}
