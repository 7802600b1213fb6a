"""Loads `manifest.toml`: each shipped network's file, digest, classes and thresholds; refuses files that differ."""

import hashlib
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import MappingProxyType

HERE = Path(__file__).parent
MANIFEST = HERE / "manifest.toml"


class ModelError(ValueError):
    """One line for a person: which model, what was expected, what was found, what to do."""


@dataclass(frozen=True, slots=True)
class Model:
    """One network as the manifest has it."""

    name: str
    file: str
    sha256: str
    input: str  # its shape and what it holds
    preprocessing: str
    classes: tuple[str, ...]
    licence: str
    data: str  # what it was taught with
    settings: Mapping[str, float]  # thresholds that were measured with these weights
    figures: Mapping[str, float]
    folder: Path = HERE

    def setting(self, name: str) -> float:
        if name not in self.settings:
            raise ModelError(f"{self.folder / MANIFEST.name}: {self.name}: settings: expected {name}; it is not there")
        return float(self.settings[name])

    def load(self) -> bytes:
        """Give the file, whole and unaltered, or say what is wrong with it."""
        path = self.folder / self.file
        try:
            data = path.read_bytes()
        except OSError as fault:
            raise ModelError(
                f"{path}: the {self.name} cannot be read ({fault.strerror}); install feltwatch again"
            ) from None
        found = hashlib.sha256(data).hexdigest()
        if found != self.sha256:
            raise ModelError(
                f"{path}: not the {self.name} that {MANIFEST.name} names: expected sha256 {self.sha256[:12]}…, "
                f"found {found[:12]}… ({len(data):,} bytes); install feltwatch again"
            )
        return data


NETWORKS = ("detector", "fitter", "reader")
KINDS = MappingProxyType({"classes": "a list of names", "settings": "numbers by name", "figures": "numbers by name"})
NAMES = tuple(one.name for one in fields(Model) if one.name != "folder")


def model(name: str, manifest: Path = MANIFEST) -> Model:
    """Give the model of a name."""
    listed = models(manifest)
    if name not in listed:
        raise ModelError(f"{manifest}: no model {name!r}; it lists {', '.join(listed)}")
    return listed[name]


def models(manifest: Path = MANIFEST) -> Mapping[str, Model]:
    """Read the manifest."""
    try:
        found = tomllib.loads(manifest.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        raise ModelError(f"{manifest}: cannot be read: {fault}; install feltwatch again") from None
    rows = found.get("model")
    if not isinstance(rows, list):
        raise ModelError(f"{manifest}: expected a list of [[model]], found {type(rows).__name__}")
    return MappingProxyType({one.name: one for one in (_model(row, manifest) for row in rows)})


def written(listed: Iterable[Model]) -> str:
    """Write models as `models` reads them."""
    return "\n".join(line for one in listed for line in ("[[model]]", *_lines(one), ""))


def change(manifest: Path, name: str, **new: object) -> None:
    """Change what the manifest says of one model."""
    listed = {**models(manifest)}
    listed[name] = replace(model(name, manifest), **new)  # type: ignore[arg-type]  # names of its fields
    manifest.write_text(written(listed.values()), "utf-8")


def _lines(one: Model) -> Iterator[str]:
    for name in NAMES:
        value = getattr(one, name)
        if isinstance(value, Mapping):
            yield f"{name} = {{ {', '.join(f'{json.dumps(key)} = {number}' for key, number in value.items())} }}"
        else:
            yield f"{name} = {json.dumps(value, ensure_ascii=False)}"


def _model(row: object, manifest: Path) -> Model:
    if not isinstance(row, dict) or row.keys() != set(NAMES):
        said = ", ".join(sorted(row)) if isinstance(row, dict) else repr(row)
        raise ModelError(f"{manifest}: expected of each [[model]] {', '.join(NAMES)}; found {said}")
    for name, value in row.items():
        if not _fits(name, value):
            raise ModelError(f"{manifest}: {row['name']}: {name}: expected {KINDS.get(name, 'text')}, found {value!r}")
    if Path(row["file"]).name != row["file"] or row["file"] in ("", ".", ".."):
        raise ModelError(f"{manifest}: {row['name']}: expected a file beside the manifest, found {row['file']!r}")
    return Model(**{**row, "classes": tuple(row["classes"])}, folder=manifest.parent)


def _fits(name: str, value: object) -> bool:
    if name == "classes":
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    if name in ("settings", "figures"):
        return isinstance(value, dict) and all(type(number) in (int, float) for number in value.values())
    return isinstance(value, str)
