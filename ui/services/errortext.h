// Errors in the user's language: a headline by code, the engine's own sentence as detail.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"

#include <QString>

namespace heed::ui {

struct ErrorText {
    QString title;  ///< translated, by code: "The file could not be read"
    QString detail; ///< what, where, why and what to do, as the engine says it
};

[[nodiscard]] ErrorText errorText(const Error& error);

} // namespace heed::ui
