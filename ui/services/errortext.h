// Errors in the user's language: a headline by code, the engine's own sentence as detail.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "heed/error.h"
#include "heed/run.h"

#include <QString>

namespace heed::ui {

struct ErrorText {
    QString title;  ///< translated, by code: "The file could not be read"
    QString detail; ///< what, where, why and what to do, as the engine says it
};

[[nodiscard]] ErrorText errorText(const Error& error);
/// The same for @p source that could not be computed: what people run into with the settings of the
/// window is told in their language, without the choices, which are buttons there.
[[nodiscard]] ErrorText errorText(const Error& error, const Source& source);

} // namespace heed::ui
