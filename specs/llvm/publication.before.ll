@data = global i32 0
@ready = global i32 0

define void @publish(i32 noundef %value) {
  store i32 0, ptr @data
  store i32 %value, ptr @data
  store atomic i32 1, ptr @ready release, align 4
  ret void
}
