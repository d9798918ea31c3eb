"""A lexer of CEL for Pygments, so that the site colours selectors: ```cel."""

from __future__ import annotations

from pygments.lexer import RegexLexer, words
from pygments.lexers._mapping import LEXERS
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

__all__ = ["CelLexer", "register"]

_MACROS = ("all", "exists", "exists_one", "filter", "has", "map", "bind", "optMap", "orValue")


class CelLexer(RegexLexer):
    """Words, texts, numbers and operators of the Common Expression Language."""

    name = "CEL"
    aliases = ("cel",)
    filenames = ("*.cel",)
    tokens = {  # noqa: RUF012 - as Pygments declares it
        "root": [
            (r"\s+", Text),
            (r"//[^\n]*", Comment.Single),
            (r"[rRbB]{0,2}(\"\"\"|''')(?s:.*?)\1", String),
            (r"[rRbB]{0,2}\"(\\.|[^\"\\\n])*\"", String.Double),
            (r"[rRbB]{0,2}'(\\.|[^'\\\n])*'", String.Single),
            (words(("true", "false", "null"), suffix=r"\b"), Keyword.Constant),
            (r"in\b", Operator.Word),
            (words(_MACROS, suffix=r"(?=\()"), Keyword),
            (r"[a-zA-Z_]\w*(?=\()", Name.Function),
            (r"device\b", Name.Builtin),
            (r"[a-zA-Z_]\w*", Name),
            (r"0[xX][0-9a-fA-F]+u?|\d+\.\d+([eE][+-]?\d+)?|\d+u?", Number),
            (r"[!=<>]=|&&|\|\||[-+*/%<>!?:]", Operator),
            (r"[()\[\]{}.,]", Punctuation),
        ]
    }


def register() -> None:
    """Make Pygments know it by its name."""
    LEXERS["CelLexer"] = (__name__, "CEL", CelLexer.aliases, CelLexer.filenames, ())
