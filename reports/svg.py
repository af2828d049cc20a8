"""From matplotlib's SVG to one that fits into the page: classes for colours, unique ids, nothing that leaks out.

Charts draw with the light colour of a role; here every colour becomes a class (`f-est`, `s-out`), so that one SVG
serves light, dark and print. A colour that is no role is an error, which keeps stray defaults out.
"""

import io
import re
import warnings
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROLES = {
    "ink": "#1f1d1a",
    "muted": "#5f5b54",
    "hair": "#dcd7cc",
    "est": "#1f5c99",
    "out": "#b3301b",
    "goal": "#e2efe5",
    "edge": "#4c8863",
    "base": "#77736b",
    "minus": "#8c5a14",
    "paper": "#fdfcf9",
}
"""Role -> its colour on light paper; one meaning each."""

_ROLE_OF = {colour: role for role, colour in ROLES.items()}
_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}
_DEFAULTS = {
    "stroke-width": "1",
    "stroke-linecap": "butt",
    "stroke-linejoin": "round",
    "opacity": "1",
    "stroke-opacity": "1",
    "text-anchor": "start",
}
_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")


def save(figure: "Figure", slug: str) -> str:
    """Write a figure as matplotlib writes it, ids salted by `slug`."""
    import matplotlib as mpl

    mpl.rcParams["svg.hashsalt"] = slug
    text = io.StringIO()
    with warnings.catch_warnings():
        # Names in scripts that the measuring font lacks are measured roughly; the reader's font shows them.
        warnings.filterwarnings("ignore", message=r"Glyph .* missing from font")
        figure.savefig(text, format="svg", metadata=_METADATA)
    return text.getvalue()


def fit(raw: str, slug: str, title: str, description: str, css_class: str = "chart") -> str:
    """Make matplotlib's SVG fit into the page.

    Parameters
    ----------
    raw : str
        What matplotlib wrote.
    slug : str
        Unique on the page; begins every id.
    title, description : str
        Short name, and the finding in words.
    css_class : str
        Class of the `<svg>`.

    Returns
    -------
    str
        One `<svg>` element.

    Raises
    ------
    ValueError
        If a colour is no role.
    """
    source = ET.fromstring(raw)
    for element in source.iter():
        element.tag = element.tag.rpartition("}")[2]
        if "{http://www.w3.org/1999/xlink}href" in element.attrib:
            element.set("href", element.attrib.pop("{http://www.w3.org/1999/xlink}href"))
    root = ET.Element(
        "svg",
        {
            "class": css_class,
            "viewBox": _short(source.get("viewBox", "")),
            "role": "img",
            "aria-labelledby": f"{slug}-t",
            "aria-describedby": f"{slug}-d",
        },
    )
    ET.SubElement(root, "title", id=f"{slug}-t").text = title
    ET.SubElement(root, "desc", id=f"{slug}-d").text = description
    marks = ET.SubElement(root, "defs")
    names: dict[str, str] = {}
    shapes: list[ET.Element] = []
    _collect(source, {}, shapes, marks, names, slug)
    used = {shape.get("href") for shape in shapes}
    for mark in list(marks):
        if f"#{mark.get('id')}" not in used:
            marks.remove(mark)
    if not len(marks):
        root.remove(marks)
    root.extend(shapes)
    return ET.tostring(root, encoding="unicode", short_empty_elements=True)


def _collect(
    element: ET.Element,
    inherited: dict[str, str],
    shapes: list[ET.Element],
    marks: ET.Element,
    names: dict[str, str],
    slug: str,
) -> None:
    """Walk the tree in drawing order; groups dissolve, since nothing refers to them."""
    for child in element:
        if child.tag == "metadata":
            continue
        if child.tag == "defs":
            for mark in child.findall("path"):
                names[f"#{mark.get('id')}"] = new = f"{slug}-{len(names) + 1}"
                ET.SubElement(marks, "path", id=new, d=_path(mark.get("d", "")))
        elif child.tag == "g":
            _collect(child, {**inherited, **_style(child)}, shapes, marks, names, slug)
        elif child.tag in ("path", "use", "text"):
            shapes.append(_shape(child, {**inherited, **_style(child)}, names))
        else:
            raise ValueError(f"an SVG element that no chart should draw: {child.tag}")


def _style(element: ET.Element) -> dict[str, str]:
    pairs = (part.split(":", 1) for part in element.get("style", "").split(";") if ":" in part)
    style = {key.strip(): value.strip() for key, value in pairs}
    font = re.match(r"(?:(\d+|bold) )?([\d.]+)px", style.pop("font", ""))
    if font:
        style.update({"font-size": font[2], **({"font-weight": font[1]} if font[1] else {})})
    return style


def _shape(source: ET.Element, style: dict[str, str], names: dict[str, str]) -> ET.Element:
    """Write one shape with attributes and role classes instead of a style."""
    shape = ET.Element(source.tag)
    classes = []
    for letter, key in (("f", "fill"), ("s", "stroke")):
        colour = style.pop(key, "none" if key == "stroke" else "#000000")
        if colour != "none":
            classes.append(f"{letter}-{_role(colour)}")
        elif key == "fill":
            shape.set("fill", "none")
    if "stroke-width" in style and not any(c.startswith("s-") for c in classes):
        del style["stroke-width"]
    for key in (
        "stroke-width",
        "stroke-dasharray",
        "stroke-linecap",
        "stroke-linejoin",
        "opacity",
        "stroke-opacity",
        "text-anchor",
    ):
        value = _short(style.get(key, ""))
        if value and value not in ("none", _DEFAULTS.get(key)):
            shape.set(key, value)
    if source.tag == "text":
        if style.get("font-weight") in ("700", "bold", "600"):
            shape.set("font-weight", "600")
        shape.set("font-size", _short(style.get("font-size", "").removesuffix("px")))
        shape.text = source.text
    if source.tag == "path":
        shape.set("d", _path(source.get("d", "")))
    if source.tag == "use":
        shape.set("href", f"#{names[source.get('href', '')]}")
    for key in ("x", "y", "transform"):
        value = _short(source.get(key, ""))
        if value and not value.startswith("rotate(-0 ") and not value.startswith("rotate(0 "):
            shape.set(key, value)
    shape.set("class", " ".join(classes))
    return shape


def _role(colour: str) -> str:
    try:
        return _ROLE_OF[colour]
    except KeyError:
        raise ValueError(f"{colour} is the colour of no role: {', '.join(ROLES)}") from None


def _short(text: str) -> str:
    """Cut numbers to two decimals."""

    def cut(match: re.Match[str]) -> str:
        number = f"{float(match[0]):.2f}".rstrip("0").rstrip(".")
        return "0" if number == "-0" else number

    return _NUMBER.sub(cut, text)


def _path(d: str) -> str:
    return " ".join(_short(d).split()).replace(" z", "z")
