# Writes OUTPUT, a C++ source that holds the FILES of the page as text.
set(text "#include \"driver/explore/page_html.h\"\n\nnamespace affirm::driver {\nnamespace {\nconstexpr PageFile kFiles[] = {\n")
foreach(path ${FILES})
  get_filename_component(name ${path} NAME)
  file(READ ${path} content)
  string(APPEND text "{\"${name}\", R\"PAGE(${content})PAGE\"},\n")
endforeach()
string(APPEND text "};\n}  // namespace\n\nllvm::ArrayRef<PageFile> PageFiles() { return kFiles; }\n\n}  // namespace affirm::driver\n")
file(WRITE ${OUTPUT} "${text}")
