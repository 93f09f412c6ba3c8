define i32 @both(i32 noundef %a, i32 noundef %b) {
  %more = add nsw i32 %a, 1
  %positive = icmp sgt i32 %more, 0
  %some = freeze i1 %positive
  %wanted = icmp ne i32 %b, 0
  %both = and i1 %wanted, %some
  %result = zext i1 %both to i32
  ret i32 %result
}
