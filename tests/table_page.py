"""docs/table-file.md and the JSON Schema of table.toml: both made from the structs that read the file."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import inspect

from feltwatch.edge.config.table_file import TableDocument
from feltwatch.engine.books import BOOKS
from feltwatch.engine.books.settings import ALLOWED, WHY

HEAD = """# The table's file

For installers: all parts and keys of `table.toml`, what they hold, and their defaults. `feltwatch calibrate` writes it
([calibrate](calibrate.md)), [install](install.md) shows what to add, and `feltwatch doctor -c table.toml` checks it.
feltwatch refuses a key that is not listed here, and names the nearest one. `python -m tests.pages` generates this page
from the code.

Relative paths start at the file's own folder. Coordinates on the felt are millimetres: (0, 0) is the middle of the
dealer's edge, x runs to the dealer's right, y towards the Players.

## In an editor

The package ships a JSON Schema, `edge/schemas/table.schema.json`. With it, editors that use Taplo (VS Code with the
extension Even Better TOML) complete keys, show these descriptions and mark mistakes. Name it in the first line:

    #:schema /opt/feltwatch/lib/python3.11/site-packages/feltwatch/edge/schemas/table.schema.json

`python -c "from importlib.resources import files; print(files('feltwatch.edge') / 'schemas/table.schema.json')"` prints
where it is installed.
"""
SETTINGS = """
### `[table.settings]`

Where the text of a book can be read in two ways, or leaves a choice to the house, a setting decides for this table:

    [table.settings]
    dealer_soft17 = "hit"
    boxes = 7

Unless the file sets `boxes`, the layout does. [settings.md](settings.md) has the same list with each book's default.

| setting | values | decides |
| --- | --- | --- |
"""
PARTS = {
    "table": "[table]",
    "camera": "[camera]",
    "cameras": "[[cameras]]",
    "layout": "[layout]",
    "mqtt": "[mqtt]",
    "record": "[record]",
    "serve": "[serve]",
    "vision": "[vision]",
}


def page() -> str:
    """Give the reference page."""
    document = _fields(inspect.type_info(TableDocument))
    lines = [HEAD]
    for name, title in PARTS.items():
        part = document[name]
        needed = "Required." if part.required else "Either this or the other." if "camera" in name else "Optional."
        lines += [f"## `{title}`", "", f"{_described(part)} {needed}", ""]
        shared = _fields(_struct(document["camera"].type)) if name == "cameras" else {}
        own = [one for key, one in _fields(_struct(part.type)).items() if key not in shared]
        lines += [*_rows(own), ""]
        if shared:
            lines += ["All keys of `[camera]` too; its points are `[[cameras.points]]`.", ""]
        for one in own:
            lines += _inner(name, one)
        if name == "table":
            lines += [SETTINGS.strip("\n"), *(_setting(one) for one in WHY), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _inner(part: str, field: inspect.Field) -> Iterator[str]:
    """Give the section of a list of structs, such as the points of a camera."""
    kind = _plain(field.type)
    if isinstance(kind, inspect.ListType) and isinstance(_plain(kind.item_type), inspect.StructType):
        yield from (f"### `[[{part}.{field.encode_name}]]`", "", *_rows(_fields(_struct(kind)).values()), "")


def _rows(fields: Iterable[inspect.Field]) -> list[str]:
    lines = ["| key | holds | default | meaning |", "| --- | --- | --- | --- |"]
    return lines + [
        f"| `{one.encode_name}` | {_expected(one)} | {_default(one)} | {_described(one)} |" for one in fields
    ]


def _setting(name: str) -> str:
    allowed = ALLOWED[name]
    values = allowed if isinstance(allowed, str) else ", ".join(f"`{one}`" for one in allowed)
    return f"| `{name}` | {values} | {WHY[name][1]} |"


def _default(field: inspect.Field) -> str:
    if field.required:
        return "required"
    found = field.default if field.default is not msgspec.NODEFAULT else None
    if found is None or found == "" or isinstance(found, msgspec.Struct):
        return "-"
    shown = list(found) if isinstance(found, tuple) else found
    return f"`{json.dumps(shown)}`"


def _described(field: inspect.Field) -> str:
    assert isinstance(field.type, inspect.Metadata), field.name
    return str((field.type.extra_json_schema or {})["description"])


def _expected(field: inspect.Field) -> str:
    assert isinstance(field.type, inspect.Metadata), field.name
    return str((field.type.extra or {})["expected"]).partition(";")[0]


def _plain(kind: inspect.Type) -> inspect.Type:
    while isinstance(kind, inspect.Metadata | inspect.UnionType):
        kind = kind.type if isinstance(kind, inspect.Metadata) else kind.types[0]
    return kind


def _struct(kind: inspect.Type) -> inspect.Type:
    kind = _plain(kind)
    return _plain(kind.item_type) if isinstance(kind, inspect.ListType) else kind


def _fields(kind: inspect.Type) -> dict[str, inspect.Field]:
    assert isinstance(kind, inspect.StructType)
    return {one.encode_name: one for one in kind.fields}


# ---- the schema -----------------------------------------------------------------------------------------------------


def schema() -> str:
    """Give the JSON Schema that editors use."""
    _, parts = msgspec.json.schema_components([TableDocument], schema_hook=_path, ref_template="#/$defs/{name}")
    document = parts.pop("TableDocument")
    document["oneOf"] = [{"required": ["camera"]}, {"required": ["cameras"]}]
    parts["LayoutSection"]["oneOf"] = [{"required": ["preset"]}, {"required": ["zones"]}]
    parts["ZoneSection"]["oneOf"] = [{"required": ["polygon"]}, {"required": ["circle"]}]
    parts["TableSection"]["properties"]["book"]["enum"] = list(BOOKS)
    parts["TableSection"]["properties"]["settings"] |= {
        "properties": {name: _values(name) for name in WHY},
        "additionalProperties": False,
    }
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "table.toml of feltwatch"}
    whole = head | {key: value for key, value in document.items() if key != "title"} | {"$defs": parts}
    return json.dumps(_without_null(whole), indent=2, ensure_ascii=False) + "\n"


def _path(kind: type) -> dict[str, object]:
    assert kind is Path
    return {"type": "string", "minLength": 1}


def _values(name: str) -> Mapping[str, object]:
    """Give the values of a setting; true and false may be written without quotation marks."""
    allowed = ALLOWED[name]
    if isinstance(allowed, str):
        return {"type": ["number", "string"], "description": WHY[name][1]}
    plain = [value == "true" for value in allowed if value in ("true", "false")]
    return {"enum": [*allowed, *plain], "description": WHY[name][1]}


def _without_null(value: object) -> object:
    """TOML has no null: what may be absent is left out."""
    if isinstance(value, list):
        return [_without_null(one) for one in value if one != {"type": "null"}]
    if not isinstance(value, dict):
        return value
    found = {key: _without_null(one) for key, one in value.items() if not (key == "default" and not _is_plain(one))}
    only = found.get("anyOf")
    if isinstance(only, list) and len(only) == 1:
        del found["anyOf"]
        found |= only[0]
    return found


def _is_plain(default: object) -> bool:
    return default is not None and not isinstance(default, dict) and default != ""
