// The one place where error codes become words.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "services/errortext.h"

#include <QCoreApplication>

namespace heed::ui {

namespace {

QString title(Code code)
{
    switch (code) {
    case Code::InvalidArgument:
        return QCoreApplication::translate("heed::ui::ErrorText", "This setting does not work");
    case Code::InvalidShape:
        return QCoreApplication::translate("heed::ui::ErrorText", "The shapes do not fit together");
    case Code::NotFound:
        return QCoreApplication::translate("heed::ui::ErrorText", "Not found");
    case Code::Io:
        return QCoreApplication::translate("heed::ui::ErrorText",
                                           "The file could not be read or written");
    case Code::BadFormat:
        return QCoreApplication::translate("heed::ui::ErrorText",
                                           "The file is not what it should be");
    case Code::UnsupportedVersion:
        return QCoreApplication::translate("heed::ui::ErrorText",
                                           "The file is from a newer version");
    case Code::Unsupported:
        return QCoreApplication::translate("heed::ui::ErrorText", "This is not supported");
    case Code::OutOfMemory:
        return QCoreApplication::translate("heed::ui::ErrorText", "Not enough memory");
    case Code::DeviceLost:
        return QCoreApplication::translate("heed::ui::ErrorText", "The device stopped answering");
    case Code::BackendFailed:
        return QCoreApplication::translate("heed::ui::ErrorText", "The computation failed");
    case Code::Cancelled:
        return QCoreApplication::translate("heed::ui::ErrorText", "Stopped");
    case Code::Internal:
        break;
    }
    return QCoreApplication::translate("heed::ui::ErrorText",
                                       "Something went wrong inside Heedmap");
}

} // namespace

ErrorText errorText(const Error& error)
{
    return {title(error.code), QString::fromStdString(describe(error))};
}

} // namespace heed::ui
