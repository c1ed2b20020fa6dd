// The source of the targets that precompile headers; it holds nothing.
