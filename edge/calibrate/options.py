"""What `feltwatch calibrate` can be told; nothing heavy is loaded to know it."""

import argparse


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source", nargs="?", metavar="SOURCE", help="a picture, a film, a stream's URL or a device's number"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="the table's file to write, such as table.toml")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--markers", action="store_true", help="find the table by printed sheets that lie on it")
    how.add_argument("--points", metavar="FILE", help="take the points from this file; without either a web page opens")
    how.add_argument("--sheet", metavar="FILE", help="print the sheets: a .pdf, or a .png for each")
    parser.add_argument("--paper", default="a4", choices=("a3", "a4", "letter"), help="of the sheets (default: a4)")
    parser.add_argument("--places", metavar="FILE", help="where the sheets lie, if not where they say")
    table = parser.add_argument_group("the table")
    table.add_argument("--preset", metavar="NAME", help="its layout: blackjack-7, blackjack-5, si-ki-pi-6")
    table.add_argument(
        "--like",
        metavar="FILE",
        help="take every setting that is not given here from this table's file, zones included",
    )
    table.add_argument("--id", metavar="NAME", help="what it is called (default: as the file is)")
    table.add_argument("--site", metavar="NAME", help="where it stands (default: main)")
    table.add_argument("--book", help="its rule book (feltwatch books lists them)")
    table.add_argument("--decks", type=int, metavar="N", help="decks in the shoe")
    table.add_argument("--min", metavar="N", dest="minimum", help="minimum bet of a box")
    table.add_argument("--max", metavar="N", dest="maximum", help="maximum bet of a box")
    table.add_argument(
        "--watches", metavar="PARTS", help="of several cameras: the parts this one must see, such as box1,box2,dealer"
    )
    table.add_argument("--camera", metavar="SOURCE", help="the live camera to write down, if SOURCE is a picture of it")
    table.add_argument(
        "--lens", metavar="K1,K2,P1,P2,K3", help="the camera's lens, as OpenCV has it; with --camera-matrix"
    )
    table.add_argument("--camera-matrix", metavar="FX,FY,CX,CY", help="its focal lengths and centre in pixels")
    parser.add_argument(
        "--overlay", metavar="FILE", help="write the picture with zones and points drawn in, as .png or .jpg"
    )
    parser.add_argument("--port", type=int, default=0, metavar="N", help="of the web page (default: any that is free)")
    parser.add_argument("--no-open", action="store_true", help="print the page's address only")
    parser.add_argument("--force", action="store_true", help="write over files that exist")
