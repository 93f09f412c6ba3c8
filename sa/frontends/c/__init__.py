"""C11 with POSIX threads: preprocessed by the user's compiler, parsed by pycparser, translated to the form `flow`."""
