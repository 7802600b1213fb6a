"""HTML and SVG written so that nothing from outside can be taken for a tag: what is not Markup is escaped."""

from collections.abc import Iterable
from html import escape

VOID = frozenset({"br", "img", "meta", "input"})  # elements of HTML that have no end


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Content = str | None  # Markup is taken as it is, other text is escaped, None is nothing


def plain(text: str) -> str:
    """Give text for a person: signs that cannot be shown, or that turn the order of others, are made visible.

    >>> plain(f"a{chr(0)}b{chr(0x202E)}c")
    'a�b�c'
    """
    if text.isprintable():  # as a clip of millions of letters is
        return text
    return "".join(sign if sign.isprintable() or sign == "\n" else "�" for sign in text)


def safe(content: Content) -> Markup:
    """Give content as HTML.

    >>> safe("<b>"), safe(Markup("<b>"))
    ('&lt;b&gt;', '<b>')
    """
    if content is None:
        return Markup()
    return content if isinstance(content, Markup) else Markup(escape(plain(content), quote=True))


def join(parts: Iterable[Content], between: Content = None) -> Markup:
    return Markup(safe(between).join(safe(part) for part in parts))


def tag(name: str, /, *content: Content, **attributes: str | float | bool | None) -> Markup:
    """Give an element. `class_` is the attribute class, `aria_label` is aria-label; None and False are left out.

    >>> tag("a", "5 < 6", href="#r1", class_="round"), tag("br"), tag("details", open=True)
    ('<a href="#r1" class="round">5 &lt; 6</a>', '<br>', '<details open></details>')
    """
    written = ""
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        label = key.rstrip("_").replace("_", "-")
        written += f" {label}" if value is True else f' {label}="{safe(str(value))}"'
    if name in VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{join(content)}</{name}>")
