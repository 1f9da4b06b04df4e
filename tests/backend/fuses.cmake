# Fails unless the loops of scores among OBJECTS multiply and add at once.
# SPDX-License-Identifier: GPL-3.0-or-later
list(FILTER OBJECTS INCLUDE REGEX "/scores\\.cpp")
execute_process(COMMAND "${OBJDUMP}" -d --no-show-raw-insn ${OBJECTS} OUTPUT_VARIABLE listing
                RESULT_VARIABLE status)
string(REGEX MATCHALL "vfn?madd" fused "${listing}")
list(LENGTH fused count)
if(NOT status EQUAL 0 OR count LESS 20)
    message(FATAL_ERROR "${OBJECTS} has ${count} fused multiply-adds")
endif()
