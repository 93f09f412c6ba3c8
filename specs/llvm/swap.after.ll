define i32 @exchange(ptr noundef %p, ptr noundef %q) {
  store i32 1, ptr %p, align 4
  store i32 2, ptr %q, align 4
  %same = load i32, ptr %p, align 4
  ret i32 %same
}
