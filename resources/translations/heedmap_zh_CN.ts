<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Actions</name>
    <message>
        <source>&amp;New</source>
        <translation>新建(&amp;N)</translation>
    </message>
    <message>
        <source>Close what is open and show the start page</source>
        <translation>关闭当前内容，回到起始页</translation>
    </message>
    <message>
        <source>Open the &amp;worked example</source>
        <translation>打开示例(&amp;W)</translation>
    </message>
    <message>
        <source>Six tokens, two heads, real numbers</source>
        <translation>六个词元、两个头，数字都是真实计算的</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>打开(&amp;O)…</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>Open a session, an array file or a text file</source>
        <translation>打开会话、数组文件或文本文件</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation>另存为(&amp;A)…</translation>
    </message>
    <message>
        <source>&amp;Export figure…</source>
        <translation>导出图(&amp;E)…</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>PNG, SVG or PDF with exact millimetres</source>
        <translation>PNG、SVG 或 PDF，尺寸精确到毫米</translation>
    </message>
    <message>
        <source>&amp;Clear recent files</source>
        <translation>清除最近文件(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Copy cell</source>
        <translation>复制单元格(&amp;C)</translation>
    </message>
    <message>
        <source>The pinned cell as text and JSON</source>
        <translation>以文本和 JSON 复制固定的单元格</translation>
    </message>
    <message>
        <source>Copy ro&amp;w</source>
        <translation>复制整行(&amp;W)</translation>
    </message>
    <message>
        <source>The row of the pinned cell as a table</source>
        <translation>以表格复制固定单元格所在的行</translation>
    </message>
    <message>
        <source>Copy &amp;matrix</source>
        <translation>复制矩阵(&amp;M)</translation>
    </message>
    <message>
        <source>The whole map as a table</source>
        <translation>以表格复制整张图</translation>
    </message>
    <message>
        <source>Copy &amp;image</source>
        <translation>复制图像(&amp;I)</translation>
    </message>
    <message>
        <source>The map as it is on screen</source>
        <translation>复制屏幕上显示的图</translation>
    </message>
    <message>
        <source>Edit &amp;text</source>
        <translation>编辑文本(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Find token…</source>
        <translation>查找词元(&amp;F)…</translation>
    </message>
    <message>
        <source>Find &amp;next</source>
        <translation>查找下一个(&amp;N)</translation>
    </message>
    <message>
        <source>Find &amp;previous</source>
        <translation>查找上一个(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Go to cell…</source>
        <translation>转到单元格(&amp;G)…</translation>
    </message>
    <message>
        <source>Un&amp;pin cell</source>
        <translation>取消固定(&amp;P)</translation>
    </message>
    <message>
        <source>New random &amp;seed</source>
        <translation>换一个随机种子(&amp;S)</translation>
    </message>
    <message>
        <source>New</source>
        <translation>换一个</translation>
    </message>
    <message>
        <source>Draw other weights</source>
        <translation>重新抽取权重</translation>
    </message>
    <message>
        <source>Divide scores by √d_k</source>
        <translation>分数除以 √d_k</translation>
    </message>
    <message>
        <source>Without it the softmax saturates</source>
        <translation>不缩放时 softmax 会饱和</translation>
    </message>
    <message>
        <source>Projections with bias</source>
        <translation>投影带偏置</translation>
    </message>
    <message>
        <source>S&amp;cores</source>
        <translation>分数(&amp;C)</translation>
    </message>
    <message>
        <source>Scores</source>
        <translation>分数</translation>
    </message>
    <message>
        <source>q·k of every pair</source>
        <translation>每一对的 q·k</translation>
    </message>
    <message>
        <source>Sca&amp;led</source>
        <translation>缩放后(&amp;L)</translation>
    </message>
    <message>
        <source>Scaled</source>
        <translation>缩放后</translation>
    </message>
    <message>
        <source>Scores divided by √d_k</source>
        <translation>分数除以 √d_k</translation>
    </message>
    <message>
        <source>&amp;Masked</source>
        <translation>掩码后(&amp;M)</translation>
    </message>
    <message>
        <source>Masked</source>
        <translation>掩码后</translation>
    </message>
    <message>
        <source>Scaled scores, −∞ where masked</source>
        <translation>缩放后的分数，被掩码处为 −∞</translation>
    </message>
    <message>
        <source>&amp;Weights</source>
        <translation>权重(&amp;W)</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Softmax of each row</source>
        <translation>逐行 softmax</translation>
    </message>
    <message>
        <source>Colours that suit the quantity</source>
        <translation>配色：随显示量自动选择</translation>
    </message>
    <message>
        <source>Colours: viridis</source>
        <translation>配色：viridis</translation>
    </message>
    <message>
        <source>viridis</source>
        <translation>viridis</translation>
    </message>
    <message>
        <source>Colours: cividis (colour-blind safe)</source>
        <translation>配色：cividis（色盲友好）</translation>
    </message>
    <message>
        <source>cividis</source>
        <translation>cividis</translation>
    </message>
    <message>
        <source>Colours: magma</source>
        <translation>配色：magma</translation>
    </message>
    <message>
        <source>magma</source>
        <translation>magma</translation>
    </message>
    <message>
        <source>Colours: inferno</source>
        <translation>配色：inferno</translation>
    </message>
    <message>
        <source>inferno</source>
        <translation>inferno</translation>
    </message>
    <message>
        <source>Colours: grey</source>
        <translation>配色：灰度</translation>
    </message>
    <message>
        <source>grey</source>
        <translation>灰度</translation>
    </message>
    <message>
        <source>Colours: diverging, zero in the middle</source>
        <translation>配色：发散，零居中</translation>
    </message>
    <message>
        <source>diverging</source>
        <translation>发散</translation>
    </message>
    <message>
        <source>Range that suits the quantity</source>
        <translation>范围：随显示量自动选择</translation>
    </message>
    <message>
        <source>Range: 0 to 1</source>
        <translation>范围：0 到 1</translation>
    </message>
    <message>
        <source>0 – 1</source>
        <translation>0 – 1</translation>
    </message>
    <message>
        <source>Range: this map</source>
        <translation>范围：当前图</translation>
    </message>
    <message>
        <source>This map</source>
        <translation>当前图</translation>
    </message>
    <message>
        <source>The extremes of the kept cells</source>
        <translation>未掩码单元格的最小值和最大值</translation>
    </message>
    <message>
        <source>Range: shared by all heads</source>
        <translation>范围：所有头共用</translation>
    </message>
    <message>
        <source>All heads</source>
        <translation>所有头</translation>
    </message>
    <message>
        <source>The extremes over the heads of this item</source>
        <translation>该条目所有头的最小值和最大值</translation>
    </message>
    <message>
        <source>Range: by hand…</source>
        <translation>范围：手动…</translation>
    </message>
    <message>
        <source>By hand</source>
        <translation>手动</translation>
    </message>
    <message>
        <source>Pooling that suits the quantity</source>
        <translation>池化：随显示量自动选择</translation>
    </message>
    <message>
        <source>Pooling: largest value</source>
        <translation>池化：最大值</translation>
    </message>
    <message>
        <source>max</source>
        <translation>最大值</translation>
    </message>
    <message>
        <source>Pooling: largest magnitude</source>
        <translation>池化：绝对值最大</translation>
    </message>
    <message>
        <source>absmax</source>
        <translation>绝对值最大</translation>
    </message>
    <message>
        <source>Pooling: sum</source>
        <translation>池化：求和</translation>
    </message>
    <message>
        <source>mass</source>
        <translation>求和</translation>
    </message>
    <message>
        <source>Pooling: mean</source>
        <translation>池化：平均值</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>平均值</translation>
    </message>
    <message>
        <source>&amp;Hatch masked cells</source>
        <translation>用斜线标出被掩码的单元格(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Numbers in cells</source>
        <translation>在单元格中显示数字(&amp;N)</translation>
    </message>
    <message>
        <source>When there is room for them</source>
        <translation>空间足够时显示</translation>
    </message>
    <message>
        <source>Zoom &amp;in</source>
        <translation>放大(&amp;I)</translation>
    </message>
    <message>
        <source>Zoom &amp;out</source>
        <translation>缩小(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Fit</source>
        <translation>适合窗口(&amp;F)</translation>
    </message>
    <message>
        <source>Show the whole map</source>
        <translation>显示整张图</translation>
    </message>
    <message>
        <source>&amp;Back</source>
        <translation>后退(&amp;B)</translation>
    </message>
    <message>
        <source>The view before</source>
        <translation>上一个视图</translation>
    </message>
    <message>
        <source>F&amp;orward</source>
        <translation>前进(&amp;O)</translation>
    </message>
    <message>
        <source>The view after</source>
        <translation>下一个视图</translation>
    </message>
    <message>
        <source>Next h&amp;ead</source>
        <translation>下一个头(&amp;E)</translation>
    </message>
    <message>
        <source>Previous he&amp;ad</source>
        <translation>上一个头(&amp;A)</translation>
    </message>
    <message>
        <source>Next line of the batch</source>
        <translation>批次中的下一行</translation>
    </message>
    <message>
        <source>Previous line of the batch</source>
        <translation>批次中的上一行</translation>
    </message>
    <message>
        <source>Theme: as the system</source>
        <translation>主题：跟随系统</translation>
    </message>
    <message>
        <source>Theme: light</source>
        <translation>主题：浅色</translation>
    </message>
    <message>
        <source>Theme: dark</source>
        <translation>主题：深色</translation>
    </message>
    <message>
        <source>Language: as the system</source>
        <translation>语言：跟随系统</translation>
    </message>
    <message>
        <source>F&amp;ull screen</source>
        <translation>全屏(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Padding mask</source>
        <translation>填充掩码(&amp;P)</translation>
    </message>
    <message>
        <source>Padding</source>
        <translation>填充</translation>
    </message>
    <message>
        <source>Hide keys that only fill up a line</source>
        <translation>隐藏仅用于补齐长度的键</translation>
    </message>
    <message>
        <source>&amp;Causal mask</source>
        <translation>因果掩码(&amp;C)</translation>
    </message>
    <message>
        <source>Causal</source>
        <translation>因果</translation>
    </message>
    <message>
        <source>Hide keys that come after the query</source>
        <translation>隐藏位于查询之后的键</translation>
    </message>
    <message>
        <source>Pad on the &amp;left</source>
        <translation>在左侧填充(&amp;L)</translation>
    </message>
    <message>
        <source>left</source>
        <translation>左侧</translation>
    </message>
    <message>
        <source>Pad on the &amp;right</source>
        <translation>在右侧填充(&amp;R)</translation>
    </message>
    <message>
        <source>right</source>
        <translation>右侧</translation>
    </message>
    <message>
        <source>&amp;Edit mask expression</source>
        <translation>编辑掩码表达式(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Remove all masks</source>
        <translation>移除所有掩码(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Find a command…</source>
        <translation>查找命令(&amp;F)…</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>查找命令</translation>
    </message>
    <message>
        <source>&amp;Next panel</source>
        <translation>下一个面板(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Previous panel</source>
        <translation>上一个面板(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Reset layout</source>
        <translation>重置布局(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Stop computing</source>
        <translation>停止计算(&amp;S)</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation>键盘快捷键(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Backends</source>
        <translation>计算后端(&amp;B)</translation>
    </message>
    <message>
        <source>What can compute on this machine, and why not</source>
        <translation>本机可用的计算后端，以及其他后端不可用的原因</translation>
    </message>
    <message>
        <source>&amp;About Heedmap</source>
        <translation>关于 Heedmap(&amp;A)</translation>
    </message>
    <message>
        <source>About &amp;Qt</source>
        <translation>关于 Qt(&amp;Q)</translation>
    </message>
    <message>
        <source>Layout: &amp;Learn</source>
        <translation>布局：学习(&amp;L)</translation>
    </message>
    <message>
        <source>Input and inspector</source>
        <translation>输入与检查器</translation>
    </message>
    <message>
        <source>Layout: &amp;Debug</source>
        <translation>布局：调试(&amp;D)</translation>
    </message>
    <message>
        <source>Every panel, with the table</source>
        <translation>所有面板，含表格</translation>
    </message>
    <message>
        <source>Layout: &amp;Figure</source>
        <translation>布局：图(&amp;F)</translation>
    </message>
    <message>
        <source>Only the heads and the map</source>
        <translation>只有头和注意力图</translation>
    </message>
    <message>
        <source>&amp;Save layout…</source>
        <translation>保存布局(&amp;S)…</translation>
    </message>
    <message>
        <source>Keep the panels as they are, under a name</source>
        <translation>把面板现在的样子以名称保存</translation>
    </message>
    <message>
        <source>&amp;Order heads by metric…</source>
        <translation>按指标排列各头(&amp;O)…</translation>
    </message>
    <message>
        <source>The largest first</source>
        <translation>数值大的在前</translation>
    </message>
    <message>
        <source>Metric as a &amp;bar under the heads…</source>
        <translation>各头下方的指标条形(&amp;B)…</translation>
    </message>
    <message>
        <source>Head &amp;metrics</source>
        <translation>头指标(&amp;M)</translation>
    </message>
    <message>
        <source>The table under the heads</source>
        <translation>各头下方的表格</translation>
    </message>
    <message>
        <source>&amp;Memory budget…</source>
        <translation>内存上限(&amp;M)…</translation>
    </message>
    <message>
        <source>How much a computation may take</source>
        <translation>一次计算最多可用的内存</translation>
    </message>
    <message>
        <source>Open &amp;model folder…</source>
        <translation>打开模型文件夹(&amp;M)…</translation>
    </message>
    <message>
        <source>A folder with config.json, weights and tokenizer</source>
        <translation>含 config.json、权重和分词器的文件夹</translation>
    </message>
    <message>
        <source>Show the text in the san&amp;dbox</source>
        <translation>在沙盒中显示文本(&amp;D)</translation>
    </message>
    <message>
        <source>Sandbox</source>
        <translation>沙盒</translation>
    </message>
    <message>
        <source>One layer whose sizes and weights you choose, instead of the model</source>
        <translation>用一层可自选大小和权重的注意力代替模型</translation>
    </message>
    <message>
        <source>Special tokens around the text</source>
        <translation>文本两端的特殊词元</translation>
    </message>
    <message>
        <source>Those the model was trained with: [CLS], &lt;/s&gt;, …</source>
        <translation>模型训练时使用的词元：[CLS]、&lt;/s&gt; 等</translation>
    </message>
    <message>
        <source>&amp;Colour heads by metric…</source>
        <translation>按指标为各头着色(&amp;C)…</translation>
    </message>
    <message>
        <source>The frame of each head</source>
        <translation>每个头的边框</translation>
    </message>
</context>
<context>
    <name>MaskHint</name>
    <message>
        <source>This line is padded and nothing hides the padding: real tokens attend to &lt;pad&gt;.</source>
        <translation>这一行有填充，但没有掩码遮住填充：真实词元会关注 &lt;pad&gt;。</translation>
    </message>
    <message>
        <source>Some queries have nothing to attend to (%1). Their weights are zeros here; other programs give NaN or equal weights.</source>
        <translation>有些查询没有可关注的键（%1）。这里它们的权重为零；其他程序可能给出 NaN 或相等的权重。</translation>
    </message>
</context>
<context>
    <name>Metrics</name>
    <message>
        <source>entropy</source>
        <translation>熵</translation>
    </message>
    <message>
        <source>entropy ÷ ln visible</source>
        <translation>熵 ÷ ln 可见键数</translation>
    </message>
    <message>
        <source>Mean entropy of the rows ÷ ln of the visible keys: 0 sharp, 1 even</source>
        <translation>各行熵 ÷ ln 可见键数的平均值：0 为集中，1 为均匀</translation>
    </message>
    <message>
        <source>prev</source>
        <translation>前一</translation>
    </message>
    <message>
        <source>previous token</source>
        <translation>前一词元</translation>
    </message>
    <message>
        <source>Mean weight on the token before</source>
        <translation>落在前一词元上的平均权重</translation>
    </message>
    <message>
        <source>sink</source>
        <translation>汇聚</translation>
    </message>
    <message>
        <source>first-token sink</source>
        <translation>首词元汇聚</translation>
    </message>
    <message>
        <source>Mean weight on the first token</source>
        <translation>落在首词元上的平均权重</translation>
    </message>
    <message>
        <source>self</source>
        <translation>自身</translation>
    </message>
    <message>
        <source>itself</source>
        <translation>自身</translation>
    </message>
    <message>
        <source>Mean weight on the token itself</source>
        <translation>落在自身上的平均权重</translation>
    </message>
    <message>
        <source>induct</source>
        <translation>归纳</translation>
    </message>
    <message>
        <source>induction</source>
        <translation>归纳</translation>
    </message>
    <message>
        <source>Mean weight on what followed earlier copies of the token</source>
        <translation>落在该词元先前出现之后那个词元上的平均权重</translation>
    </message>
    <message>
        <source>dup</source>
        <translation>重复</translation>
    </message>
    <message>
        <source>duplicate token</source>
        <translation>重复词元</translation>
    </message>
    <message>
        <source>Mean weight on earlier copies of the token</source>
        <translation>落在该词元先前出现处的平均权重</translation>
    </message>
    <message>
        <source>next</source>
        <translation>后一</translation>
    </message>
    <message>
        <source>next token</source>
        <translation>后一词元</translation>
    </message>
    <message>
        <source>Mean weight on the token after</source>
        <translation>落在后一词元上的平均权重</translation>
    </message>
    <message>
        <source>delim</source>
        <translation>分隔</translation>
    </message>
    <message>
        <source>delimiters</source>
        <translation>分隔符</translation>
    </message>
    <message>
        <source>Mean weight on separators and punctuation</source>
        <translation>落在分隔符和标点上的平均权重</translation>
    </message>
    <message>
        <source>conf</source>
        <translation>置信</translation>
    </message>
    <message>
        <source>confidence</source>
        <translation>置信度</translation>
    </message>
    <message>
        <source>Mean of the strongest weight of a row, special symbols left out</source>
        <translation>各行最大权重的平均值，不计特殊符号</translation>
    </message>
    <message>
        <source>dist</source>
        <translation>距离</translation>
    </message>
    <message>
        <source>mean distance</source>
        <translation>平均距离</translation>
    </message>
    <message>
        <source>Mean distance to the keys, in tokens</source>
        <translation>到各键的平均距离，以词元计</translation>
    </message>
    <message>
        <source>entropy in nats</source>
        <translation>熵（nat）</translation>
    </message>
    <message>
        <source>Mean entropy of the rows, in nats</source>
        <translation>各行熵的平均值，单位 nat</translation>
    </message>
    <message>
        <source>top 1</source>
        <translation>前 1</translation>
    </message>
    <message>
        <source>strongest key</source>
        <translation>最强的键</translation>
    </message>
    <message>
        <source>Mean weight on the strongest key of a row</source>
        <translation>落在一行中最强的键上的平均权重</translation>
    </message>
    <message>
        <source>top 5</source>
        <translation>前 5</translation>
    </message>
    <message>
        <source>5 strongest keys</source>
        <translation>最强的 5 个键</translation>
    </message>
    <message>
        <source>Mean weight on the 5 strongest keys of a row</source>
        <translation>落在一行中最强的 5 个键上的平均权重</translation>
    </message>
    <message>
        <source>top 10</source>
        <translation>前 10</translation>
    </message>
    <message>
        <source>10 strongest keys</source>
        <translation>最强的 10 个键</translation>
    </message>
    <message>
        <source>Mean weight on the 10 strongest keys of a row</source>
        <translation>落在一行中最强的 10 个键上的平均权重</translation>
    </message>
    <message>
        <source>norm. entropy</source>
        <translation>归一化熵</translation>
    </message>
</context>
<context>
    <name>SmallDialogs</name>
    <message>
        <source>Range of the colours</source>
        <translation>颜色范围</translation>
    </message>
    <message>
        <source>Low end</source>
        <translation>下限</translation>
    </message>
    <message>
        <source>High end</source>
        <translation>上限</translation>
    </message>
    <message>
        <source>Backends</source>
        <translation>计算后端</translation>
    </message>
    <message>
        <source>What can compute on this machine. The best score is used.</source>
        <translation>本机可用的计算后端，自动使用评分最高的一个。</translation>
    </message>
    <message>
        <source>Backend</source>
        <translation>后端</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>评分</translation>
    </message>
    <message>
        <source>Description or reason</source>
        <translation>说明或原因</translation>
    </message>
    <message>
        <source>usable</source>
        <translation>可用</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>不可用</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Map: move the cell</source>
        <translation>图：移动单元格</translation>
    </message>
    <message>
        <source>Map: pin the cell</source>
        <translation>图：固定单元格</translation>
    </message>
    <message>
        <source>Map: unpin</source>
        <translation>图：取消固定</translation>
    </message>
    <message>
        <source>Map: next or previous head</source>
        <translation>图：下一个或上一个头</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>About Heedmap</source>
        <translation>关于 Heedmap</translation>
    </message>
    <message>
        <source>Shows what attention does: masks, heads, maps and numbers.

Free software under the GNU General Public License, version 3 or later. It comes with no warranty.

Built with Qt %1, QCustomPlot, Eigen and oneTBB.</source>
        <translation>展示注意力在做什么：掩码、头、图和数字。

本程序是自由软件，依据 GNU 通用公共许可证第 3 版或更高版本发布，不附带任何担保。

使用 Qt %1、QCustomPlot、Eigen 和 oneTBB 构建。</translation>
    </message>
</context>
<context>
    <name>WaysOut</name>
    <message>
        <source>Use %1 heads</source>
        <translation>改为 %1 个头</translation>
    </message>
    <message>
        <source>number of heads</source>
        <translation>头数</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>改为 %1</translation>
    </message>
    <message>
        <source>number of key/value heads</source>
        <translation>键/值头数</translation>
    </message>
    <message>
        <source>Use sinusoidal positions</source>
        <translation>改用正弦位置编码</translation>
    </message>
    <message>
        <source>positions</source>
        <translation>位置编码</translation>
    </message>
    <message>
        <source>Pad to the longest line</source>
        <translation>填充到最长的一行</translation>
    </message>
    <message>
        <source>padded length</source>
        <translation>填充长度</translation>
    </message>
    <message>
        <source>Remove the expression</source>
        <translation>移除表达式</translation>
    </message>
    <message>
        <source>mask expression</source>
        <translation>掩码表达式</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Use d_model %1</source>
        <translation>改用 d_model %1</translation>
    </message>
    <message>
        <source>model width</source>
        <translation>模型宽度</translation>
    </message>
    <message>
        <source>Memory budget…</source>
        <translation>内存上限…</translation>
    </message>
</context>
<context>
    <name>heed::ui::Actions</name>
    <message>
        <source>&amp;Undo: %1</source>
        <translation>撤销(&amp;U)：%1</translation>
    </message>
    <message>
        <source>&amp;Redo: %1</source>
        <translation>重做(&amp;R)：%1</translation>
    </message>
</context>
<context>
    <name>heed::ui::CellTableModel</name>
    <message>
        <source>%1 → %2: %3</source>
        <translation>%1 → %2：%3</translation>
    </message>
    <message>
        <source>, masked: %1</source>
        <translation>，被掩码：%1</translation>
    </message>
    <message>
        <source>masked</source>
        <translation>被掩码</translation>
    </message>
</context>
<context>
    <name>heed::ui::CommandPalette</name>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Type some letters of a command</source>
        <translation>输入命令中的几个字</translation>
    </message>
    <message>
        <source>Find a command</source>
        <translation>查找命令</translation>
    </message>
</context>
<context>
    <name>heed::ui::CostPanel</name>
    <message>
        <source>Nothing is computed yet.</source>
        <translation>尚未计算。</translation>
    </message>
    <message>
        <source>Stored weights would take</source>
        <translation>存储权重需要</translation>
    </message>
    <message>
        <source>Heedmap takes</source>
        <translation>Heedmap 占用</translation>
    </message>
    <message>
        <source>q, k and v</source>
        <translation>q、k 和 v</translation>
    </message>
    <message>
        <source>statistics of all rows</source>
        <translation>所有行的统计量</translation>
    </message>
    <message>
        <source>tiles kept for the screen</source>
        <translation>屏幕图块缓存</translation>
    </message>
    <message>
        <source>mask</source>
        <translation>掩码</translation>
    </message>
    <message>
        <source>Multiply-adds of one pass</source>
        <translation>一遍的乘加次数</translation>
    </message>
    <message>
        <source>cells kept</source>
        <translation>保留的单元格</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>停止(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Measure</source>
        <translation>测量(&amp;M)</translation>
    </message>
    <message>
        <source>Finished maps come without q and k: there is nothing to compute.</source>
        <translation>现成的注意力图不含 q 和 k，没有可计算的内容。</translation>
    </message>
    <message>
        <source>Measuring n = %1…</source>
        <translation>正在测量 n = %1…</translation>
    </message>
    <message>
        <source>%1 × %1 in %2, growing as n^%3; %4 % of the peak</source>
        <translation>%1 × %1 用时 %2，按 n^%3 增长；为峰值的 %4 %</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>Times one map of growing n on this machine.</source>
        <translation>在本机上测量一张图随 n 增大的用时。</translation>
    </message>
    <message>
        <source>Cost of attention</source>
        <translation>注意力的开销</translation>
    </message>
    <message>
        <source>Time and memory against the number of tokens</source>
        <translation>时间和内存随词元数的变化</translation>
    </message>
    <message>
        <source>Times row statistics and the picture of one map of made-up numbers, for growing n</source>
        <translation>用虚构的数字测量一张图的行统计量和图像随 n 增大的用时</translation>
    </message>
    <message>
        <source>Memory and work of this run</source>
        <translation>本次运行的内存和工作量</translation>
    </message>
    <message>
        <source>Computing q, k and v</source>
        <translation>计算 q、k 和 v</translation>
    </message>
    <message>
        <source>Reading the file</source>
        <translation>读取文件</translation>
    </message>
    <message>
        <source>Computing this map</source>
        <translation>计算当前图</translation>
    </message>
</context>
<context>
    <name>heed::ui::CostPlot</name>
    <message>
        <source>stored weights, n²</source>
        <translation>存储权重，n²</translation>
    </message>
    <message>
        <source>Heedmap, n</source>
        <translation>Heedmap，n</translation>
    </message>
    <message>
        <source>time, n^%1</source>
        <translation>用时，n^%1</translation>
    </message>
    <message>
        <source>time</source>
        <translation>用时</translation>
    </message>
    <message>
        <source>n tokens</source>
        <translation>词元数 n</translation>
    </message>
</context>
<context>
    <name>heed::ui::ErrorText</name>
    <message>
        <source>This setting does not work</source>
        <translation>这个设置行不通</translation>
    </message>
    <message>
        <source>The shapes do not fit together</source>
        <translation>形状不匹配</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>The file could not be read or written</source>
        <translation>文件无法读取或写入</translation>
    </message>
    <message>
        <source>The file is not what it should be</source>
        <translation>文件内容不符合要求</translation>
    </message>
    <message>
        <source>The file is from a newer version</source>
        <translation>文件来自更新的版本</translation>
    </message>
    <message>
        <source>This is not supported</source>
        <translation>不支持这种情况</translation>
    </message>
    <message>
        <source>Not enough memory</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>The device stopped answering</source>
        <translation>设备停止响应</translation>
    </message>
    <message>
        <source>The computation failed</source>
        <translation>计算失败</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Something went wrong inside Heedmap</source>
        <translation>Heedmap 内部出错</translation>
    </message>
    <message>
        <source>d_model %1 cannot be split evenly over %2 heads: every head has the same width.</source>
        <translation>d_model %1 无法平均分给 %2 个头：每个头的宽度必须相同。</translation>
    </message>
    <message>
        <source>%1 heads cannot share %2 key/value heads evenly: each serves as many heads.</source>
        <translation>%1 个头无法平均共用 %2 个键/值头：每个键/值头服务的头数必须相同。</translation>
    </message>
    <message>
        <source>Rotary positions turn pairs of numbers, and a head of %1 ÷ %2 = %3 is odd.</source>
        <translation>旋转位置编码成对旋转数值，而每个头的宽度 %1 ÷ %2 = %3 是奇数。</translation>
    </message>
    <message>
        <source>Nothing to look at yet</source>
        <translation>还没有可看的内容</translation>
    </message>
    <message>
        <source>Type a sentence; each line is one item of the batch.</source>
        <translation>请输入一个句子；每行是批次中的一个条目。</translation>
    </message>
</context>
<context>
    <name>heed::ui::ExportDialog</name>
    <message>
        <source>Export figure</source>
        <translation>导出图</translation>
    </message>
    <message>
        <source>PNG pictures (*.png)</source>
        <translation>PNG 图片 (*.png)</translation>
    </message>
    <message>
        <source>SVG drawings (*.svg)</source>
        <translation>SVG 图形 (*.svg)</translation>
    </message>
    <message>
        <source>PDF documents (*.pdf)</source>
        <translation>PDF 文档 (*.pdf)</translation>
    </message>
    <message>
        <source>Writing %1 …</source>
        <translation>正在写入 %1 …</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>已写入：%1</translation>
    </message>
    <message>
        <source>The same from the command line</source>
        <translation>用命令行画同样的图</translation>
    </message>
    <message>
        <source>Command line that draws this figure</source>
        <translation>画出此图的命令行</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>Copy the command line</source>
        <translation>复制命令行</translation>
    </message>
    <message>
        <source>Show &amp;folder</source>
        <translation>打开文件夹(&amp;F)</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>导出(&amp;E)…</translation>
    </message>
</context>
<context>
    <name>heed::ui::ExportForm</name>
    <message>
        <source>Head %1 alone</source>
        <translation>仅头 %1</translation>
    </message>
    <message>
        <source>All heads (%1)</source>
        <translation>所有头（%1 个）</translation>
    </message>
    <message>
        <source>Layer %1, item %2</source>
        <translation>第 %1 层，条目 %2</translation>
    </message>
    <message>
        <source>Content</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Size on paper</source>
        <translation>纸上尺寸</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Parts</source>
        <translation>组成部分</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>头</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>版式</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>宽度</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>字号</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>Resolution</source>
        <translation>分辨率</translation>
    </message>
    <message>
        <source>One column</source>
        <translation>单栏</translation>
    </message>
    <message>
        <source>One and a half columns</source>
        <translation>一栏半</translation>
    </message>
    <message>
        <source>Two columns</source>
        <translation>双栏</translation>
    </message>
    <message>
        <source>Free width</source>
        <translation>自定宽度</translation>
    </message>
    <message>
        <source> mm</source>
        <translation> mm</translation>
    </message>
    <message>
        <source> pt</source>
        <translation> pt</translation>
    </message>
    <message>
        <source> dpi</source>
        <translation> dpi</translation>
    </message>
    <message>
        <source>PNG, pixels</source>
        <translation>PNG，像素图</translation>
    </message>
    <message>
        <source>SVG, editable</source>
        <translation>SVG，可编辑</translation>
    </message>
    <message>
        <source>PDF, for print</source>
        <translation>PDF，供印刷</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>Text of the title</source>
        <translation>标题文字</translation>
    </message>
    <message>
        <source>Layer, head and quantity</source>
        <translation>层、头与显示的量</translation>
    </message>
    <message>
        <source>Token labels</source>
        <translation>词元标签</translation>
    </message>
    <message>
        <source>Colour bar and range</source>
        <translation>色条与范围</translation>
    </message>
    <message>
        <source>Hatch masked cells</source>
        <translation>被掩码的格子画斜线</translation>
    </message>
    <message>
        <source>Numbers in cells, where they fit</source>
        <translation>格子里的数字（放得下时）</translation>
    </message>
</context>
<context>
    <name>heed::ui::Figure</name>
    <message>
        <source>Text under 6 pt is hard to read in print.</source>
        <translation>小于 6 磅的文字印刷后难以辨认。</translation>
    </message>
    <message>
        <source>The panels are too small for token labels.</source>
        <translation>各图太小，放不下词元标签。</translation>
    </message>
    <message>
        <source>Only one token label in %1 fits.</source>
        <translation>每 %1 个词元只放得下一个标签。</translation>
    </message>
</context>
<context>
    <name>heed::ui::FileController</name>
    <message>
        <source>No safety copy of this work could be written: %1</source>
        <translation>无法写入当前工作的安全副本：%1</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>未保存的更改</translation>
    </message>
    <message>
        <source>This work has not been saved.</source>
        <translation>当前工作尚未保存。</translation>
    </message>
    <message>
        <source>“%1” has changes that are not saved.</source>
        <translation>“%1”有未保存的更改。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Save session</source>
        <translation>保存会话</translation>
    </message>
    <message>
        <source>Sessions (*.heed)</source>
        <translation>会话 (*.heed)</translation>
    </message>
    <message>
        <source>Recover</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Open saved</source>
        <translation>打开已保存的文件</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>跳过</translation>
    </message>
    <message>
        <source>Heedmap ended unexpectedly. Work from %1 that was never saved can be recovered.</source>
        <translation>Heedmap 上次意外结束。%1 的未保存工作可以恢复。</translation>
    </message>
    <message>
        <source>Open %1</source>
        <translation>打开 %1</translation>
    </message>
    <message numerus="yes">
        <source>A window shows one file; %n other(s) came with it.</source>
        <translation>
            <numerusform>一个窗口显示一个文件；另有 %n 个文件一同给出。</numerusform>
        </translation>
    </message>
    <message>
        <source>Heedmap was told to end. Unsaved work from %1 was kept.</source>
        <translation>Heedmap 上次被要求结束。%1 未保存的工作已保留。</translation>
    </message>
    <message>
        <source>Heedmap was told to end. Unsaved changes to “%1” from %2 were kept.</source>
        <translation>Heedmap 上次被要求结束。“%1”在 %2 未保存的更改已保留。</translation>
    </message>
    <message>
        <source>Heedmap ended unexpectedly. Changes to “%1” from %2 can be recovered.</source>
        <translation>Heedmap 上次意外结束。“%1”在 %2 的更改可以恢复。</translation>
    </message>
    <message>
        <source>All that can be opened (*.heed *.gguf *.npy *.npz *.safetensors *.json *.csv *.txt *.md);;Sessions (*.heed);;Models (*.gguf *.safetensors *.json);;Arrays (*.npy *.npz *.safetensors *.json *.csv);;Text (*.txt *.md);;All files (*)</source>
        <translation>所有可打开的文件 (*.heed *.gguf *.npy *.npz *.safetensors *.json *.csv *.txt *.md);;会话 (*.heed);;模型 (*.gguf *.safetensors *.json);;数组 (*.npy *.npz *.safetensors *.json *.csv);;文本 (*.txt *.md);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Open model folder</source>
        <translation>打开模型文件夹</translation>
    </message>
</context>
<context>
    <name>heed::ui::GoToCellDialog</name>
    <message>
        <source>Go to cell</source>
        <translation>转到单元格</translation>
    </message>
    <message>
        <source>Query and key, for instance “10 2”:</source>
        <translation>查询和键，例如“10 2”：</translation>
    </message>
    <message>
        <source>Go</source>
        <translation>转到</translation>
    </message>
    <message>
        <source>Two numbers are needed.</source>
        <translation>需要两个数字。</translation>
    </message>
    <message>
        <source>Queries run from 0 to %1, keys from 0 to %2.</source>
        <translation>查询编号为 0 到 %1，键编号为 0 到 %2。</translation>
    </message>
</context>
<context>
    <name>heed::ui::HeadChoices</name>
    <message>
        <source>Order</source>
        <translation>顺序</translation>
    </message>
    <message>
        <source>Bar</source>
        <translation>条</translation>
    </message>
    <message>
        <source>Colour</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>Order of the heads</source>
        <translation>头的顺序</translation>
    </message>
    <message>
        <source>Metric under the heads</source>
        <translation>各头下方的指标</translation>
    </message>
    <message>
        <source>Metric that colours the heads</source>
        <translation>为各头着色的指标</translation>
    </message>
    <message>
        <source>Sorts the heads by a metric, the largest first</source>
        <translation>按某项指标排列各头，最大的在前</translation>
    </message>
    <message>
        <source>Shows a metric of each head as a bar</source>
        <translation>以条形显示各头的一项指标</translation>
    </message>
    <message>
        <source>Shows a metric of each head as the colour of its frame</source>
        <translation>以边框颜色显示各头的一项指标</translation>
    </message>
    <message>
        <source>number</source>
        <translation>编号</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>heed::ui::HeadGridView</name>
    <message>
        <source>Heads</source>
        <translation>头</translation>
    </message>
    <message>
        <source>H%1</source>
        <translation>H%1</translation>
    </message>
    <message>
        <source>L%1</source>
        <translation>L%1</translation>
    </message>
    <message>
        <source>No heads yet</source>
        <translation>还没有头</translation>
    </message>
    <message>
        <source>Layer %1 head %2 selected, %3 layers of %4 heads</source>
        <translation>已选第 %1 层第 %2 头，共 %3 层、每层 %4 个头</translation>
    </message>
    <message>
        <source>%1
metrics are being computed</source>
        <translation>%1
正在计算指标</translation>
    </message>
    <message>
        <source>, sorted by %1</source>
        <translation>，按%1排序</translation>
    </message>
    <message>
        <source>, %1 %2</source>
        <translation>，%1 %2</translation>
    </message>
    <message>
        <source>≈ draft: few of its query rows so far</source>
        <translation>≈ 草图：目前只用了少数查询行</translation>
    </message>
</context>
<context>
    <name>heed::ui::HeadsPane</name>
    <message>
        <source>Layers × heads</source>
        <translation>层 × 头</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>头</translation>
    </message>
    <message>
        <source>colour: %1</source>
        <translation>颜色：%1</translation>
    </message>
    <message numerus="yes">
        <source>Head metrics · %n head(s)</source>
        <translation>
            <numerusform>头指标 · %n 个头</numerusform>
        </translation>
    </message>
    <message>
        <source>Head metrics</source>
        <translation>头指标</translation>
    </message>
    <message>
        <source>All heads</source>
        <translation>所有头</translation>
    </message>
    <message>
        <source>&amp;Copy rows</source>
        <translation>复制所选行(&amp;C)</translation>
    </message>
    <message>
        <source>Copy &amp;all rows</source>
        <translation>复制所有行(&amp;A)</translation>
    </message>
    <message>
        <source>≈ draft · %1</source>
        <translation>≈ 草图 · %1</translation>
    </message>
</context>
<context>
    <name>heed::ui::HeatmapView</name>
    <message>
        <source>key %1</source>
        <translation>键 %1</translation>
    </message>
    <message>
        <source>query %1</source>
        <translation>查询 %1</translation>
    </message>
    <message>
        <source>Pin a cell first: click it, or move to it and press Enter.</source>
        <translation>请先固定一个单元格：单击它，或移到它上面按 Enter。</translation>
    </message>
    <message>
        <source>the cell</source>
        <translation>单元格</translation>
    </message>
    <message>
        <source>Pin a cell of the row first.</source>
        <translation>请先固定该行中的一个单元格。</translation>
    </message>
    <message>
        <source>the row</source>
        <translation>该行</translation>
    </message>
    <message>
        <source>%1 × %2 is %3 million cells; the clipboard takes at most 4 million. Export the matrix to a file instead.</source>
        <translation>%1 × %2 共有 %3 百万个单元格，剪贴板最多容纳 4 百万个。请改为把矩阵导出到文件。</translation>
    </message>
    <message>
        <source>the matrix</source>
        <translation>矩阵</translation>
    </message>
    <message>
        <source>The map is being computed; try again in a moment.</source>
        <translation>正在计算该图，请稍后再试。</translation>
    </message>
    <message>
        <source>query \ key</source>
        <translation>查询 \ 键</translation>
    </message>
    <message>
        <source>Copied %1.</source>
        <translation>已复制%1。</translation>
    </message>
    <message>
        <source>The map changed before it was copied.</source>
        <translation>复制完成前图已改变。</translation>
    </message>
    <message>
        <source>Copied the picture.</source>
        <translation>已复制图像。</translation>
    </message>
    <message>
        <source>Nothing to show yet.</source>
        <translation>还没有可显示的内容。</translation>
    </message>
    <message>
        <source>Computing…</source>
        <translation>正在计算…</translation>
    </message>
    <message>
        <source>Attention map</source>
        <translation>注意力图</translation>
    </message>
    <message>
        <source>computing…</source>
        <translation>正在计算…</translation>
    </message>
    <message>
        <source>updating… · %1</source>
        <translation>正在更新… · %1</translation>
    </message>
    <message>
        <source>refining… · %1</source>
        <translation>正在细化… · %1</translation>
    </message>
    <message>
        <source>Attention map, layer %1 head %2, %3</source>
        <translation>注意力图，第 %1 层第 %2 头，%3</translation>
    </message>
    <message>
        <source>query %1, key %2, not computed yet</source>
        <translation>查询 %1，键 %2，尚未计算</translation>
    </message>
    <message>
        <source>query %1, key %2, %3</source>
        <translation>查询 %1，键 %2，%3</translation>
    </message>
    <message>
        <source>query %1, key %2, %3 %4</source>
        <translation>查询 %1，键 %2，%3 %4</translation>
    </message>
    <message>
        <source>row %1 &apos;%2&apos;: nothing to attend to</source>
        <translation>第 %1 行“%2”：没有可关注的键</translation>
    </message>
    <message numerus="yes">
        <source>row %1 &apos;%2&apos;: highest %3 %4 on key %5 &apos;%6&apos;; %n key(s) %7</source>
        <translation>
            <numerusform>第 %1 行“%2”：最大%3 %4，位于键 %5“%6”；%n 个键%7</numerusform>
        </translation>
    </message>
    <message>
        <source>row %1 &apos;%2&apos;: highest %3 %4 on key %5 &apos;%6&apos;</source>
        <translation>第 %1 行“%2”：最大%3 %4，位于键 %5“%6”</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>draft, %1 % exact</source>
        <translation>草图，已精确 %1 %</translation>
    </message>
</context>
<context>
    <name>heed::ui::InputPanel</name>
    <message>
        <source>text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>line of a batch</comment>
        <translation>第 %1 行，共 %2 行</translation>
    </message>
    <message>
        <source>Text · one line per item</source>
        <translation>文本 · 每行一个条目</translation>
    </message>
    <message>
        <source>Text, one line per item</source>
        <translation>文本，每行一个条目</translation>
    </message>
    <message>
        <source>Type a sentence</source>
        <translation>输入一句话</translation>
    </message>
    <message>
        <source>Show line</source>
        <translation>显示行</translation>
    </message>
    <message>
        <source>Line of the batch that is shown</source>
        <translation>显示批次中的哪一行</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>Tokens; choosing one pins its row</source>
        <translation>词元；选择一个即固定它所在的行</translation>
    </message>
    <message>
        <source>Target tokens</source>
        <translation>目标词元</translation>
    </message>
</context>
<context>
    <name>heed::ui::InspectorPanel</name>
    <message>
        <source>No cell chosen</source>
        <translation>未选择单元格</translation>
    </message>
    <message>
        <source>Point at a cell, click to pin it</source>
        <translation>指向单元格查看，单击固定</translation>
    </message>
    <message>
        <source>pinned · query %1 → key %2</source>
        <translation>已固定 · 查询 %1 → 键 %2</translation>
    </message>
    <message>
        <source>query %1 → key %2</source>
        <translation>查询 %1 → 键 %2</translation>
    </message>
    <message>
        <source>%1 attends to %2: %3</source>
        <translation>%1 关注 %2：%3</translation>
    </message>
    <message>
        <source>computing</source>
        <translation>正在计算</translation>
    </message>
    <message>
        <source>Computing…</source>
        <translation>正在计算…</translation>
    </message>
    <message>
        <source>This map came finished from a file; Q and K are not known.</source>
        <translation>这张图直接来自文件，Q 和 K 未知。</translation>
    </message>
    <message>
        <source>not scaled</source>
        <translation>不缩放</translation>
    </message>
    <message>
        <source>mask</source>
        <translation>掩码</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>− max %1</source>
        <translation>− 最大值 %1</translation>
    </message>
    <message>
        <source>weight</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>nothing allowed in this row</source>
        <translation>这一行没有可关注的键</translation>
    </message>
    <message numerus="yes">
        <source>Contribution of each of %n dimension(s)</source>
        <translation>
            <numerusform>%n 个维度各自的贡献</numerusform>
        </translation>
    </message>
    <message>
        <source>masked: %1</source>
        <translation>被掩码：%1</translation>
    </message>
    <message>
        <source>rank %1 of %2 visible · top 1 holds %3 %</source>
        <translation>可见 %2 个键中排第 %1 · 最大的占 %3 %</translation>
    </message>
    <message>
        <source>entropy ÷ ln visible</source>
        <translation>熵 ÷ ln 可见键数</translation>
    </message>
    <message>
        <source>mean distance</source>
        <translation>平均距离</translation>
    </message>
    <message>
        <source>first-token sink</source>
        <translation>首词元汇聚</translation>
    </message>
    <message>
        <source>previous token</source>
        <translation>前一词元</translation>
    </message>
    <message>
        <source>itself</source>
        <translation>自身</translation>
    </message>
    <message>
        <source>confidence</source>
        <translation>置信度</translation>
    </message>
    <message>
        <source>How this number came about</source>
        <translation>这个数字是怎么来的</translation>
    </message>
    <message>
        <source>q ⊙ k per dimension</source>
        <translation>各维度的 q ⊙ k</translation>
    </message>
    <message>
        <source>This head</source>
        <translation>这个头</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
    <message>
        <source>Row profile · query %1</source>
        <translation>行分布 · 查询 %1</translation>
    </message>
</context>
<context>
    <name>heed::ui::Layouts</name>
    <message>
        <source>Layout: %1</source>
        <translation>布局：%1</translation>
    </message>
    <message>
        <source>Remove layout: %1</source>
        <translation>删除布局：%1</translation>
    </message>
    <message>
        <source>&amp;Remove layout</source>
        <translation>删除布局(&amp;R)</translation>
    </message>
    <message>
        <source>Save layout</source>
        <translation>保存布局</translation>
    </message>
    <message>
        <source>Name of the layout:</source>
        <translation>布局的名称：</translation>
    </message>
    <message>
        <source>There is a layout “%1”. Replace it?</source>
        <translation>已有布局“%1”。要替换它吗？</translation>
    </message>
</context>
<context>
    <name>heed::ui::MainWindow</name>
    <message>
        <source>Untitled</source>
        <translation>未命名</translation>
    </message>
    <message>
        <source>Heedmap</source>
        <translation>Heedmap</translation>
    </message>
    <message>
        <source>%1[*] — Heedmap</source>
        <translation>%1[*] — Heedmap</translation>
    </message>
    <message>
        <source>Attention map</source>
        <translation>注意力图</translation>
    </message>
    <message>
        <source>What was dropped is not a file on this machine.</source>
        <translation>拖入的内容不是本机上的文件。</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>最近打开(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Quantity</source>
        <translation>显示量(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Colours</source>
        <translation>配色(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Range</source>
        <translation>范围(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Pooling</source>
        <translation>池化(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Masks</source>
        <translation>掩码(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Window</source>
        <translation>窗口(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>Tool bar</source>
        <translation>工具栏</translation>
    </message>
    <message>
        <source>View as &amp;table</source>
        <translation>以表格查看(&amp;T)</translation>
    </message>
    <message>
        <source>Range of the colours</source>
        <translation>颜色范围</translation>
    </message>
    <message>
        <source>Range of the colours: %1</source>
        <translation>颜色范围：%1</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>配色</translation>
    </message>
    <message>
        <source>Colours: %1</source>
        <translation>配色：%1</translation>
    </message>
    <message>
        <source>Figure written to %1</source>
        <translation>图已写入 %1</translation>
    </message>
    <message>
        <source>&amp;Layouts</source>
        <translation>布局(&amp;L)</translation>
    </message>
    <message>
        <source>Co&amp;st of attention</source>
        <translation>注意力的开销(&amp;S)</translation>
    </message>
    <message>
        <source>Hea&amp;ds</source>
        <translation>头(&amp;D)</translation>
    </message>
    <message>
        <source>Models on this &amp;machine</source>
        <translation>本机上的模型(&amp;M)</translation>
    </message>
    <message>
        <source>There is no layer %1; the last one is %2.</source>
        <translation>没有第 %1 层；最后一层是 %2。</translation>
    </message>
    <message>
        <source>There is no item %1; the last one is %2.</source>
        <translation>没有第 %1 个条目；最后一个是 %2。</translation>
    </message>
    <message>
        <source>There is no head %1; the last one is %2.</source>
        <translation>没有第 %1 个注意力头；最后一个是 %2。</translation>
    </message>
</context>
<context>
    <name>heed::ui::MaskLegend</name>
    <message>
        <source>kept</source>
        <translation>保留</translation>
    </message>
</context>
<context>
    <name>heed::ui::MaskPicture</name>
    <message>
        <source>No mask</source>
        <translation>无掩码</translation>
    </message>
    <message>
        <source>Mask picture: every key is kept</source>
        <translation>掩码图：保留所有键</translation>
    </message>
    <message>
        <source>Mask picture: keys are masked by %1</source>
        <translation>掩码图：键被以下原因掩码：%1</translation>
    </message>
    <message>
        <source>Filled cells are kept. Hatched cells are masked. Queries run down, keys across.</source>
        <translation>实心单元格保留，带斜线的单元格被掩码。查询自上而下，键从左到右。</translation>
    </message>
</context>
<context>
    <name>heed::ui::MaskSection</name>
    <message>
        <source>padded length</source>
        <translation>填充长度</translation>
    </message>
    <message>
        <source>mask expression</source>
        <translation>掩码表达式</translation>
    </message>
    <message>
        <source>Masks</source>
        <translation>掩码</translation>
    </message>
    <message>
        <source>Padding</source>
        <translation>填充</translation>
    </message>
    <message>
        <source>Causal</source>
        <translation>因果</translation>
    </message>
    <message>
        <source>Pad side</source>
        <translation>填充侧</translation>
    </message>
    <message>
        <source>Pad to</source>
        <translation>填充到</translation>
    </message>
    <message>
        <source>longest</source>
        <translation>最长</translation>
    </message>
    <message>
        <source>Length of the batch in tokens; “longest” adds no more than needed</source>
        <translation>批次的长度（词元数）；“最长”表示只填充到必要的长度</translation>
    </message>
    <message>
        <source>Expression, combined with AND</source>
        <translation>表达式（与上面取“与”）</translation>
    </message>
    <message>
        <source>Mask expression</source>
        <translation>掩码表达式</translation>
    </message>
    <message>
        <source>none, causal(offset=K), padding(side=…, lengths=[…]), window(W), window(left=A, right=B), documents([…]), prefix(P), file(&quot;m.npy&quot;, reads=&quot;keep&quot;); combined with &amp;, |, ~ and parentheses</source>
        <translation>none、causal(offset=K)、padding(side=…, lengths=[…])、window(W)、window(left=A, right=B)、documents([…])、prefix(P)、file(&quot;m.npy&quot;, reads=&quot;keep&quot;)；可用 &amp;、|、~ 和括号组合</translation>
    </message>
</context>
<context>
    <name>heed::ui::MemoryDialog</name>
    <message>
        <source>Memory budget</source>
        <translation>内存上限</translation>
    </message>
    <message>
        <source>Three quarters of the free memory, now %1</source>
        <translation>空闲内存的四分之三，目前为 %1</translation>
    </message>
    <message>
        <source>Three quarters of the free memory</source>
        <translation>空闲内存的四分之三</translation>
    </message>
    <message>
        <source>At most</source>
        <translation>最多</translation>
    </message>
    <message>
        <source>A computation that would take more is refused before it begins.</source>
        <translation>需要更多内存的计算在开始前就会被拒绝。</translation>
    </message>
</context>
<context>
    <name>heed::ui::MetricLegend</name>
    <message>
        <source>Palest %1, fullest %2</source>
        <translation>最浅 %1，最深 %2</translation>
    </message>
</context>
<context>
    <name>heed::ui::ModelSection</name>
    <message>
        <source>second text</source>
        <translation>第二段文本</translation>
    </message>
    <message>
        <source>where the mask acts</source>
        <translation>掩码作用范围</translation>
    </message>
    <message>
        <source>Family</source>
        <translation>系列</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层数</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>头</translation>
    </message>
    <message>
        <source>Longest text</source>
        <translation>最大长度</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>词表</translation>
    </message>
    <message>
        <source>Layers share weights</source>
        <translation>共享权重的层</translation>
    </message>
    <message>
        <source>groups</source>
        <translation>组</translation>
    </message>
    <message>
        <source>Layers with a window</source>
        <translation>带窗口的层</translation>
    </message>
    <message>
        <source>layer %1 only</source>
        <translation>仅第 %1 层</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Special tokens</source>
        <translation>特殊词元</translation>
    </message>
    <message>
        <source>Second text</source>
        <translation>第二段文本</translation>
    </message>
    <message>
        <source>none; makes a pair of the line that is shown</source>
        <translation>无；与所示行组成文本对</translation>
    </message>
    <message>
        <source>Your mask acts on</source>
        <translation>你的掩码作用于</translation>
    </message>
    <message>
        <source>every layer</source>
        <translation>所有层</translation>
    </message>
    <message>
        <source>Every layer: what the model would do. One layer: what comes into it stays as it is without your mask.</source>
        <translation>所有层：模型会怎样计算。单层：进入该层的数值保持不加你的掩码时的样子。</translation>
    </message>
    <message>
        <source>k/v %1</source>
        <comment>number of key/value heads</comment>
        <translation>键值 %1</translation>
    </message>
    <message>
        <source>Width d_model</source>
        <translation>宽度 d_model</translation>
    </message>
    <message>
        <source>target text</source>
        <translation>目标文本</translation>
    </message>
    <message>
        <source>attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>decoder %1</source>
        <translation>解码器 %1</translation>
    </message>
    <message>
        <source>Target text</source>
        <translation>目标文本</translation>
    </message>
    <message>
        <source>none; the decoder has its start token</source>
        <translation>无；解码器只有起始词元</translation>
    </message>
    <message>
        <source>What the decoder is given for the line that is shown. It predicts what comes next.</source>
        <translation>为所示行提供给解码器的文本。解码器预测其后的词元。</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>source to source</source>
        <translation>源到源</translation>
    </message>
    <message>
        <source>target to target</source>
        <translation>目标到目标</translation>
    </message>
    <message>
        <source>target to source</source>
        <translation>目标到源</translation>
    </message>
</context>
<context>
    <name>heed::ui::Panels</name>
    <message>
        <source>Input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Panels</source>
        <translation>面板</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>开销</translation>
    </message>
</context>
<context>
    <name>heed::ui::PaperView</name>
    <message>
        <source>%1 × %2 mm, shown at %3 %</source>
        <translation>%1 × %2 毫米，显示比例 %3 %</translation>
    </message>
    <message>
        <source>Preview of the figure</source>
        <translation>图的预览</translation>
    </message>
    <message>
        <source>%1 × %2 mm</source>
        <translation>%1 × %2 毫米</translation>
    </message>
</context>
<context>
    <name>heed::ui::PredictionSection</name>
    <message>
        <source>Expected next</source>
        <translation>预测的下一个词元</translation>
    </message>
    <message>
        <source>Expected in this place</source>
        <translation>此处预测的词元</translation>
    </message>
    <message>
        <source>Pin a cell to see what is expected at its query, or type [MASK] for a word.</source>
        <translation>固定一个单元格可查看其查询处的预测，或在文本中用 [MASK] 代替一个词。</translation>
    </message>
    <message>
        <source>after token %1 “%2”</source>
        <translation>在词元 %1“%2”之后</translation>
    </message>
    <message>
        <source>at token %1 “%2”</source>
        <translation>在词元 %1“%2”处</translation>
    </message>
    <message>
        <source>there is “%1”, rank %2, %3</source>
        <translation>实际为“%1”，第 %2 位，%3</translation>
    </message>
</context>
<context>
    <name>heed::ui::ProfileView</name>
    <message>
        <source>Row profile</source>
        <translation>行分布</translation>
    </message>
    <message>
        <source>No row selected</source>
        <translation>未选择行</translation>
    </message>
    <message>
        <source>Row %1 &apos;%2&apos;, %3 keys</source>
        <translation>第 %1 行“%2”，%3 个键</translation>
    </message>
    <message>
        <source>Computing…</source>
        <translation>正在计算…</translation>
    </message>
    <message>
        <source>Point at a cell of the map to see its row.</source>
        <translation>把指针移到图中的单元格上即可查看所在的行。</translation>
    </message>
</context>
<context>
    <name>heed::ui::Recovery</name>
    <message>
        <source>The folder %1 cannot be made.</source>
        <translation>无法创建文件夹 %1。</translation>
    </message>
</context>
<context>
    <name>heed::ui::SignedBars</name>
    <message>
        <source>Contribution of each dimension</source>
        <translation>每个维度的贡献</translation>
    </message>
    <message>
        <source>%1 dimensions, sum %2</source>
        <translation>%1 个维度，总和 %2</translation>
    </message>
    <message>
        <source>dimension %1: %2</source>
        <translation>维度 %1：%2</translation>
    </message>
</context>
<context>
    <name>heed::ui::SourceController</name>
    <message>
        <source>padding mask on</source>
        <translation>打开填充掩码</translation>
    </message>
    <message>
        <source>padding mask off</source>
        <translation>关闭填充掩码</translation>
    </message>
    <message>
        <source>causal mask on</source>
        <translation>打开因果掩码</translation>
    </message>
    <message>
        <source>causal mask off</source>
        <translation>关闭因果掩码</translation>
    </message>
    <message>
        <source>pad side</source>
        <translation>填充侧</translation>
    </message>
    <message>
        <source>remove all masks</source>
        <translation>移除所有掩码</translation>
    </message>
    <message>
        <source>scale</source>
        <translation>缩放</translation>
    </message>
    <message>
        <source>bias</source>
        <translation>偏置</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>special tokens</source>
        <translation>特殊词元</translation>
    </message>
    <message>
        <source>sandbox</source>
        <translation>沙盒</translation>
    </message>
</context>
<context>
    <name>heed::ui::SourceSection</name>
    <message>
        <source>model width</source>
        <translation>模型宽度</translation>
    </message>
    <message>
        <source>number of heads</source>
        <translation>头数</translation>
    </message>
    <message>
        <source>number of key/value heads</source>
        <translation>键/值头数</translation>
    </message>
    <message>
        <source>positions</source>
        <translation>位置编码</translation>
    </message>
    <message>
        <source>tokenizer</source>
        <translation>分词方式</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Model width d_model</source>
        <translation>模型宽度 d_model</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>头</translation>
    </message>
    <message>
        <source>Key/value heads</source>
        <translation>键/值头数</translation>
    </message>
    <message>
        <source>as heads</source>
        <translation>与头数相同</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Positions</source>
        <translation>位置编码</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>sinusoidal</source>
        <translation>正弦</translation>
    </message>
    <message>
        <source>rotary</source>
        <translation>旋转</translation>
    </message>
    <message>
        <source>Tokens are</source>
        <translation>词元为</translation>
    </message>
    <message>
        <source>words</source>
        <translation>词</translation>
    </message>
    <message>
        <source>characters</source>
        <translation>字符</translation>
    </message>
    <message>
        <source>Scale by 1/√d_k</source>
        <translation>按 1/√d_k 缩放</translation>
    </message>
    <message>
        <source>Bias</source>
        <translation>偏置</translation>
    </message>
    <message>
        <source>Fewer key/value heads than heads: grouped queries. Several heads share keys.</source>
        <translation>键/值头数少于头数即为分组查询：多个头共用同一组键。</translation>
    </message>
    <message>
        <source>From %1, which decides the greyed fields</source>
        <translation>来自 %1；灰色的字段由该文件决定</translation>
    </message>
</context>
<context>
    <name>heed::ui::StartPage</name>
    <message>
        <source>Heedmap</source>
        <translation>Heedmap</translation>
    </message>
    <message>
        <source>See what attention does: type a sentence, switch masks and heads, follow every number.</source>
        <translation>看清注意力在做什么：输入一句话，切换掩码和头，追踪每一个数字。</translation>
    </message>
    <message>
        <source>Worked example</source>
        <translation>示例</translation>
    </message>
    <message>
        <source>Six tokens, two heads, real numbers</source>
        <translation>六个词元、两个头，数字都是真实计算的</translation>
    </message>
    <message>
        <source>Type a sentence</source>
        <translation>输入一句话</translation>
    </message>
    <message>
        <source>Each line of the text is one item of the batch</source>
        <translation>每行文本是批次中的一个条目</translation>
    </message>
    <message>
        <source>Open a file…</source>
        <translation>打开文件…</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>最近使用</translation>
    </message>
    <message>
        <source>%1 finds every command</source>
        <translation>按 %1 可查找所有命令</translation>
    </message>
    <message>
        <source>Start page</source>
        <translation>起始页</translation>
    </message>
    <message>
        <source>Session, model, arrays (.npy, .npz, .safetensors, .json, .csv) or text</source>
        <translation>会话、模型、数组（.npy、.npz、.safetensors、.json、.csv）或文本</translation>
    </message>
    <message>
        <source>Models on this machine</source>
        <translation>本机上的模型</translation>
    </message>
    <message>
        <source>Drop a file or the folder of a model here</source>
        <translation>将文件或模型文件夹拖到此处</translation>
    </message>
</context>
<context>
    <name>heed::ui::StatusStrip</name>
    <message>
        <source>Memory of this program; tiles kept: %1</source>
        <translation>本程序占用的内存；缓存的图块：%1</translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) waiting</source>
        <translation>
            <numerusform>%n 个请求在等待</numerusform>
        </translation>
    </message>
    <message>
        <source>Computing</source>
        <translation>正在计算</translation>
    </message>
    <message>
        <source>q, k, v %1 · this map %2 · paint %3</source>
        <translation>q、k、v %1 · 当前图 %2 · 绘制 %3</translation>
    </message>
    <message>
        <source>reading %1 · this map %2 · paint %3</source>
        <translation>读取 %1 · 当前图 %2 · 绘制 %3</translation>
    </message>
</context>
<context>
    <name>heed::ui::TablePanel</name>
    <message>
        <source>Attention map as a table</source>
        <translation>注意力图表格</translation>
    </message>
</context>
<context>
    <name>heed::ui::TokenModel</name>
    <message>
        <source>Padding: fills the line up to the length of the batch</source>
        <translation>填充：把该行补齐到批次长度</translation>
    </message>
    <message>
        <source>Token %1: “%2”</source>
        <translation>词元 %1：“%2”</translation>
    </message>
    <message>
        <source>#</source>
        <comment>position of a token</comment>
        <translation>#</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>Identity</source>
        <translation>标识</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>字节</translation>
    </message>
</context>
<context>
    <name>heed::ui::TokensPanel</name>
    <message numerus="yes">
        <source>%n token(s)</source>
        <translation>
            <numerusform>%n 个词元</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n match(es)</source>
        <translation>
            <numerusform>%n 处匹配</numerusform>
        </translation>
    </message>
    <message>
        <source>Find token</source>
        <translation>查找词元</translation>
    </message>
    <message>
        <source>Tokens of the line</source>
        <translation>该行的词元</translation>
    </message>
</context>
<context>
    <name>heed::ui::Views</name>
    <message>
        <source>exactly 0</source>
        <translation>恰好为 0</translation>
    </message>
    <message>
        <source>not a number</source>
        <translation>非数字</translation>
    </message>
    <message>
        <source>one label every %1 tokens</source>
        <translation>每 %1 个词元标注一个</translation>
    </message>
    <message>
        <source>padding</source>
        <translation>填充</translation>
    </message>
    <message>
        <source>causal</source>
        <translation>因果</translation>
    </message>
    <message>
        <source>window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>documents</source>
        <translation>文档</translation>
    </message>
    <message>
        <source>prefix</source>
        <translation>前缀</translation>
    </message>
    <message>
        <source>mask file</source>
        <translation>掩码文件</translation>
    </message>
    <message>
        <source>other rule</source>
        <translation>其他规则</translation>
    </message>
    <message>
        <source>max</source>
        <translation>最大值</translation>
    </message>
    <message>
        <source>absmax</source>
        <translation>绝对值最大</translation>
    </message>
    <message>
        <source>mass</source>
        <translation>求和</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>平均值</translation>
    </message>
    <message>
        <source>scores</source>
        <translation>分数</translation>
    </message>
    <message>
        <source>scaled scores</source>
        <translation>缩放后的分数</translation>
    </message>
    <message>
        <source>masked scores</source>
        <translation>掩码后的分数</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>score</source>
        <translation>分数</translation>
    </message>
    <message>
        <source>scaled score</source>
        <translation>缩放后的分数</translation>
    </message>
    <message>
        <source>masked score</source>
        <translation>掩码后的分数</translation>
    </message>
    <message>
        <source>weight</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Layer %1 · Head %2</source>
        <translation>第 %1 层 · 第 %2 头</translation>
    </message>
    <message>
        <source>%1 · Item %2</source>
        <translation>%1 · 条目 %2</translation>
    </message>
    <message>
        <source>%1, query ↓ attends to key →</source>
        <translation>%1，查询 ↓ 关注键 →</translation>
    </message>
    <message>
        <source>%1, query ↓ against key →</source>
        <translation>%1，查询 ↓ 对键 →</translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>exact · %1</source>
        <translation>精确 · %1</translation>
    </message>
    <message>
        <source>%1×%1 %2 · %3</source>
        <translation>%1×%1 %2 · %3</translation>
    </message>
    <message>
        <source>%1 (linear, 0–1 locked)</source>
        <translation>%1（线性，锁定 0–1）</translation>
    </message>
    <message>
        <source>%1 (linear, this map)</source>
        <translation>%1（线性，当前图）</translation>
    </message>
    <message>
        <source>%1 (linear, all heads)</source>
        <translation>%1（线性，所有头）</translation>
    </message>
    <message>
        <source>%1 (linear, typed range)</source>
        <translation>%1（线性，手动范围）</translation>
    </message>
    <message>
        <source>masked</source>
        <translation>被掩码</translation>
    </message>
    <message>
        <source>masked: %1</source>
        <translation>被掩码：%1</translation>
    </message>
    <message>
        <source>row %1 &apos;%2&apos; → key %3 &apos;%4&apos;</source>
        <translation>第 %1 行“%2”→ 键 %3“%4”</translation>
    </message>
    <message>
        <source>%1: being computed</source>
        <translation>%1：正在计算</translation>
    </message>
    <message>
        <source>%1: %2 (key %3 is %4)</source>
        <translation>%1：%2（键 %3 是 %4）</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1: %2, will be %3</source>
        <translation>%1：%2，之后将%3</translation>
    </message>
    <message>
        <source>Head %1</source>
        <translation>头 %1</translation>
    </message>
    <message>
        <source>query ↓ key →</source>
        <translation>查询 ↓ 键 →</translation>
    </message>
    <message>
        <source>draft, 1 of %1 query rows; %2 % exact</source>
        <translation>草图，每 %1 个查询行取 1 行；已精确 %2 %</translation>
    </message>
    <message numerus="yes">
        <source>%1, %n thread(s)</source>
        <translation>
            <numerusform>%1，%n 个线程</numerusform>
        </translation>
    </message>
    <message>
        <source>Decoder self-attention</source>
        <translation>解码器自注意力</translation>
    </message>
    <message>
        <source>Cross-attention</source>
        <translation>交叉注意力</translation>
    </message>
    <message>
        <source>Encoder self-attention</source>
        <translation>编码器自注意力</translation>
    </message>
    <message>
        <source>%1, target ↓ attends to source →</source>
        <translation>%1，目标 ↓ 关注源 →</translation>
    </message>
    <message>
        <source>%1, target ↓ against source →</source>
        <translation>%1，目标 ↓ 对源 →</translation>
    </message>
    <message>
        <source>target ↓ source →</source>
        <translation>目标 ↓ 源 →</translation>
    </message>
    <message>
        <source>heads %1–%2 share keys and values</source>
        <translation>头 %1–%2 共用键和值</translation>
    </message>
    <message>
        <source>layers %1–%2 share weights</source>
        <translation>第 %1–%2 层共用权重</translation>
    </message>
    <message>
        <source>window: the last %1 tokens</source>
        <translation>窗口：最近 %1 个词元</translation>
    </message>
    <message>
        <source>window: %1 tokens to each side</source>
        <translation>窗口：两侧各 %1 个词元</translation>
    </message>
</context>
</TS>
