// The one place where error codes become words.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "services/errortext.h"

#include <QCoreApplication>
#include <algorithm>

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

bool isBlank(const std::string& line)
{
    return QString::fromStdString(line).trimmed().isEmpty();
}

/// What is wrong with the numbers of @p layer; empty where the engine's words serve.
QString layerText(const LayerConfig& layer)
{
    if (layer.heads < 1 || layer.kvHeads < 0 || layer.modelWidth < 1) {
        return {};
    }
    const QString width = QString::number(layer.modelWidth);
    const QString heads = QString::number(layer.heads);
    if (layer.modelWidth % layer.heads != 0) {
        return QCoreApplication::translate("heed::ui::ErrorText",
                                           "d_model %1 cannot be split evenly over %2 heads: every "
                                           "head has the same width.")
            .arg(width, heads);
    }
    if (layer.kvHeads > 0 && layer.heads % layer.kvHeads != 0) {
        return QCoreApplication::translate(
                   "heed::ui::ErrorText",
                   "%1 heads cannot share %2 key/value heads evenly: each serves as many heads.")
            .arg(heads, QString::number(layer.kvHeads));
    }
    if (layer.positions == Positions::Rotary && layer.headWidth() % 2 != 0) {
        return QCoreApplication::translate(
                   "heed::ui::ErrorText",
                   "Rotary positions turn pairs of numbers, and a head of %1 ÷ %2 = %3 is odd.")
            .arg(width, heads, QString::number(layer.headWidth()));
    }
    return {};
}

} // namespace

ErrorText errorText(const Error& error)
{
    return {title(error.code), QString::fromStdString(describe(error))};
}

ErrorText errorText(const Error& error, const Source& source)
{
    const bool typed = source.input.empty() && source.qkv.empty() && source.maps.empty();
    if (typed && std::all_of(source.lines.begin(), source.lines.end(), isBlank)) {
        return {QCoreApplication::translate("heed::ui::ErrorText", "Nothing to look at yet"),
                QCoreApplication::translate(
                    "heed::ui::ErrorText", "Type a sentence; each line is one item of the batch.")};
    }
    const QString layer = source.weights.empty() ? layerText(source.layer) : QString();
    return layer.isEmpty() ? errorText(error) : ErrorText{title(error.code), layer};
}

} // namespace heed::ui
