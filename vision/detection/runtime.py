"""ONNX Runtime: the one place where a shipped network becomes something that can be called."""

from collections.abc import Callable
from types import MappingProxyType

import numpy as np
import onnxruntime

from feltwatch.models.shipped.registry import Model, ModelError
from feltwatch.vision.arrays import Floats32, Pixels

PROVIDERS = MappingProxyType(
    {
        "cpu": "CPUExecutionProvider",
        "openvino": "OpenVINOExecutionProvider",
        "cuda": "CUDAExecutionProvider",
        "tensorrt": "TensorrtExecutionProvider",
    }
)
THREADS = 2

RunModel = Callable[[Pixels], Floats32]


def provider_named(name: str) -> str:
    """Give ONNX Runtime's name of a provider that is installed here."""
    if name not in PROVIDERS:
        raise ModelError(f"provider {name!r}: expected one of {', '.join(PROVIDERS)}")
    there = onnxruntime.get_available_providers()
    if PROVIDERS[name] not in there:
        have = ", ".join(short for short, long in PROVIDERS.items() if long in there)
        raise ModelError(
            f"provider {name!r}: not in this ONNX Runtime, which has {have}; install its package, or use cpu"
        )
    return PROVIDERS[name]


def open_model(model: Model, provider: str = "cpu", threads: int = THREADS) -> RunModel:
    """Give the network as a function of a batch of pictures: (count, height, width, 3), blue first, eight bits."""
    if threads < 1:
        raise ModelError(f"threads {threads}: expected 1 or more")
    chosen = provider_named(provider)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # the box has other work
    order = [chosen] if chosen == PROVIDERS["cpu"] else [chosen, PROVIDERS["cpu"]]
    data = model.load()
    try:
        session = onnxruntime.InferenceSession(data, options, providers=order, enable_fallback=0)
    except Exception as fault:  # noqa: BLE001  its errors have no common class
        said = str(fault).splitlines()[0][:160]
        raise ModelError(f"{model.file}: ONNX Runtime cannot load the {model.name} with {provider}: {said}") from None
    if chosen not in session.get_providers():
        raise ModelError(f"provider {provider!r}: installed, but does not start here; see that its libraries are there")
    name = session.get_inputs()[0].name

    def run(pictures: Pixels) -> Floats32:
        return np.asarray(session.run(None, {name: pictures})[0], np.float32)

    return run
