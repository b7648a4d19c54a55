"""The eight tables of TPC-H, small, with rows that match each of the 22 queries.

Names and types are those of the specification. The rows are the same in each run. Their values are
those in the conditions of the queries and a few others; therefore small tables suffice.
"""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SCHEMAS = {
    "region": "r_regionkey INT, r_name CHAR(25), r_comment VARCHAR(152)",
    "nation": "n_nationkey INT, n_name CHAR(25), n_regionkey INT, n_comment VARCHAR(152)",
    "supplier": (
        "s_suppkey BIGINT, s_name CHAR(25), s_address VARCHAR(40), s_nationkey INT,"
        " s_phone CHAR(15), s_acctbal DECIMAL(15,2), s_comment VARCHAR(101)"
    ),
    "customer": (
        "c_custkey BIGINT, c_name VARCHAR(25), c_address VARCHAR(40), c_nationkey INT,"
        " c_phone CHAR(15), c_acctbal DECIMAL(15,2), c_mktsegment CHAR(10), c_comment VARCHAR(117)"
    ),
    "part": (
        "p_partkey BIGINT, p_name VARCHAR(55), p_mfgr CHAR(25), p_brand CHAR(10),"
        " p_type VARCHAR(25), p_size INT, p_container CHAR(10), p_retailprice DECIMAL(15,2),"
        " p_comment VARCHAR(23)"
    ),
    "partsupp": (
        "ps_partkey BIGINT, ps_suppkey BIGINT, ps_availqty INT, ps_supplycost DECIMAL(15,2),"
        " ps_comment VARCHAR(199)"
    ),
    "orders": (
        "o_orderkey BIGINT, o_custkey BIGINT, o_orderstatus CHAR(1), o_totalprice DECIMAL(15,2),"
        " o_orderdate DATE, o_orderpriority CHAR(15), o_clerk CHAR(15), o_shippriority INT,"
        " o_comment VARCHAR(79)"
    ),
    "lineitem": (
        "l_orderkey BIGINT, l_partkey BIGINT, l_suppkey BIGINT, l_linenumber INT,"
        " l_quantity DECIMAL(15,2), l_extendedprice DECIMAL(15,2), l_discount DECIMAL(15,2),"
        " l_tax DECIMAL(15,2), l_returnflag CHAR(1), l_linestatus CHAR(1), l_shipdate DATE,"
        " l_commitdate DATE, l_receiptdate DATE, l_shipinstruct CHAR(25), l_shipmode CHAR(10),"
        " l_comment VARCHAR(44)"
    ),
}
REGIONS = ["AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"]
NATIONS = {  # the nations in the queries, with their regions
    2: ("BRAZIL", 1), 3: ("CANADA", 1), 6: ("FRANCE", 3), 7: ("GERMANY", 3), 8: ("INDIA", 2),
    20: ("SAUDI ARABIA", 4),
}  # fmt: skip
KINDS = [  # combinations of brand, container and size in the queries, and a type
    ("Brand#12", "SM CASE", 3, "PROMO PLATED TIN"),
    ("Brand#23", "MED BOX", 9, "ECONOMY ANODIZED STEEL"),
    ("Brand#34", "LG BOX", 14, "PROMO BURNISHED COPPER"),
    ("Brand#45", "JUMBO PKG", 15, "STANDARD POLISHED BRASS"),
    ("Brand#23", "WRAP JAR", 49, "MEDIUM POLISHED NICKEL"),
]
ORDERED = ["1993-07-20", "1993-10-25", "1994-04-02", "1995-03-01", "1995-08-20", "1996-01-10"]
PRIORITIES = ["1-URGENT", "2-HIGH", "3-MEDIUM", "5-LOW"]
Rows = list[tuple[Any, ...]]


def rows() -> dict[str, Rows]:
    """Return the rows of all tables."""
    draw = Random(22)
    orders = _orders(draw)
    return {
        "region": [(key, name, f"region {key}") for key, name in enumerate(REGIONS)],
        "nation": [(key, *of, f"nation {key}") for key, of in NATIONS.items()],
        "supplier": [_supplier(key) for key in range(1, 13)],
        "customer": [_customer(key) for key in range(1, 31)],
        "part": [_part(key) for key in range(1, 16)],
        "partsupp": [_stock(part, supplier) for part in range(1, 16) for supplier in _of(part)],
        "orders": orders,
        "lineitem": [line for order in orders for line in _lines(draw, order)],
    }


def _nation(key: int) -> int:
    return list(NATIONS)[key % len(NATIONS)]


def _money(units: float) -> Decimal:
    return Decimal(f"{units:.2f}")


def _phone(key: int) -> str:
    return f"{_nation(key) + 10}-{key:03}-555-{key * 37 % 10_000:04}"


def _supplier(key: int) -> tuple[Any, ...]:
    said = "Customer told of Complaints" if key == 5 else f"supplier {key} is quiet"
    balance = _money(key * 731 % 5000)
    return key, f"Supplier#{key}", f"{key} Dock St", _nation(key), _phone(key), balance, said


def _customer(key: int) -> tuple[Any, ...]:
    segment = ["BUILDING", "MACHINERY"][key % 2]
    balance = _money(key * 2311 % 5987 - 500)
    name, address, said = f"Customer#{key}", f"{key} Main St", f"customer {key}"
    return key, name, address, _nation(key), _phone(key), balance, segment, said


def _part(key: int) -> tuple[Any, ...]:
    brand, container, size, kind = KINDS[key % len(KINDS)]
    name = f"{['forest', 'linen', 'navy'][key % 3]} {['green', 'rose'][key % 2]} {key}"
    price = _money(900 + key)
    return key, name, f"Manufacturer#{key % 5}", brand, kind, size, container, price, f"part {key}"


def _of(part: int) -> Iterable[int]:
    """Return the suppliers of a part."""
    return sorted({(part + step * 3) % 12 + 1 for step in range(4)})


def _stock(part: int, supplier: int) -> tuple[Any, ...]:
    cost = _money(10 + (part * 13 + supplier * 7) % 90)
    return part, supplier, 500 + part * 10 + supplier, cost, f"stock of {part} at {supplier}"


def _orders(draw: Random) -> Rows:
    """Return orders of two customers in three; the others have none."""
    found: Rows = []
    buyers = [key for key in range(1, 31) if key % 3]
    for key in range(1, 121):
        day = date.fromisoformat(ORDERED[key % len(ORDERED)]) + timedelta(days=draw.randrange(14))
        status, urgency = "FO"[key % 4 == 0], draw.choice(PRIORITIES)
        said = "special wrapping, requests" if key % 7 == 0 else f"order {key}"
        total = _money(1000 + key * 3)
        clerk = f"Clerk#{key % 9}"
        found.append(
            (key, draw.choice(buyers), status, total, day, urgency, clerk, key % 2, said)
        )  # fmt: skip
    return found


def _lines(draw: Random, order: tuple[Any, ...]) -> Rows:
    key, ordered = order[0], order[4]
    is_large = key % 20 == 0
    return [
        _line(draw, key, number, ordered, is_large)
        for number in range(1, (8 if is_large else draw.randrange(2, 6)))
    ]


def _line(draw: Random, order: int, number: int, ordered: date, is_large: bool) -> tuple[Any, ...]:
    part = draw.randrange(1, 16)
    quantity = draw.randrange(46, 51) if is_large else draw.choice([2, 5, 12, 15, 22, 28, 40])
    shipped = ordered + timedelta(days=draw.randrange(5, 30))
    received = shipped + timedelta(days=draw.randrange(3, 12))
    committed = received + timedelta(days=draw.choice([-2, 1, 4, 6]))
    return (
        order, part, draw.choice(list(_of(part))), number, _money(quantity),
        _money(quantity * (900 + part)), _money(draw.choice([0.02, 0.05, 0.06, 0.09])),
        _money(draw.choice([0.01, 0.04])), draw.choice("RNA"), draw.choice("OF"),
        shipped, committed, received, draw.choice(["DELIVER IN PERSON", "COLLECT COD"]),
        draw.choice(["AIR", "AIR REG", "MAIL", "SHIP"]), f"line {order} {number}",
    )  # fmt: skip


def write(table: Path, rows: Rows) -> None:
    """Write the rows of a table to a directory in the format of dbgen: fields separated by bars."""
    table.mkdir(parents=True, exist_ok=True)
    lines = ("|".join(map(str, row)) + "\n" for row in rows)
    (table / "rows.tbl").write_text("".join(lines))
