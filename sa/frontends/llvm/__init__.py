"""LLVM IR as input: functions of two modules compared, each alone in any environment."""
