# Fails unless MODULE exports heed_backend_entry and nothing else.
# SPDX-License-Identifier: GPL-3.0-or-later
execute_process(COMMAND "${NM}" -D --defined-only "${MODULE}" OUTPUT_VARIABLE listing
                RESULT_VARIABLE status)
string(REGEX REPLACE "[0-9a-f]+ [A-Za-z] ([^\n]*)\n" "\\1;" symbols "${listing}")
if(NOT status EQUAL 0 OR NOT symbols STREQUAL "heed_backend_entry;")
    message(FATAL_ERROR "${MODULE} exports: ${symbols}")
endif()
