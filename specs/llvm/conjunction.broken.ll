define i32 @both(i32 noundef %a, i32 noundef %b) {
  %more = add nsw i32 %a, 1
  %positive = icmp sgt i32 %more, 0
  %wanted = icmp ne i32 %b, 0
  %both = and i1 %wanted, %positive
  br i1 %both, label %yes, label %no

yes:
  ret i32 1

no:
  ret i32 0
}
