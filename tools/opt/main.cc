#include "emit/opt.h"

int main(int argc, char** argv) { return affirm::emit::OptMain(argc, argv); }
