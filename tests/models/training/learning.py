"""Training, with torch and ultralytics.

`make training` runs this file by name; plain pytest does not take it for a test, as `make test` has neither.
"""

from collections.abc import Iterator
from itertools import islice, repeat
from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import onnxruntime
import pytest
import torch
from torch import nn

from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.render.crops import crops
from feltwatch.datasets.sets.sets import READS
from feltwatch.datasets.truth import CardTruth, StackTruth, Truth
from feltwatch.models.__main__ import main
from feltwatch.models.files import locked
from feltwatch.models.shipped.registry import HERE
from feltwatch.models.training import detector as learn_detector
from feltwatch.models.training import plain, reader
from feltwatch.models.training.background import standing
from feltwatch.models.training.detector import SIDE, TrainingPicture, window
from feltwatch.models.training.export import last_checkpoint, shipped, write_onnx
from feltwatch.models.training.loop import Training, TrainingRecipe, branch_off
from feltwatch.models.training.networks import importing
from feltwatch.models.training.networks.nets import go_on_from, new_net
from feltwatch.vision.arrays import Floats32, Pixels
from feltwatch.vision.detection.detector import GREY
from feltwatch.vision.detection.reader import CORNER_NUMBERS
from feltwatch.vision.geometry.rectify import SIZE

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the exporter, by the library itself
QUAD = ((300.0, 200.0), (360.0, 210.0), (345.0, 300.0), (285.0, 290.0))
MARKS = ((255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255))


def marked() -> Pixels:
    """Draw a picture with a mark at each corner of QUAD, and one at a chip."""
    picture = np.full((480, 640, 3), 90, np.uint8)
    for colour, (x, y) in zip(MARKS, QUAD, strict=True):
        picture[round(y) - 3 : round(y) + 4, round(x) - 3 : round(x) + 4] = colour
    return picture


@pytest.mark.parametrize("half", [False, True], ids=["as it is", "read at half its size"])
@pytest.mark.parametrize("scale", [0.4, 0.6, 1.0])
def test_a_mark_lies_where_the_truth_says(scale: float, *, half: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn_detector, "coloured", lambda image, _: image)
    picture = np.zeros((960, 1280, 3), np.uint8)
    cv2.circle(picture, (700, 400), 24, (255, 255, 255), -1)
    read = cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA) if half else picture
    chip = StackTruth(
        None, (700.0, 400.0), (700.0, 400.0), 24.0, 3.0, (5,), ((680.0, 380.0), (720.0, 380.0), (720.0, 420.0))
    )
    for seed in range(6):
        sight = TrainingPicture(
            lambda: read.astype(np.uint8), Truth(1280, 960, (), (chip,)), (scale, scale * 1.01), 1.0
        )
        shown, found = window(sight, np.random.default_rng(seed))
        ((x, y),) = found.quads.mean(axis=1)
        seen = cv2.moments(np.where(shown[..., 0] > GREY, shown[..., 0] - GREY, 0).astype(np.float32))
        assert (seen["m10"] / seen["m00"], seen["m01"] / seen["m00"]) == pytest.approx((x, y), abs=0.12)


def test_the_boxes_of_a_window_lie_where_its_cards_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn_detector, "coloured", lambda image, _: image)
    truth = Truth(640, 480, (CardTruth("c1", QUAD, "9h", up=True, visible=1.0),))
    checked = 0
    for seed in range(12):
        shown, targets = window(TrainingPicture(marked, truth, (0.8, 1.2), 1.0), np.random.default_rng(seed))
        for found in targets.quads:
            for x, y in found[((found > 4) & (found < SIDE - 5)).all(axis=1)]:
                part = shown[round(y) - 2 : round(y) + 3, round(x) - 2 : round(x) + 3].astype(int)
                assert np.ptp(part.reshape(-1, 3), axis=1).max() > 60 or part.mean() > 180, "no mark at a corner"
                checked += 1
    assert checked > 20


def still_batches(first: int) -> Iterator[tuple[torch.Tensor, ...]]:
    """Give eight batches of crops of two plain colours, without end."""
    for index in range(first, 10_000):
        dice = np.random.default_rng(index % 8)
        classes = dice.integers(0, 2, 16)
        pictures = np.zeros((16, 3, SIZE[1], SIZE[0]), np.uint8)
        pictures[classes == 1] = 200
        mask = np.zeros((16, len(READS)), bool)
        mask[np.arange(16), classes] = True
        yield torch.from_numpy(pictures), torch.from_numpy(mask), torch.ones(16), torch.ones(16, 2)


RECIPE = TrainingRecipe("reader", "yolo11n-cls.yaml", batch=16, rate=1e-3, seed=3, warm=2)


def taught(folder: Path, steps: int) -> Training:
    """Teach a reader, and stop it after so many steps of twelve."""
    torch.set_num_threads(1)
    torch.manual_seed(3)
    training = Training(new_net("reader"), RECIPE, folder, torch.device("cpu"))
    training.run(still_batches, reader.loss, steps)
    return training


def test_what_was_stopped_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    straight = taught(tmp_path / "one", 12)
    taught(tmp_path / "two", 6)
    resumed = taught(tmp_path / "two", 12)
    assert resumed.step == straight.step == 12
    for one, other in zip(straight.net.parameters(), resumed.net.parameters(), strict=True):
        assert torch.allclose(one, other, atol=1e-6)


def test_a_reader_learns_and_ships_as_it_is(tmp_path: Path) -> None:
    training = taught(tmp_path, 12)
    batch = next(still_batches(0))
    before = float(reader.loss(new_net("reader").train(), batch).detach())
    after = float(reader.loss(training.net.train(), batch).detach())
    assert after < before / 2
    agree("reader", training.checkpoint, tmp_path, (SIZE[1], SIZE[0]))


def test_a_detector_ships_as_it_is(tmp_path: Path) -> None:
    recipe = TrainingRecipe("detector", "yolo11n-obb.yaml", 1, 1e-4, seed=1)
    training = Training(new_net("detector"), recipe, tmp_path, torch.device("cpu"))
    training.run(lambda _: repeat(card_batch()), learn_detector.loss, 1)
    agree("detector", training.checkpoint, tmp_path, (96, 160))


def card_batch() -> tuple[torch.Tensor, ...]:
    """Give a window with one card, QUAD on a dark ground."""
    picture = np.full((480, 640, 3), 40, np.uint8)
    cv2.fillConvexPoly(picture, np.round(QUAD).astype(np.int32), (250, 250, 250))
    truth = Truth(640, 480, (CardTruth("c1", QUAD, "9h", up=True, visible=1.0),))
    sight = TrainingPicture(lambda: picture, truth, (1.0, 1.001), 0.0)
    return learn_detector.Windows(1, 1, [learn_detector.Group("one", 1.0, [sight])])[0]


def test_the_cells_of_a_detector_learn_to_point_at_the_corners_of_the_card_they_show() -> None:
    torch.set_num_threads(2)
    torch.manual_seed(1)
    net, (pictures, cells, kinds, quads) = new_net("detector").train(), card_batch()
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
    for _ in range(60):
        value = learn_detector.loss(net, (pictures, cells, kinds, quads))
        value.backward()
        optimizer.step()
        optimizer.zero_grad()
    with torch.no_grad():
        found = net.predict(pictures.float() / 255)[0].T[cells[0] > 0]
    said, true = found[:, :8].reshape(-1, 4, 2), quads[0]
    apart = torch.stack([(said - true.roll(turn, 0)).norm(dim=2).mean(1) for turn in (0, 2)]).amin(0)
    assert float(apart.median()) < 6.0
    assert float(found[:, 8].sigmoid().median()) > 0.2 > float(found[:, 9:].sigmoid().max(1).values.median())
    assert kinds.tolist() == [0]


def test_the_detectors_loss_is_nothing_where_no_network_could_do_better() -> None:
    quad = torch.tensor([[[10.0, 10.0], [50.0, 10.0], [50.0, 70.0], [10.0, 70.0]]])
    for off in (0.0, 3.0):
        found = torch.zeros(1, 2, 12)
        found[0, :, :8] = (quad + off).flatten()
        apart = off * 2**0.5 / 50
        likely = min(max(np.exp(-apart / learn_detector.FAIR), 1e-6), 1 - 1e-6)
        found[0, :, 8:] = -20.0
        found[0, 0, 8] = float(np.log(likely / (1 - likely)))
        cells, kinds = torch.tensor([[1, 0]]), torch.tensor([0])
        value = float(learn_detector.cell_loss(found, cells, kinds, quad))
        corners = learn_detector.PLACE * max(apart - learn_detector.SMALL / 2, 0.0)
        assert value == pytest.approx(corners, abs=1e-3)


def test_a_cooldown_branches_off_and_the_training_stays_where_it_was(tmp_path: Path) -> None:
    taught(tmp_path, 6)
    folder, span = branch_off(tmp_path, 4)
    cooled = Training(new_net("reader"), RECIPE, folder, torch.device("cpu"), cooldown=span)
    cooled.run(still_batches, reader.loss, span.start + span.steps)
    assert (cooled.step, span.rate(6), span.rate(10)) == (10, 1.0, 0.0)
    assert cooled.optimizer.param_groups[0]["lr"] < RECIPE.rate / 4
    assert taught(tmp_path, 8).step == 8
    assert last_checkpoint(tmp_path) == cooled.checkpoint
    assert branch_off(tmp_path, 99) == (folder, span)  # a cooldown that was begun is gone on with


def test_a_folder_is_trained_in_by_one_process(tmp_path: Path) -> None:
    training = taught(tmp_path, 2)
    with locked(tmp_path / "lock", wait=False), pytest.raises(DataError, match="another process trains there"):
        training.run(still_batches, reader.loss, 4)
    assert standing(tmp_path) == "no step is done yet"


def agree(kind: str, checkpoint: Path, folder: Path, size: tuple[int, int]) -> None:
    """Compare torch with ONNX Runtime on noise."""
    write_onnx(kind, checkpoint, folder / "net.onnx")
    session = onnxruntime.InferenceSession(folder / "net.onnx", providers=["CPUExecutionProvider"])
    pictures = np.random.default_rng(0).integers(0, 255, (2, *size, 3), np.uint8)
    with torch.no_grad():
        expected = shipped(kind, checkpoint)(torch.from_numpy(pictures)).numpy()
    assert session.run(None, {"pictures": pictures})[0] == pytest.approx(expected, abs=1e-2)


def drawn(count: int) -> torch.Tensor:
    """Give crops as the reader learns from them: red first."""
    images = np.stack([crop.image for crop in islice(crops("test", 3), count)])
    return torch.from_numpy(np.ascontiguousarray(images[..., ::-1].transpose(0, 3, 1, 2)))


def test_a_reader_that_goes_on_from_the_one_that_ships_says_the_same() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(3)
    net, path, measured = new_net("reader"), HERE / "reader.onnx", drawn(64)
    go_on_from(net, path, measured[:48])  # the rest it has not seen
    assert not net.training
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    (expected,) = session.run(None, {"pictures": measured.flip(1).permute(0, 2, 3, 1).numpy()})

    def says(pictures: torch.Tensor) -> Floats32:
        with torch.no_grad():
            found = net.predict(pictures.float() / 255)
        return np.asarray(found.numpy())

    before = {name: one.clone() for name, one in net.state_dict().items()}
    assert says(measured) == pytest.approx(expected, abs=1e-3)
    assert all(torch.equal(one, before[name]) for name, one in net.state_dict().items())  # it measures no more
    net.train()
    assert says(measured[:48]) == pytest.approx(expected[:48], abs=0.2)
    assert says(measured[:48]) != pytest.approx(expected[:48], abs=1e-3)  # it normalises, and may learn


def test_a_reader_does_not_go_on_from_another_network() -> None:
    with pytest.raises(DataError) as refused:
        go_on_from(new_net("reader"), HERE / "detector.onnx", torch.zeros((1, 3, SIZE[1], SIZE[0]), dtype=torch.uint8))
    (line,) = str(refused.value).splitlines()
    assert f"{HERE / 'detector.onnx'}: no network of ours" in line


def test_only_the_rank_may_be_known() -> None:
    logits = torch.full((1, len(READS) + 2 * CORNER_NUMBERS), -20.0)  # no index shows
    net = nn.Sequential()
    net.predict = lambda _: logits
    net.register_parameter("device", nn.Parameter(torch.zeros(1)))
    kings = [READS.index("K" + suit) for suit in "shdc"]
    logits[0, kings[2]] = 10.0
    mask = torch.zeros((1, len(READS)), dtype=torch.bool)
    mask[0, kings] = True
    crop = (torch.zeros((1, 3, 8, 8), dtype=torch.uint8), mask, torch.ones(1))
    assert float(reader.loss(net, (*crop, torch.zeros(1, 2)))) == pytest.approx(0, abs=1e-5)
    kings_rank = len(READS) + READS.index("Ks")
    logits[0, [kings_rank, kings_rank + CORNER_NUMBERS]] = 10.0
    logits[0, [len(READS) + CORNER_NUMBERS - 1, -1]] = 20.0
    assert float(reader.loss(net, (*crop, torch.ones(1, 2)))) == pytest.approx(0, abs=1e-5)  # its suit is not asked


def test_what_is_learnt_from_is_counted_and_what_is_not_there_is_reported() -> None:
    windows = learn_detector.Windows(1, 2, learn_detector.groups_of({}, None, ()))
    assert windows.counts == {"photographs": 0, "cardless": 0}


def test_the_plain_detector_trains_and_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    truth = Truth(640, 480, (CardTruth("c1", QUAD, "9h", up=True, visible=1.0),))
    monkeypatch.setattr(
        plain, "sights_of_photographs", lambda _: [TrainingPicture(marked, truth, (1.0, 1.0), 0.0)] * 16
    )
    folder, start = tmp_path / "plain", Path("yolo11n.yaml")
    weights = plain.train(folder, start, 0.001, (), None)
    assert (folder / "labels" / "000003.txt").read_text() == "20 0.503906 0.520833 0.117188 0.208333\n"
    assert plain.Plain(weights)(marked()).cards == ()  # it has learnt nothing yet, and is as unsure
    before = weights.stat().st_mtime_ns
    assert plain.train(folder, start, 0.001, (), None) == weights  # it is done: nothing is begun again
    assert weights.stat().st_mtime_ns == before


def test_the_boxes_of_the_plain_detector_are_reported_as_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    boxes = SimpleNamespace(data=torch.tensor([[10.0, 20.0, 50.0, 90.0, 0.8, 20.0]]))
    net = SimpleNamespace(predict=lambda *_, **__: [SimpleNamespace(boxes=boxes)])
    monkeypatch.setattr(plain, "_opened", lambda _: net)
    (card,) = plain.Plain(Path("any.pt"))(marked()).cards
    assert (card.face, card.up) == ("9h", True)
    assert card.confidence == pytest.approx(0.8)
    assert card.quad == ((10, 20), (50, 20), (50, 90), (10, 90))


def test_boxes_that_overlap_a_surer_one_are_sorted_out() -> None:
    boxes = torch.tensor([[0.0, 0, 10, 10], [1.0, 0, 11, 10], [30.0, 0, 40, 10]])
    scores = torch.tensor([0.6, 0.9, 0.5])
    assert importing.nms(boxes, scores, 0.7).tolist() == [1, 2]
    assert importing.nms(boxes, scores, 0.9).tolist() == [1, 0, 2]
    assert importing.nms(boxes[:0], scores[:0], 0.5).tolist() == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["train", "reader", "--start", "{bad}"], "{bad}"),
        (["train", "reader", "--net", "yolo99z-cls.yaml", "--start", "{weights}"], "yolo99z-cls.yaml"),
        (["train", "reader", "--steps", "-4"], "0 or more; found '-4'"),
        (["train", "detector", "--start", "{weights}", "--tables", "{folder}"], "no set of pictures"),
        (["evaluate", "plain", "{folder}", "{bad}"], "{bad}"),
        (["evaluate", "plain", "{folder}", "{folder}/none.pt"], "no such weights"),
        (["train", "plain", "--start", "{bad}", "--hours", "0"], "more than 0"),
        (["export", "reader", "--checkpoint", "{bad}"], "{bad}"),
        (["export", "reader", "--checkpoint", "{weights}"], "not a checkpoint of `python -m feltwatch.models train`"),
    ],
)
def test_bad_input_of_training_is_one_line(
    words: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, weights = tmp_path / "bad.pt", tmp_path / "weights.pt"
    bad.write_text("not weights")
    torch.save({"model": new_net("reader").state_dict()}, weights)
    places = {"{bad}": str(bad), "{weights}": str(weights), "{folder}": str(tmp_path)}
    for name, place in places.items():
        words = [word.replace(name, place) for word in words]
        says = says.replace(name, place)
    assert main([*words, "-o", str(tmp_path / "out")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert says in line


def test_training_without_its_data_says_how_to_get_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "detector", "--checkpoint", "none.pt"]) == 2
    assert "models train detector" in capsys.readouterr().err
