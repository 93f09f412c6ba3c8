"""A judge of functions of LLVM IR on integers: it knows nothing of `sa`."""
