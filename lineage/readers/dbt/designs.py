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
    from collections.abc import Iterable, Mapping, Sequence

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
        **{name: fact or None for name, fact in facts.items()},
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
        if other == time or not _is_same_target(jobs, nodes):
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
    places = Counter(".".join(filter(None, (each.database, each.schema))) for each in writing)
    return max(sorted(places), key=places.__getitem__, default="")


def jobs_without_relation(
    nodes: Iterable[str], writing: Sequence[Node], designs: Sequence[StoredDesign]
) -> dict[str, str]:
    """Return the names of the jobs of exposures and tests by the ids of their nodes.

    A name is the id, which targets of dbt share. A job with that name of another target remains as
    it is. The own job then has the database and the schema of most models before the id.
    """
    jobs, place = jobs_by_node(writing), most_common_place(writing)
    manifests: defaultdict[str, dict[str, StoredDesign]] = defaultdict(dict)
    for each in designs:
        manifests[each.time][each.node] = each
    names: dict[str, str] = {}
    of_others: set[str] = set()
    for each in sorted(designs, key=lambda design: design.job != design.node):
        if each.node in jobs or not each.node.startswith(_NO_RELATION):
            continue
        is_same = _has_shared_relations(jobs, manifests[each.time])
        if is_same is None:  # a later manifest of its target did not have it, or not its result
            is_same = each.place == place
        if is_same:
            names.setdefault(each.node, each.job)
        else:
            of_others.add(each.job)
    return {
        each: names.get(each) or (f"{place}.{each}" if each in of_others else each)
        for each in nodes
    }


def jobs_by_node(nodes: Sequence[Node]) -> dict[str, str]:
    """Return the names of the jobs of nodes by their ids."""
    return {node.unique_id: job_name(node) for node in nodes}


def _is_same_target(jobs: Mapping[str, str], nodes: Mapping[str, StoredDesign]) -> bool:
    """Return whether most nodes of both manifests have equal jobs, and so equal relations."""
    return _has_shared_relations(jobs, nodes) is True


def _has_shared_relations(
    jobs: Mapping[str, str], nodes: Mapping[str, StoredDesign]
) -> bool | None:
    """Return whether most common nodes have equal relations; None if there are no such nodes.

    Exposures and tests have no relation.
    """
    shared = {node for node in jobs.keys() & nodes.keys() if not node.startswith(_NO_RELATION)}
    if not shared:
        return None
    return 2 * sum(jobs[node] == nodes[node].job for node in shared) > len(shared)
