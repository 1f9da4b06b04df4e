<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>heed::ui::FileController</name>
    <message numerus="yes">
        <source>A window shows one file; %n other(s) came with it.</source>
        <translation>
            <numerusform>A window shows one file; %n other came with it.</numerusform>
            <numerusform>A window shows one file; %n others came with it.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heed::ui::HeadsPane</name>
    <message numerus="yes">
        <source>Head metrics · %n head(s)</source>
        <translation>
            <numerusform>Head metrics · %n head</numerusform>
            <numerusform>Head metrics · %n heads</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heed::ui::HeatmapView</name>
    <message numerus="yes">
        <source>row %1 &apos;%2&apos;: highest %3 %4 on key %5 &apos;%6&apos;; %n key(s) %7</source>
        <translation>
            <numerusform>row %1 &apos;%2&apos;: highest %3 %4 on key %5 &apos;%6&apos;; %n key %7</numerusform>
            <numerusform>row %1 &apos;%2&apos;: highest %3 %4 on key %5 &apos;%6&apos;; %n keys %7</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heed::ui::InspectorPanel</name>
    <message numerus="yes">
        <source>Contribution of each of %n dimension(s)</source>
        <translation>
            <numerusform>Contribution of the %n dimension</numerusform>
            <numerusform>Contribution of each of %n dimensions</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heed::ui::StatusStrip</name>
    <message numerus="yes">
        <source>%n request(s) waiting</source>
        <translation>
            <numerusform>%n request waiting</numerusform>
            <numerusform>%n requests waiting</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heed::ui::TokensPanel</name>
    <message numerus="yes">
        <source>%n token(s)</source>
        <translation>
            <numerusform>%n token</numerusform>
            <numerusform>%n tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n match(es)</source>
        <translation>
            <numerusform>%n match</numerusform>
            <numerusform>%n matches</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>heed::ui::Views</name>
    <message numerus="yes">
        <source>%1, %n thread(s)</source>
        <translation>
            <numerusform>%1, %n thread</numerusform>
            <numerusform>%1, %n threads</numerusform>
        </translation>
    </message>
</context>
</TS>
