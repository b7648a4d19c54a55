"""Names of datasets and jobs by the OpenLineage naming spec, as in openlineage-spark."""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from lineage.redaction import MARK, is_secret_name, redact_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Canonical schemes for all schemes that Hadoop uses for a store; names there have no first slash.
OBJECT_STORES = {
    "s3": "s3",
    "s3a": "s3",
    "s3n": "s3",
    "gs": "gs",
    "abfs": "abfss",
    "abfss": "abfss",
    "wasb": "wasbs",
    "wasbs": "wasbs",
}
JDBC_PORTS = {
    "clickhouse": "8123",
    "crate": "5432",
    "db2": "50000",
    "mysql": "3306",
    "oceanbase": "2881",
    "oracle": "1521",
    "postgres": "5432",
    "teradata": "1025",
    "trino": "8080",
}
JDBC_SCHEMES = {"postgresql": "postgres", "ch": "clickhouse"}

_USER = re.compile(r"(?i)(^|[?&;,:])(?:user(?:name)?|uid)=[^&;,)\s]*")
_IS_USER = re.compile(r"(?i)(?:^|[._-])user(?:name)?$")
# Names of datasets contain a short mark instead of a secret, and no user info.
_HIDDEN = "***"
_USER_INFO = re.compile(
    r"(?<=://)\*\*\*@|(?<!abfs)(?<!wasb)(?<!abfss)(?<!wasbs)(?<=://)[^/?#@\s]*@"
)
_SIGNED = re.compile(r"(?i)\?(?=(?:[^?]*&)?(?:sig|[\w-]*signature)=)")

_SPECIAL = re.compile(r"[\[?]")  # in patterns of fnmatch, besides *
_KEY_VALUE = re.compile(r"[^=]*=[^=]*")
_PART_FILE = re.compile(r"part-(?:[mr]-)?\d{5}\b.*")
_DATE_ONLY = re.compile(r"[\dTZ\s:.-]+")
_DATES = {
    "%Y-%m-%d": re.compile(r"\d{4}-\d{2}-\d{2}"),
    "%d.%m.%Y": re.compile(r"\d{2}\.\d{2}\.\d{4}"),
    "%Y%m%d": re.compile(r"\d{8}"),
}
_MONTHS = {"%Y%m": re.compile(r"\d{6}"), "%Y-%m": re.compile(r"\d{4}-\d{2}")}


class DatasetName(NamedTuple):
    """The namespace and name of a dataset."""

    namespace: str
    name: str

    @property
    def full_name(self) -> str:
        """Namespace and name in one: ``s3://bucket/key``, ``file:/data/x``, ``hive://h:9083/db.t``."""
        if not self.name.startswith("/"):
            return f"{self.namespace}/{self.name}"
        return f"{self.namespace}{'' if '://' in self.namespace else ':'}{self.name}"


def of_path(path: str, default_fs: str | None = None) -> DatasetName:
    """Name the dataset at a Hadoop path, which is not percent-encoded: ``file:/d/a b``.

    ``default_fs`` (``fs.defaultFS``) completes a path that has no scheme or no authority.
    """
    scheme, authority, rest = _split_url(path)
    default_scheme, default_authority, _ = _split_url(default_fs or "file:///")
    if not scheme:
        scheme, authority = default_scheme or "file", default_authority
    elif not authority and scheme == default_scheme:
        authority = default_authority
    return _build_name(scheme, authority, rest)


def of_uri(uri: str, default_fs: str | None = None) -> DatasetName:
    """Name the dataset at a percent-encoded location, as in catalogs: ``file:/d/a%20b``."""
    return of_path(unquote(uri), default_fs)


def _split_url(path: str) -> tuple[str, str, str]:
    match = re.match(r"(?s)(?:([A-Za-z][\w+.-]*):)?(?://([^/]*))?(.*)", path)
    scheme, authority, rest = match.groups() if match else (None, None, path)
    return (scheme or "").lower(), authority or "", rest


def _build_name(scheme: str, authority: str, path: str) -> DatasetName:
    if scheme in ("http", "https"):
        path = path.partition("?")[0]
    # Signatures differ for each request, and so do the parameters after them.
    path = _hide_secrets(_SIGNED.split(path, maxsplit=1)[0])
    path = _without_dots(path)
    store = OBJECT_STORES.get(scheme)
    authority = _without_user(scheme, authority)
    if store:
        return DatasetName(f"{store}://{authority}", path.strip("/") or "/")
    if scheme == "file" or not authority:
        return DatasetName(scheme, path or "/")
    return DatasetName(f"{scheme}://{authority}", path or "/")


def _without_dots(path: str) -> str:
    """Resolve ``.``, ``..`` and empty segments, as Hadoop does for each path that it opens."""
    segments: list[str] = []
    for segment in path.split("/"):
        if segment == ".." and segments and segments[-1] != "..":
            segments.pop()
        elif segment not in ("", ".") and not (segment == ".." and path.startswith("/")):
            segments.append(segment)
    root = "/" if path.startswith("/") and segments else ""
    return root + "/".join(segments)


def _without_user(scheme: str, authority: str) -> str:
    """Drop ``user:password@``; in Azure's schemes the part before ``@`` is the container."""
    user, at, host = authority.rpartition("@")
    is_container = OBJECT_STORES.get(scheme) in ("abfss", "wasbs") and ":" not in user
    return f"{user}{at}{host}" if is_container else host


# ``stages/1_LinearRegression_4d07b8a349f2``, as Spark ML saves the stages of a pipeline.
STAGE = re.compile(r"(?<=[^/])/stages/\d+_[A-Za-z]\w*_[0-9a-f]{12}(?=/|$)")


def without_partitions(name: str) -> str:
    """Remove segments that name a part of the dataset: partitions, dates, part files of Spark.

    These are the rules of openlineage-spark (``key=value``, dates, months, ``yyyy/MM[/dd]``) and
    two more. A file that Spark wrote is a part of its directory. A stage of a saved pipeline is a
    part of the pipeline, because each fit creates a new id for it. At least one segment remains.
    """
    if stage := STAGE.search(name):
        name = name[: stage.start()]
    while (parts := name.split("/")) and (length := _partition_length([p for p in parts if p])):
        name = "/".join(parts[:-length])
    return name


def partitioned_root(name: str) -> str:
    """Return the directory that has the partitions (``key=value``) in which a file is.

    Without such a directory it is ``name`` by the rules of ``without_partitions``.
    """
    parts = name.split("/")
    for position, part in enumerate(parts[:-1]):
        if any(parts[:position]) and _KEY_VALUE.fullmatch(part):
            return "/".join(parts[:position])
    return without_partitions(name)


def _partition_length(parts: list[str]) -> int:
    """Return the number of last segments that name a part."""
    if len(parts) < 2:
        return 0
    if _names_part(parts[-1]):
        return 1
    for length, shape, pattern in (
        (2, r"\d{4}/\d{2}", "%Y/%m"),
        (3, r"\d{4}/\d\d/\d\d", "%Y/%m/%d"),
    ):
        tail = "/".join(parts[-length:])
        if len(parts) > length and re.fullmatch(shape, tail) and _is_date(tail, pattern):
            return length
    return 0


def _names_part(segment: str) -> bool:
    if _KEY_VALUE.fullmatch(segment) or _PART_FILE.fullmatch(segment):
        return True
    if any(shape.fullmatch(segment) and _is_date(segment, p) for p, shape in _MONTHS.items()):
        return True
    return bool(_DATE_ONLY.fullmatch(segment)) and any(
        _is_date(match, pattern)
        for pattern, shape in _DATES.items()
        for match in shape.findall(segment)
    )


def _is_date(text: str, pattern: str) -> bool:
    try:
        datetime.strptime(text, pattern)
    except ValueError:
        return False
    return True


def of_jdbc(url: str, table: str) -> DatasetName:
    """Name a table at a JDBC URL: ``jdbc:postgresql://h/db`` and ``s.t`` become ``db.s.t``.

    The name has no schema if ``table`` has none, because the server defines the default schema.
    If the URL has no host, the namespace is the URL without parameters and credentials.
    """
    plain = re.sub(r"(?i)^jdbc:", "", url.strip())
    scheme = re.split(r"[:+]", plain, maxsplit=1)[0].lower()
    scheme = JDBC_SCHEMES.get(scheme, scheme)
    read = {
        "sqlserver": _parse_sqlserver_url,
        "jtds": _parse_sqlserver_url,
        "oracle": _parse_oracle_url,
    }.get(scheme, _generic_jdbc)
    hosts, instance, database = read(plain)
    parts = [part.strip('"`[]') for part in table.strip().split(".")]
    if not hosts:
        place = re.sub(r"(?<=:).*@", "", re.split(r"[?;]", plain, maxsplit=1)[0], count=1)
        return DatasetName(redact_url(place), ".".join(parts))
    port = JDBC_PORTS.get(scheme)
    authority = ",".join(_with_port(host, port) for host in hosts.split(","))
    namespace = f"{'sqlserver' if scheme == 'jtds' else scheme}://{authority}".lower()
    if database and not (scheme == "mysql" and len(parts) > 1):
        parts.insert(0, database)
    return DatasetName(f"{namespace}/{instance}" if instance else namespace, ".".join(parts))


def _with_port(host: str, port: str | None) -> str:
    host = host.rpartition("@")[2].strip()
    return host if port is None or re.search(r":\d+$", host) else f"{host.rstrip(':')}:{port}"


def _generic_jdbc(url: str) -> tuple[str, str, str]:
    match = re.match(r"[\w:+.-]+?://([^/?;]*)(?:/([^?;:]*))?", url)
    hosts, database = match.groups() if match else ("", "")
    return hosts.rpartition("@")[2] if "," not in hosts else hosts, "", database or ""


def _parse_sqlserver_url(url: str) -> tuple[str, str, str]:
    match = re.match(r"[\w:]+://([^\\:/;]*)(?:\\(\w+))?(?::(\d+))?(?:/(\w+))?", url)
    host, instance, port, database = match.groups() if match else ("", "", "", "")
    named = {key.lower(): text for key, text in re.findall(r";\s*(\w+)\s*=\s*([^;]*)", url)}
    host, port = host or named.get("servername", ""), port or named.get("portnumber", "")
    database = named.get("databasename") or named.get("database") or database or ""
    instance = instance or named.get("instance") or named.get("instancename") or ""
    return f"{host}:{port}" if host and port else host, instance, database


def _parse_oracle_url(url: str) -> tuple[str, str, str]:
    """Parse ``oracle:thin:user/password@//host:port/service``, ``@host:port:sid`` or a TNS URL."""
    place = url.rpartition("@")[2].partition("?")[0]
    if "(" in place:
        hosts = re.findall(r"(?i)\(\s*HOST\s*=\s*([^)\s]+)", place)
        ports = re.findall(r"(?i)\(\s*PORT\s*=\s*(\d+)", place)
        service = re.search(r"(?i)\(\s*(?:SERVICE_NAME|SID)\s*=\s*([^)\s]+)", place)
        pairs = zip(hosts, ports + ["1521"] * len(hosts), strict=False)
        return ",".join(f"{h}:{p}" for h, p in pairs), "", service[1] if service else ""
    match = re.match(r"(?:\w*:?//)?([^:/]+)(?::(\d+))?(?:[:/]([\w.$#]+))?", place)
    host, port, service_name = match.groups() if match else ("", "", "")
    return f"{host}:{port}" if port else host, "", service_name or ""


def snowflake_account(account: str) -> str:
    """Return the account as the naming spec of OpenLineage writes it.

    ``organization-account`` has neither region nor cloud. An account locator has both; the spec
    defines their defaults.
    """
    locator, *place = account.split(".")
    if "-" in locator:
        return locator
    return ".".join((locator, *place, *("us-west-1", "aws")[len(place) :]))


def of_kafka(servers: str, topic: str) -> DatasetName:
    """Name a topic; the first bootstrap server identifies the cluster."""
    first = servers.split(",")[0].strip().rpartition("://")[2]
    return DatasetName(f"kafka://{first}", topic)


def of_source(source: str, table: str, options: Mapping[str, str]) -> DatasetName:
    """Name the dataset of a source without a rule in the spec, by the options of the source.

    Options may select the host, account or table, and only the source defines which options do. The
    name therefore contains all of them except users and secrets, so that different datasets never
    share a name.
    """
    public = {key: text for key, text in options.items() if not _is_private(key, text)}
    name = public.pop("path", table)
    rest = "&".join(f"{key}={redact_url(public[key])}" for key in sorted(public))
    return DatasetName(source, redact_url(f"{name}?{rest}" if rest else name))


def _is_private(key: str, text: str) -> bool:
    return is_secret_name(key) or bool(_IS_USER.search(key)) or "(redacted)" in text


def redact_url(text: str) -> str:
    """Remove user info, and parameters with a user or a secret, from the URLs in ``text``."""
    return _USER_INFO.sub("", _USER.sub(r"\1", _hide_secrets(text)))


def _hide_secrets(text: str) -> str:
    return redact_text(text).replace(MARK, _HIDDEN)


def hive_namespace(metastore_uris: str) -> str | None:
    """Return ``hive://host:9083`` for ``thrift://host:9083,…``: the first server identifies all."""
    first = urlsplit(metastore_uris.split(",")[0].strip())
    return f"hive://{first.netloc.rpartition('@')[2]}" if first.netloc else None


def warehouse_namespace(warehouse: str, default_fs: str | None = None) -> str:
    """Return the namespace of tables in a warehouse directory: ``file:/w``, ``s3://bucket/w``."""
    namespace, name = of_uri(warehouse, default_fs)
    path = name.strip("/")
    if namespace == "file" or "://" not in namespace:
        return f"{namespace}:/{path}"
    return f"{namespace}/{path}" if path else namespace


def snake_case(text: str) -> str:
    """Return ``append_data`` for ``AppendData``: words in lower case, joined by underscores."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode() or text
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", plain)
    return re.sub(r"[\W_]+", "_", spaced).strip("_").lower()


def application_name(name: str) -> str:
    """Name the job of a whole application."""
    return snake_case(name) or "unknown"


def job_name(application: str, command: str, target: str | None = None) -> str:
    """Return ``{app}.{command}.{target}`` of a logical command, independent of AQE."""
    parts = [application_name(application), snake_case(command)]
    if target:
        parts.append(target_label(target))
    return ".".join(parts)


def target_label(name: str) -> str:
    """Return the target in a job's name: ``db_t`` for ``db.t``, for a path the last 2 segments."""
    segments = [segment for segment in name.split("/") if segment]
    return "_".join(segments[-2:]).replace(".", "_") or "root"


def covers_namespace(namespaces: Iterable[str], namespace: str) -> bool:
    """Return whether one of ``namespaces`` matches ``namespace``; ``*`` matches any text."""
    return any(fnmatchcase(namespace, _SPECIAL.sub(r"[\g<0>]", each)) for each in namespaces)
