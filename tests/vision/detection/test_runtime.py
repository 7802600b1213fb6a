"""What ONNX Runtime cannot do is one line that says what to do."""

from hashlib import sha256
from pathlib import Path

import pytest

from feltwatch.models.shipped.registry import Model, ModelError, model
from feltwatch.vision.detection.runtime import open_model


@pytest.mark.parametrize(
    ("provider", "threads", "says"),
    [
        ("abacus", 2, "provider 'abacus': expected one of cpu, openvino, cuda, tensorrt"),
        ("tensorrt", 2, "provider 'tensorrt': not in this ONNX Runtime, which has cpu"),
        ("cpu", 0, "threads 0: expected 1 or more"),
    ],
)
def test_what_is_not_here_is_refused(provider: str, threads: int, says: str) -> None:
    with pytest.raises(ModelError) as told:
        open_model(model("reader"), provider, threads)
    assert str(told.value).startswith(says)


def test_a_file_that_is_no_network_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "reader.onnx").write_bytes(b"no network")
    digest = sha256(b"no network").hexdigest()
    with pytest.raises(ModelError) as told:
        open_model(Model("reader", "reader.onnx", digest, "", "", (), "", "", {}, {}, tmp_path))
    assert "reader.onnx" in str(told.value)
    assert "\n" not in str(told.value)
