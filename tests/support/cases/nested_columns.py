"""Queries with structs, arrays and maps: each field has its own lineage, at any depth."""

from __future__ import annotations

from typing import Any

from support.cases.columns import Case


def _union_of_made(spark: Any) -> Any:
    carts = spark.table("carts")
    one = carts.selectExpr("named_struct('x', id, 'y', note, 'd', named_struct('p', n)) AS s")
    two = carts.selectExpr("named_struct('y', st.y, 'z', n, 'd', named_struct('q', id)) AS s")
    both = one.unionByName(two, allowMissingColumns=True)
    return both.selectExpr("s.x", "s.y", "s.z", "s.d.p", "s.d.q", "s")


def _union_of_nullable(spark: Any) -> Any:
    carts = spark.table("carts")
    made = carts.selectExpr("if(id > 0, named_struct('x', n, 'w', note), null) AS st")
    both = carts.select("st").unionByName(made, allowMissingColumns=True)
    return both.selectExpr("st.x", "st.y", "st.w", "st.deep.u")


def _union_of_arrays(spark: Any) -> Any:
    carts = spark.table("carts")
    made = carts.selectExpr("array(named_struct('qty', n, 'color', note)) AS items")
    both = carts.select("items").unionByName(made, allowMissingColumns=True)
    return both.selectExpr("explode(items) AS i").selectExpr("i.sku", "i.qty", "i.color")


def _with_fields(spark: Any) -> Any:
    from pyspark.sql import functions as f

    struct = f.col("st")
    changed = spark.table("carts").select(
        struct.withField("x", f.col("n")).withField("new", f.upper("note")).alias("a"),
        struct.withField("deep.u", f.col("id")).dropFields("deep.v", "x").alias("b"),
        struct.dropFields("deep", "y").alias("whole"),
    )
    return changed.selectExpr(
        "a.x AS ax", "a.y AS ay", "a.new AS new", "a.deep.v AS av",
        "b.deep.u AS bu", "b.y AS by", "b.deep AS deep", "whole",
    )  # fmt: skip


STRUCTS = [
    Case(
        "a union by name of structs with other fields", _union_of_made,
        {
            "x": "carts.id", "y": "carts.note carts.st.y", "z": "carts.n", "p": "carts.n",
            "q": "carts.id", "s": "f(carts.id, carts.note, carts.n, carts.st.y)",
        },
    ),
    Case(
        "a union by name of structs that may be null", _union_of_nullable,
        {
            "x": "carts.st.x f(carts.n) if(carts.id)", "y": "carts.st.y",
            "w": "f(carts.note) if(carts.id)", "u": "carts.st.deep.u",
        },
    ),
    Case(
        "a union by name of arrays of structs", _union_of_arrays,
        {
            "sku": "f(carts.items._element.sku)", "qty": "f(carts.items._element.qty, carts.n)",
            "color": "f(carts.note)",
        },
        "join(carts.items)", since=(4, 0),
    ),
    Case(
        "withField and dropFields", _with_fields,
        {
            "ax": "carts.n", "ay": "carts.st.y", "new": "f(carts.note)", "av": "carts.st.deep.v",
            "bu": "carts.id", "by": "carts.st.y", "deep": "f(carts.id)", "whole": "f(carts.st.x)",
        },
    ),
    Case(
        "structs of which one is chosen",
        "SELECT coalesce(st, other).x AS a, nvl(st, other).deep.u AS b,"
        " if(n > 3, st, other).y AS c,"
        " CASE WHEN n > 3 THEN st WHEN id = 1 THEN other END.deep AS d"
        " FROM (SELECT *,"
        " named_struct('x', n, 'y', note, 'deep', named_struct('u', id, 'v', note))"
        " AS other FROM carts)",
        {
            "a": "f(carts.st.x, carts.n) if(carts.st.x)",
            "b": "f(carts.st.deep.u, carts.id) if(carts.st.deep.u)",
            "c": "f(carts.st.y, carts.note) if(carts.n)",
            "d": "f(carts.st.deep, carts.id, carts.note) if(carts.n, carts.id)",
        },
    ),
    Case(
        "fields whose names are written in other letters",
        "SELECT ST.Deep.U AS a, Items.SKU AS b, transform(items, i -> i.QTY) AS c FROM carts",
        {
            "a": "carts.st.deep.u", "b": "carts.items._element.sku",
            "c": "f(carts.items._element.qty)",
        },
    ),
    Case(
        "the greatest and the least of structs",
        "SELECT greatest(s, t).a AS a, least(s, t).b AS b, greatest(st, st).y AS y,"
        " greatest(n, id) AS n"
        " FROM (SELECT *, struct(n AS a, note AS b) AS s, struct(id AS a, st.y AS b) AS t"
        " FROM carts)",
        {
            "a": "f(carts.n, carts.id)",
            "b": "f(carts.note, carts.st.y) if(carts.n, carts.id)",
            "y": "f(carts.st.y) if(carts.st.x)", "n": "f(carts.n, carts.id)",
        },
    ),
    Case(
        "a struct cast to other names and types, by position",
        "SELECT s.a, s.b, s.c.d, s.c.e, list.one AS one, item.two AS two FROM (SELECT"
        " CAST(st AS STRUCT<a: BIGINT, b: STRING, c: STRUCT<d: STRING, e: STRING>>) AS s,"
        " CAST(items AS ARRAY<STRUCT<one: STRING, two: INT>>) AS list,"
        " CAST(get(items, 0) AS STRUCT<one: STRING, two: INT>) AS item FROM carts)",
        {
            "a": "f(carts.st.x)", "b": "carts.st.y", "d": "f(carts.st.deep.u)",
            "e": "carts.st.deep.v", "one": "carts.items._element.sku",
            "two": "f(carts.items._element.qty)",
        },
    ),
    Case(
        "a field of the struct of the query around",
        "SELECT id, (SELECT sum(hits) FROM visits WHERE person = c.st.x) AS h,"
        " (SELECT first(named_struct('p', page, 'h', hits)) FROM visits).p AS p FROM carts c",
        {
            "id": "carts.id", "h": "agg(visits.hits) where(visits.person, carts.st.x)",
            "p": "agg(visits.page)",
        },
    ),
    Case(
        "structs in a recursive query",
        "WITH RECURSIVE up(id, s) AS (SELECT id, st FROM carts WHERE id = 1 UNION ALL"
        " SELECT c.id, named_struct('x', up.s.x, 'y', c.note, 'deep', up.s.deep) FROM carts c"
        " JOIN up ON c.id = up.id + 1) SELECT s.x, s.y, s.deep.u FROM up",
        {"x": "carts.st.x", "y": "carts.st.y carts.note", "u": "carts.st.deep.u"},
        "where(carts.id) join(carts.id)", since=(4, 1),
    ),
]  # fmt: skip

AGGREGATES = [
    Case(
        "structs of which an aggregate takes one",
        "SELECT first(st).x AS a, last(struct(note, n)).n AS b, any_value(st).deep.u AS c,"
        " max_by(st, id).y AS d, max(struct(n, note)).note AS e, max(struct(n, note)).n AS f,"
        " min(st).y AS g, min(st).x AS h, max(struct(n, note)) AS i FROM carts",
        {
            "a": "agg(carts.st.x)", "b": "agg(carts.n)", "c": "agg(carts.st.deep.u)",
            "d": "agg(carts.st.y) if(carts.id)", "e": "agg(carts.note) if(carts.n)",
            "f": "agg(carts.n)", "g": "agg(carts.st.y) if(carts.st.x)", "h": "agg(carts.st.x)",
            "i": "agg(carts.n, carts.note)",
        },
    ),
    Case(
        "structs gathered in an array and exploded",
        "SELECT e.a, e.b FROM (SELECT explode(l) AS e FROM"
        " (SELECT collect_list(struct(note AS a, upper(st.y) AS b)) AS l FROM carts GROUP BY id))",
        {"a": "agg(carts.note)", "b": "agg(carts.st.y)"}, "by(carts.id)",
    ),
    Case(
        "structs gathered in order, or once",
        "SELECT sort_array(collect_list(struct(n, note))).note AS a,"
        " sort_array(collect_list(struct(n, note)))[0].n AS b,"
        " array_sort(collect_list(st)).y AS c,"
        " collect_set(struct(n, note)).note AS d,"
        " collect_list(DISTINCT struct(n, note)).note AS e,"
        " collect_list(struct(n, note)) FILTER (WHERE id > 1)[0].note AS f FROM carts",
        {
            "a": "agg(carts.note) order(carts.n)", "b": "agg(carts.n)",
            "c": "agg(carts.st.y) order(carts.st.x)",
            "d": "agg(carts.note) by(carts.note, carts.n)",
            "e": "agg(carts.note) by(carts.note, carts.n)", "f": "agg(carts.note) if(carts.id)",
        },
    ),
    Case(
        "structs over a window",
        "SELECT nth_value(n, 2) OVER (ORDER BY id) AS a, "
        " nth_value(st, 2) OVER (ORDER BY id).x AS b, lag(st) OVER (ORDER BY id).deep.v AS c,"
        " first_value(st) OVER (PARTITION BY note).y AS d,"
        " lead(st, 1, st) OVER (ORDER BY id).x AS e FROM carts",
        {
            "a": "agg(carts.n) over(carts.id)", "b": "agg(carts.st.x) over(carts.id)",
            "c": "f(carts.st.deep.v) over(carts.id)", "d": "agg(carts.st.y) over(carts.note)",
            "e": "f(carts.st.x) over(carts.id)",
        },
    ),
]  # fmt: skip

ARRAYS = [
    Case(
        "one element of an array",
        "SELECT get(items, 1).qty AS a, try_element_at(items, 2).sku AS b, items[0].qty AS c,"
        " array_max(items).qty AS d, array_min(items).sku AS e,"
        " array(st, named_struct('x', n, 'y', note, 'deep', st.deep))[0].x AS f FROM carts",
        {
            "a": "f(carts.items._element.qty)", "b": "f(carts.items._element.sku)",
            "c": "f(carts.items._element.qty)",
            "d": "f(carts.items._element.qty) if(carts.items._element.sku)",
            "e": "f(carts.items._element.sku)", "f": "f(carts.st.x, carts.n)",
        },
    ),
    Case(
        "arrays with the same elements",
        "SELECT slice(items, 1, n).sku AS a, reverse(items).sku AS b, sort_array(items).qty AS c,"
        " array_distinct(items).sku AS d, concat(items, more).sku AS e,"
        " array_compact(items).qty AS f, flatten(array(items, more)).sku AS g,"
        " array_append(items, named_struct('sku', note, 'qty', n)).sku AS h,"
        " array_repeat(st, n).y AS i, array_union(items, more).qty AS j,"
        " array_except(items, more).sku AS k, shuffle(items).qty IS NULL AS l,"
        " array_insert(items, 1, named_struct('sku', note, 'qty', n)).qty AS m"
        " FROM (SELECT *, array(named_struct('sku', note, 'qty', n)) AS more FROM carts)",
        {
            "a": "f(carts.items._element.sku, carts.n)", "b": "f(carts.items._element.sku)",
            "c": "f(carts.items._element.qty) order(carts.items._element.sku)",
            "d": "f(carts.items._element.sku) by(carts.items)",
            "e": "f(carts.items._element.sku, carts.note)", "f": "f(carts.items._element.qty)",
            "g": "f(carts.items._element.sku, carts.note)",
            "h": "f(carts.items._element.sku, carts.note)",
            "i": "f(carts.st.y, carts.n)",
            "j": "f(carts.items._element.qty, carts.n) by(carts.items, carts.note, carts.n)",
            "k": "f(carts.items._element.sku, carts.note, carts.n) where(carts.items, carts.note,"
            " carts.n)",
            "l": "f(carts.items._element.qty)",
            "m": "f(carts.items._element.qty, carts.n)",
        },
    ),
    Case(
        "arrays zipped and exploded",
        "SELECT z.tags AS t, z.items.sku AS s, arrays_zip(tags, items).tags AS a FROM carts"
        " LATERAL VIEW explode(arrays_zip(tags, items)) e AS z",
        {
            "t": "f(carts.tags)", "s": "f(carts.items._element.sku)",
            "a": "f(carts.tags) if(carts.items)",
        },
        "join(carts.tags, carts.items)",
    ),
    Case(
        "INLINE of arrays that the query made",
        "SELECT a, b, at, q FROM (SELECT inline(array(struct(note AS a, n AS b))), items"
        " FROM carts) LATERAL VIEW posexplode(items.qty) p AS at, q",
        {
            "a": "f(carts.note)", "b": "f(carts.n)", "at": "f(carts.items)",
            "q": "f(carts.items._element.qty)",
        },
        "join(carts.items)",
    ),
]  # fmt: skip

MAPS = [
    Case(
        "a map that is made, exploded",
        "SELECT k, v FROM carts LATERAL VIEW explode(map(note, n)) e AS k, v",
        {"k": "f(carts.note)", "v": "f(carts.n)"},
    ),
    Case(
        "the map of a table, exploded",
        "SELECT k, v FROM carts LATERAL VIEW explode(props) e AS k, v",
        {"k": "f(carts.props.key)", "v": "f(carts.props.value)"}, "join(carts.props)",
    ),
    Case(
        "keys, values and entries of maps",
        "SELECT map_keys(m) AS a, map_values(m) AS b, map_entries(m).key AS c,"
        " map_entries(m)[0].value AS d, m['n1'].y AS e, element_at(m, note).x AS f,"
        " map_from_arrays(tags, tags) AS g, map_keys(map_from_arrays(array(id), array(note))) AS h,"
        " map_values(map_from_entries(array(struct(note AS p, id AS q)))) AS i,"
        " map_keys(props) AS j, map_concat(m, map('x', st))['x'].deep.u AS k, props['k1'] AS l"
        " FROM (SELECT *, map(note, st) AS m FROM carts)",
        {
            "a": "f(carts.note)", "b": "f(carts.st)", "c": "f(carts.note)", "d": "f(carts.st)",
            "e": "f(carts.st.y) if(carts.note)", "f": "f(carts.st.x, carts.note) if(carts.note)",
            "g": "f(carts.tags)", "h": "f(carts.id)", "i": "f(carts.id)",
            "j": "f(carts.props.key)", "k": "f(carts.st.deep.u) if(carts.note)",
            "l": "f(carts.props)",
        },
    ),
    Case(
        "functions over maps",
        "SELECT map_values(transform_values(m, (k, v) -> v.x + n)) AS a,"
        " map_keys(transform_values(m, (k, v) -> v.x)) AS b,"
        " map_keys(transform_keys(m, (k, v) -> concat(k, v.y))) AS c,"
        " map_filter(m, (k, v) -> v.x > n)['n1'].y AS d,"
        " map_values(map_zip_with(m, props, (k, v, w) -> v.y)) AS e"
        " FROM (SELECT *, map(note, st) AS m FROM carts)",
        {
            "a": "f(carts.st.x, carts.n)", "b": "f(carts.note)", "c": "f(carts.note, carts.st.y)",
            "d": "f(carts.st.y) if(carts.note) where(carts.st.x, carts.n)",
            "e": "f(carts.st.y) if(carts.note, carts.props.key)",
        },
    ),
]  # fmt: skip

LAMBDAS = [
    Case(
        "a function of each element",
        "SELECT transform(items, i -> named_struct('s', i.sku, 'd', i.qty * 2)).d AS a,"
        " t[0].s AS b, t.o AS c, t.at AS d, t.one AS e, t AS whole,"
        " zip_with(tags, items, (x, y) -> named_struct('x', x, 'q', y.qty)).q AS f,"
        " transform(items, i -> transform(tags, t -> named_struct('t', t, 's', i.sku)))[0].t AS g"
        " FROM (SELECT *, transform(items, (i, k) ->"
        " named_struct('s', i.sku, 'o', note, 'at', k, 'one', 1)) AS t FROM carts)",
        {
            "a": "f(carts.items._element.qty)", "b": "f(carts.items._element.sku)",
            "c": "f(carts.note, carts.items)", "d": "f(carts.items)", "e": "f(carts.items)",
            "f": "f(carts.items._element.qty) if(carts.tags)",
            "g": "f(carts.tags) if(carts.items)",
            "whole": "f(carts.items._element.sku, carts.note)",
        },
    ),
    Case(
        "elements that a function chooses",
        "SELECT filter(items, i -> i.qty > 2).sku AS a,"
        " get(filter(items, i -> i.qty > n), 0).qty AS b,"
        " exists(items, i -> i.qty > 2) AS c, forall(items, i -> i.sku > note) AS d,"
        " aggregate(items, 0, (acc, i) -> acc + i.qty) AS e,"
        " aggregate(items, named_struct('s', 0, 'n', ''), (acc, i) ->"
        " named_struct('s', acc.s + i.qty, 'n', concat(acc.n, i.sku)), acc -> acc.n) AS f,"
        " aggregate(items, 0, (acc, i) -> acc + 1) AS g,"
        " array_sort(items, (l, r) -> l.qty - r.qty).sku AS h FROM carts",
        {
            "a": "f(carts.items._element.sku) where(carts.items._element.qty)",
            "b": "f(carts.items._element.qty) where(carts.items._element.qty, carts.n)",
            "c": "f(carts.items._element.qty)", "d": "f(carts.items._element.sku, carts.note)",
            "e": "f(carts.items._element.qty)", "f": "f(carts.items._element.sku)",
            "g": "f(carts.items)",
            "h": "f(carts.items._element.sku) order(carts.items._element.qty)",
        },
    ),
    Case(
        "elements that are chosen, then exploded",
        "SELECT e.sku, e.qty FROM carts LATERAL VIEW explode(filter(items, i -> i.qty > n)) x AS e",
        {
            "sku": "f(carts.items._element.sku) where(carts.items._element.qty, carts.n)",
            "qty": "f(carts.items._element.qty) where(carts.items._element.qty, carts.n)",
        },
        "join(carts.items, carts.items._element.qty, carts.n)",
    ),
]  # fmt: skip

CASES = [*STRUCTS, *AGGREGATES, *ARRAYS, *MAPS, *LAMBDAS]
