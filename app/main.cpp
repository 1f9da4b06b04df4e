// The heedmap program.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commandline.h"

int main(int argc, char** argv)
{
    return heed::cli::runProgram(argc, argv);
}
