"""Designs of earlier imports of a project: those that a manifest leaves as they are, or ends.

A manifest has all nodes of its project for one target of dbt. A node that a newer manifest of the
target lacks was removed from the project, whichever of the two is imported first.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.statements import StatementFile
from lineage.readers.dbt.nodes import Project, job_name
from lineage.readers.facets import build_facet

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import psycopg

    from lineage.readers.dbt.files import Artifacts, Node
    from lineage.readers.facets import Facets


class StoredDesign(NamedTuple):
    """The newest manifest that had the node of a job, as an import recorded it.

    ``time``: normalized. ``checksum``: of the code of the node. ``unchanged``: the event only
    described the job, whose design remained. ``declared``: the design of the job is not empty.
    ``place``: of a job without a relation, the database and the schema of most models.
    """

    job: str
    node: str
    time: str
    checksum: str | None
    unchanged: bool
    declared: bool
    place: str | None = None


_NO_RELATION = ("exposure.", "test.")
_SQL = StatementFile(__file__)
_SELECT_DESIGNS = _SQL.statement("select_designs", StoredDesign)


def load_designs(
    conn: psycopg.Connection[Any], artifacts: Artifacts, namespace: str, job_namespace: str
) -> list[StoredDesign]:
    """Return the stored designs of a project, on one server and in one job namespace."""
    project = Project(artifacts, namespace).project_name
    return _SELECT_DESIGNS.fetch(conn, namespace=job_namespace, project=project, server=namespace)


def design_facet(
    project: Project, node: Node, time: str, checksum: str | None = None, **facts: Any
) -> Facets:
    """Return the facts about the node of a job for later imports.

    ``facts``: ``unchanged`` and ``place``, see ``StoredDesign``.
    """
    return build_facet(
        "lineage_dbt",
        "job",
        project=project.project_name,
        namespace=project.namespace,
        node=node.unique_id,
        time=time,
        checksum=checksum,
        **facts,
    )


def code_checksum(project: Project, node: Node) -> str | None:
    """Return a checksum of the code, and of the names of the relations it refers to.

    None if the manifest has no checksum of the code.
    """
    code = (node.checksum or {}).get("checksum")
    if not isinstance(code, str) or not code:
        return None
    names = sorted("/".join(name) for name in project.parent_relations(node))
    return sha256("\0".join((code, *names)).encode()).hexdigest()


def ended_designs(
    jobs: Mapping[str, str], time: str, designs: Iterable[StoredDesign]
) -> dict[str, str]:
    """Return the jobs of removed nodes, each with the time of the newest manifest that lacks it.

    ``jobs``: those of the imported manifest by node. ``time``: that of the manifest. A manifest of
    another target, whose nodes mostly have other relations, says nothing about these. A node that
    both have was not removed, although targets may share some relations and not others.
    """
    manifests: defaultdict[str, dict[str, StoredDesign]] = defaultdict(dict)
    newest = dict.fromkeys(jobs.values(), time)
    for each in designs:
        manifests[each.time][each.node] = each
        newest[each.job] = max(each.time, newest.get(each.job, ""))
    ended: dict[str, str] = {}
    for other, nodes in manifests.items():
        if other == time or not _has_shared_relations(jobs, nodes):
            continue
        lacking = (
            [
                each.job
                for each in nodes.values()
                if each.node not in jobs and each.declared and newest[each.job] < time
            ]
            if other < time
            else [job for node, job in jobs.items() if node not in nodes and newest[job] < other]
        )
        for job in lacking:
            ended[job] = max(time, other, ended.get(job, ""))
    return ended


def most_common_place(writing: Iterable[Node]) -> str:
    """Return the database and the schema of most models."""
    places = Counter(map(_place_of, writing))
    return max(sorted(places), key=places.__getitem__, default="")


def _place_of(node: Node) -> str:
    return ".".join(filter(None, (node.database, node.schema)))


def jobs_without_relation(
    nodes: Iterable[str], writing: Sequence[Node], designs: Sequence[StoredDesign]
) -> dict[str, str]:
    """Return the names of the jobs of exposures and tests by the ids of their nodes.

    A name is the id, which targets of dbt share. A job with that name of another target remains as
    it is. The own job then has the database and the schema of most models before the id. A job of
    which the target is not known is taken for the own one, which keeps its name.
    """
    own, place = jobs_by_node(writing), most_common_place(writing)
    places = {_place_of(each) for each in writing}
    names: dict[bool | None, dict[str, str]] = {True: {}, None: {}, False: {}}
    for each in sorted(designs, key=lambda design: design.job != design.node):
        if each.node not in own and each.node.startswith(_NO_RELATION):
            names[_is_of_target(each, own, places, designs)].setdefault(each.node, each.job)
    known = names[None] | names[True]
    placed = {each: f"{place}.{each}" for each in names[False] if place}
    return {each: known.get(each) or placed.get(each, each) for each in nodes}


def _is_of_target(
    design: StoredDesign,
    own: Mapping[str, str],
    places: Collection[str],
    designs: Iterable[StoredDesign],
) -> bool | None:
    """Return whether the design of an exposure or test is of a target; None if not known.

    ``own``: the jobs of the target's models by node, and ``places`` their databases and schemas. A
    later manifest may have lacked the node or its result. Then models of its manifest have later
    designs, except those that were moved or removed.
    """
    models = {each.node: each for each in designs if each.time == design.time}
    if _has_shared_relations(own, models):
        return True
    moved = [node for node in own.keys() & models.keys() if own[node] != models[node].job]
    if design.place in places:
        return 2 * len(moved) <= len(own)
    is_other = moved or any(
        each.node in own and each.job != own[each.node] and each.job.startswith(f"{design.place}.")
        for each in designs
    )
    return False if is_other else None


def jobs_by_node(nodes: Sequence[Node]) -> dict[str, str]:
    """Return the names of the jobs of nodes by their ids."""
    return {node.unique_id: job_name(node) for node in nodes}


def _has_shared_relations(jobs: Mapping[str, str], nodes: Mapping[str, StoredDesign]) -> bool:
    """Return whether most common nodes have equal jobs, and so equal relations.

    Exposures and tests have no relation.
    """
    shared = {node for node in jobs.keys() & nodes.keys() if not node.startswith(_NO_RELATION)}
    return 2 * sum(jobs[node] == nodes[node].job for node in shared) > len(shared)
