"""The services that requests of every HTTP surface use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.requests import Request
    from typing_extensions import Self

    from lineage.database.read_pool import ReadPool
    from lineage.database.side_connection import SideConnection
    from lineage.http.authentication import Authentication
    from lineage.http.metrics import Metrics
    from lineage.http.origins import Origins
    from lineage.http.request_body import BodyBudget


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The services of an application."""

    origins: Origins
    access: Authentication
    body_budget: BodyBudget
    readers: ReadPool
    lookups: SideConnection
    metrics: Metrics

    @classmethod
    def of_request(cls, request: Request) -> Self:
        """Return the services of the application that serves a request."""
        services = request.app.state.services
        assert isinstance(services, cls)
        return services
