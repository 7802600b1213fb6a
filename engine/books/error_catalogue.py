"""Every dealing error: how grave it is, and the clause of each book that it breaks ("-": that book has none)."""

from typing import NamedTuple

from feltwatch.engine.model.verdicts import SEVERITIES

BOOK_ORDER = ("blackjack-rws-v4", "blackjack-rws-v5", "rws-blackjack-2024", "live-blackjack", "si-ki-pi-v3")


class Fault(NamedTuple):
    """One code as a book sees it."""

    code: str
    severity: str
    clause: str


# code, severity, then the clause in v4, v5, 2024, live, Si Ki Pi
_TABLE = """
wrong-box-order                  S2 3.6     3.11     3.11     flow-3               3.15
box-skipped                      S2 3.6     3.11     3.11     flow-3               -
card-to-box-without-bet          S2 3.6     3.11     3.11     flow-3               3.10
box-double-card                  S2 3.6     3.11     3.11     flow-3               -
extra-card-to-hand               S2 3.6     3.11     3.11     flow-3               -
dealer-first-card-missing        S2 3.6     3.11     3.11     flow-3               -
dealer-second-card-too-early     S2 3.6     3.11     3.11     flow-3               -
subsequent-deal-wrong-box        S2 3.11    3.8      3.8      errors-2             -
acting-box-passed-over           S2 3.17    3.11     3.11     errors-2             -
simultaneous-cards               S2 5.1.2   5.12     5.12     errors-2             -
boxed-card                       S4 -       5.11     5.11     -                    -
squeeze-card-exposed             S4 -       3.12     3.12     -                    -
card-dropped                     S2 5.1.2   5.7      5.7      errors-2             5.6
card-outside-box                 S4 2.1.1.a 3.11     3.11     flow-3               3.15
stale-card                       S3 3.6     1.10     1.11     flow-3               1.7
missing-card                     S2 3.13-p2 5.5.2    5.5.2    decision-split       -
burn-card-dealt                  S4 3.6     5.19     5.19     flow-3               5.18
unexpected-card                  S2 3.6     3.11     3.11     flow-3               3.15
hit-on-soft-21                   S2 3.11    3.17     3.18     decision-hit         -
hit-on-blackjack                 S2 3.11    3.17     3.18     decision-hit         -
hit-on-21                        S2 3.15    3.17     3.18     decision-hit         -
card-after-bust                  S2 3.16    3.18     3.19     flow-6               -
card-after-stand                 S2 3.12    3.20     3.21     decision-stand       -
card-without-request             S2 3.11    3.8      3.8      decision-hit         -
hit-after-double                 S2 3.14    3.22     3.23     decision-double      -
double-card-missing              S2 3.14    3.22     3.23     decision-double      -
split-aces-extra-card            S2 3.13    3.21.2   3.22.2   decision-split-aces  -
player-under-12-not-drawn        S2 3.17    3.19     3.20     -                    -
absent-player-overdrawn          S2 -       5.3      5.3      flow-5               -
dealer-overdraw                  S2 3.18    3.23     3.24     flow-7               -
dealer-under-17-stands           S2 3.18    3.23     3.24     flow-7               -
dealer-draws-before-players-done S2 3.18    3.23     3.24     flow-7               -
dealer-not-drawn-for-boom        S3 -       -        3.26.1   -                    -
dealer-draw-not-needed           S4 3.18    3.23     3.24     flow-7               -
hand-unresolved                  S4 3.12    3.8      3.8      flow-5               -
split-not-identical-value        S2 3.13    3.21     3.22     decision-split       -
split-too-many-hands             S2 3.13    3.21.2   3.22.2   decision-split       -
split-aces-resplit               S2 3.13    3.21.2   3.22.2   decision-split       -
split-wrong-order                S2 3.13    3.21.2   3.22.2   decision-split       -
split-bet-missing                S3 3.13    3.21     3.22     decision-split       -
split-bet-wrong-amount           S3 3.13    3.21     3.22     decision-split       -
double-not-allowed               S2 3.14    3.22     3.23     decision-double      -
double-bet-wrong-amount          S3 3.14    3.22     3.23     decision-double      -
double-bet-withdrawn             S3 3.14    3.22     3.23     decision-double      -
surrender-not-allowed            S3 3.10    3.16     3.17     decision-surrender   -
surrender-too-late               S3 3.10    3.16     3.17     decision-surrender   -
insurance-not-allowed            S3 3.8.2   3.14.2   3.15.2   decision-insurance   -
insurance-wrong-amount           S3 3.8.2   3.14.2.a 3.15.2.a decision-insurance   -
insurance-too-late               S3 3.8.2   3.14.2.a 3.15.2.a decision-insurance   -
insurance-not-offered            S4 3.8.2   3.14.2   3.15.2   decision-insurance   -
even-money-not-allowed           S3 3.8.1   3.14.1   3.15.1   gameplay-2           -
even-money-too-late              S3 3.8.1   3.14.1   3.15.1   gameplay-2           -
one-seat-per-player              S3 -       -        -        flow-1               -
behind-by-seated-player          S3 -       -        -        behind-1             -
losing-bet-not-taken             S3 3.16    3.18     3.19     gameplay-4           3.22.8
winning-bet-not-paid             S3 3.9     3.23.1   3.24.1   gameplay-3           3.22.7
winning-bet-taken                S2 3.18    3.23.2   3.24.2   gameplay-3           3.22.7
losing-bet-paid                  S2 3.18.3  3.23.3   3.24.3   gameplay-4           3.22.8
push-taken                       S2 1-stand-off 1.31 1.31     gameplay-5           1.22
push-paid                        S2 1-stand-off 1.31 1.31     gameplay-5           1.22
wrong-payout                     S2 4.1     4.1.1    4.1.1    payouts-2            4.1
blackjack-not-paid               S3 3.9     3.15     3.16     -                    -
blackjack-paid-early             S2 3.9     3.15     3.16     gameplay-2           -
surrender-half-wrong             S3 3.10    3.16     3.17     decision-surrender   -
dealer-bj-extra-taken            S2 3.13    3.21.3   3.22.3   -                    -
side-bet-not-settled             S3 3.7     3.13     3.13     -                    -
side-bet-wrong-result            S2 3.7     3.13     3.14     decision-pair        3.23
insurance-wrong-settlement       S2 3.8.2   3.14.2.b 3.15.2.b decision-insurance   -
commission-not-taken             S3 -       -        -        -                    4.1
commission-on-bonus              S3 -       -        -        -                    4.2
settlement-order                 S4 3.18    1.9      1.10     gameplay-3           3.22
past-posting                     S2 3.2     3.10     3.10     flow-1               3.14
bet-capped                       S2 3.2     3.10     3.10     flow-1               3.14
bet-pinched                      S2 5.2     5.8      5.8      flow-1               5.10
chip-moved                       S2 5.2     5.8      5.8      flow-1               5.10
bet-outside-box                  S4 2.1.1.a 5.14     5.14     flow-2               5.15
box-over-maximum                 S3 -       5.1      5.1      -                    5.1
bet-below-minimum                S3 -       5.2      5.2      -                    5.2
side-bet-without-initial         S3 3.3     3.9      3.9      flow-2               3.13
side-bet-over-initial            S3 3.7.2.d 3.13.2.d -        -                    -
new-player-mid-round             S3 3.2     3.10     3.10     flow-1               3.14
foreign-card                     S1 5.1.1   5.5.1    5.5.1    errors-2             5.5.1
excess-identical-card            S1 2.2.1   5.5.2    5.5.2    errors-2             -
duplicate-card                   S1 -       -        -        -                    2.2.1
card-shortage                    S1 2.2.1   5.5.2    5.5.2    errors-2             5.5.5
shoe-exhausted                   S1 5.1.2   5.5.3    5.5.3    errors-2             5.5.6
unshuffled-suspect               S2 2.2.1   5.5.4    5.5.4    errors-2             5.5.4
technical-interruption           S1 5.1     5.4      5.4      errors-1             5.4
misread-suspect                  S4 3.6     3.11     3.11     flow-3               3.15
wrong-card-count                 S1 -       -        -        -                    5.12
dealer-cards-exposed             S1 -       -        -        -                    5.5.2
player-cards-exposed-by-dealer   S2 -       -        -        -                    5.7
player-exposed-own-cards         S4 -       -        -        -                    5.9
cards-touched-after-set          S2 -       -        -        -                    3.18
other-player-handles-cards       S2 -       -        -        -                    3.5
additional-hand-examined         S2 -       -        -        -                    3.11
card-shown-to-other              S4 -       -        -        -                    3.17
wrong-house-way                  S2 -       -        -        -                    3.19
house-way-late                   S4 -       -        -        -                    3.19
foul-hand                        S3 -       -        -        -                    1.8
hand-not-set                     S4 -       -        -        -                    3.18
bonus-not-settled                S3 -       -        -        -                    3.23
"""


def _faults() -> dict[str, dict[str, Fault]]:
    found: dict[str, dict[str, Fault]] = {book: {} for book in BOOK_ORDER}
    for line in _TABLE.split("\n")[1:-1]:
        code, grade, *clauses = line.split()
        for book, clause in zip(BOOK_ORDER, clauses, strict=True):
            if clause != "-":
                found[book][code] = Fault(code, SEVERITIES[grade], clause)
    return found


FAULTS = _faults()
CODES = tuple(line.split()[0] for line in _TABLE.split("\n")[1:-1])
