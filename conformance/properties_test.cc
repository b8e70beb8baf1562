// The catalogue against the simulator, or against what --impl names.
#include "conformance/suite/suite.h"

int main(int argc, char** argv) { return cm::RunSuite(argc, argv, {}, cm::MakeSimOrDl); }
