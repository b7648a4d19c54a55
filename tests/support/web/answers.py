"""Wait until a page has all answers that it asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

COUNT_REQUESTS = """
window.openRequests = 0;
const send = window.fetch;
window.fetch = async (...request) => {
  openRequests += 1;
  const end = () => { openRequests -= 1; };
  try {
    const response = await send(...request);
    response.clone().blob().then(end, end);
    return response;
  } catch (error) {
    end();
    throw error;
  }
};
"""
# An answer is shown in the next frame, and may be followed by another request.
_WAIT = """
async () => {
  let framesWithout = 0;
  while (framesWithout < 6) {
    await new Promise(requestAnimationFrame);
    framesWithout = openRequests > 0 ? 0 : framesWithout + 1;
  }
}
"""


def wait_for_answers(page: Page) -> None:
    """Wait until no request is open for six frames: for a tenth of a second."""
    page.evaluate(_WAIT)
