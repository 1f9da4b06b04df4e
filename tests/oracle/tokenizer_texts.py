# The texts that make_tokenizer_goldens.py trains on and encodes.
# SPDX-License-Identifier: GPL-3.0-or-later
import random
import subprocess

CORPUS = """
The animal didn't cross the street because it was too tired. It's what they've said: we'll see, I'm sure.
In the beginning was the word, and the word was with the reader; the reader isn't always right, they'd say.
Attention is all you need, or so the title says. Multi-head attention projects queries, keys and values.
She had 42 apples, 7 pears and 1,024 grapes in 2023; he had 333+777=1110 and 3.14159 of everything else.
Unbelievably, the tokenization of untokenizable words isn't unthinkable: re-tokenize, de-tokenize, tokenizer!
def forward(self, x):\n    return self.w_o(self.attend(x, mask=None))  # a comment\n\tif not x: pass\n
Der Führer des Zuges fuhr über die Brücke nach Köln, wo Grüße und Straßen groß geschrieben werden.
Le garçon a mangé du pâté à l'hôtel près de la forêt ; c'est très agréable, n'est-ce pas ?
El niño comió piñatas y jalapeños mañana por la mañana, ¿verdad? ¡Claro que sí!
Việt Nam là một quốc gia nằm ở phía đông bán đảo Đông Dương. Cửa Việt.
Мы любим яблоки и груши. Привет, мир! Это токенизатор для текста на русском языке.
我喜欢吃苹果。你好，世界！注意力机制就是你所需要的一切。我们今天去北京大学。
私はリンゴが好きです。東京タワーに行きました。カタカナとひらがな。
나는 사과를 좋아한다. 안녕하세요 세계! 토큰화는 재미있다.
أنا أحب التفاح. مرحبا بالعالم! मुझे सेब पसंद है। नमस्ते दुनिया। ฉันชอบกินแอปเปิล
Filipović and Čapek met Ångström at the café: naïve, façade, résumé, coöperate.
This is 🦙.cpp and 👩‍👩‍👧‍👦 with 🇩🇪 flags, 👍🏽 thumbs; ½ ¼ Ⅵ 〇 ﬁ ﬂ ① ™ … — “quoted” ‘single’ „low“.
""".strip().split("\n")

# Strings on which tokenizers were found to differ in public, and strings of control characters,
# spaces and special tokens that tend to do so.
NASTY = [
    "", " ", "  ", "   ", "\t", "\n", "\r\n", "\n\n", "\n\n\n", "\t\t", "\t\n", " \n ", "\x00", "a\x00b",
    "This is 🦙.cpp", " this is 🦙.cpp", "= Robert Boulter =\n\n endoftext 2003 1999", "3333+777", "1234567",
    " Việt", "Cửa Việt", "Führer", "Filipović", "Berlin", "BERLIN berlin", "<s>G", "<s> G",
    "<text><special> text", "<pad>text<eos>", "<|from|>system", "a </s> b", ".??????", "!!!!!!", "...",
    "Café", "Cafe\u0301", "\u00e9e\u0301\u0323x", "<|user|>\n你好<|assistant|>", "<mask>", "<mask> ", " <mask>",
    "a<mask>", "<mask>a", "a <mask> b", "one <mask>", "<mask><mask>", "<REPR_END>inform<s>. Hey.       .",
    "\x1f-a", "¼-a", "a 〇b", "Ⅵ-a", "\ufeff//", "<s>a", "<unk><|endoftext|><s>", "a\na", "\"`", " \u2e4e",
    "\n\x0b  ", "a\xa0\xa0\x00b", "\xa0aC", "\u2029 \ua3e4", "å", "\uac51\u7522", "<s> <s> <unk><s>a<s>b",
    "[CLS] hello [SEP]", "[MASK]", "x[MASK]y", "[mask]", "[UNK][PAD]", "hello [MASK].", "</s></s>",
    "I'm you're he'd we've it's they'll don't 'S 'T 'RE 'ſ", "it''s ' s '", "a\u200bb\u200cc\u200dd",
    "İstanbul ISTANBUL ıI", "ΑΣ ΣΑΣ ς", "ẞß", "ﬁﬂ①Ⅳ™½", "𝔾𝕠𝕠𝕕 𝕞𝕠𝕣𝕟𝕚𝕟𝕘", "가각힣 \u1100\u1161\u11a8", "\u0344\u0958",
    "\u0301abc", "a\u0327\u0301\u0323", "각\u11a8", "e\u0301\u0301\u0301", "\u3000a\u3000b", "a\u2028b\u2029c\u0085d",
    "你好world你好", "\U00020000a\U0002b820b\U0002b920c\uf900", "ひらがなカタカナ漢字", "한국어 조선말", "ไทยแลนด์",
    "x" * 101, "ab" * 60, "  leading", "trailing  ", "  both  ", "a  b   c    d", "▁a▁▁b ▁", "Ġa Ġ Ċ", "<0x41><0x0A>",
    "a\u0300\u0301 \u0300", "\u180e\u00ad\u2060", "\ue000\U000f0000", "\ufffd\ufffe", "😀😃👩‍👩‍👧‍👦🇩🇪🇫🇷👍🏽", "©®™", "\x7f\x80\x9f",
    "def f(x):\n    return x\n\n\n\treturn", "http://example.org/a?b=c&d=e#f", "1,000.00$ 50% #tag @user C++",
    "\t\ta \t b", "\r\r\n\n a\r\nb", "don't-stop_now", "ALLCAPS MixedCase camelCase", "''double'' ``ticks``",
    "   \t\u00a0\u2003 \u3000", "a.", ".a", "a.b.c", "[", "]", "[[CLS]]", "<", "<<s>>", "##ing", "un##happy",
] + [" " * n + "x" for n in range(2, 11)] + ["a" + "\n" * n + "b" for n in range(1, 5)]


def assigned():
    """The code points assigned before Unicode 13: later ones differ between tables of the package."""
    script = ('for (0..0x10FFFF) { next if $_ >= 0xD800 && $_ < 0xE000; $c = chr;'
              ' print "$_\\n" if $c =~ /\\p{Present_In: 12.1}/ && $c !~ /\\p{Cn}/ }')
    return [int(line) for line in subprocess.run(["perl", "-e", script], check=True, text=True,
                                                 capture_output=True).stdout.split()]


def texts(known, count):
    """NASTY, then `count` seeded random texts of the code points `known`."""
    rng = random.Random(4)
    words = sorted({word for line in CORPUS for word in line.split()})
    special = ["<s>", "</s>", "<mask>", "[MASK]", "[CLS]", "<|endoftext|>", "<unk>", "<|user|>", "extra", "<0x41>"]
    spaces = [" ", "  ", "   ", "\n", "\t", "\r\n", "\u00a0", "\u3000", "\u2003", ""]
    marks = list(".,;:!?'\"-_()[]{}<>/\\|@#$%^&*+=~`") + ["'s", "'ll", "…", "—", "。", "▁", "Ġ"]
    common = [c for c in known if c < 0x3100]

    def piece():
        kind = rng.random()
        if kind < 0.35:
            return rng.choice(words)
        if kind < 0.45:
            return rng.choice(marks)
        if kind < 0.55:
            return "".join(rng.choice("0123456789") for _ in range(rng.randint(1, 5)))
        if kind < 0.63:
            return rng.choice(special)
        if kind < 0.85:
            return "".join(chr(rng.choice(common)) for _ in range(rng.randint(1, 3)))
        if kind < 0.93:
            return "".join(chr(rng.choice(known)) for _ in range(rng.randint(1, 2)))
        return "".join(chr(rng.randint(0x20, 0x7E)) for _ in range(rng.randint(1, 6)))

    result = list(NASTY)
    for _ in range(count):
        result.append("".join(piece() + rng.choice(spaces) for _ in range(rng.randint(1, 5))))
    return result
