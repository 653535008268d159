"""
The peer of the element list: browser-use's tree of what is in view, as its agent gives it to a model. A child process of its own: it
connects to the Chromium at the address it is given; for each line it reads, it answers with a line of JSON: milliseconds and text.
Needs `pip install browser-use`, and the python3 that has it first on the PATH.
"""
import asyncio
import json
import logging
import os
import sys
import time

os.environ['ANONYMIZED_TELEMETRY'] = 'false'
os.environ['BROWSER_USE_LOGGING_LEVEL'] = 'error'
logging.disable(logging.CRITICAL)

from browser_use.browser import BrowserSession  # noqa: E402
from browser_use.dom.service import DomService  # noqa: E402


def say(answer) -> None:
    print(json.dumps(answer), file=sys.__stdout__, flush=True)


async def main(address: str) -> None:
    session = BrowserSession(cdp_url=address, is_local=False)
    await session.start()
    say({'ready': True})
    loop = asyncio.get_running_loop()
    while True:
        line = (await loop.run_in_executor(None, sys.stdin.readline)).strip()
        if not line:
            break
        try:
            # The page is identified by its address: there may be others.
            targets = [one for one in await session.get_tabs() if one.url == line]
            await session.get_or_create_cdp_session(targets[0].target_id, focus=True)
            began = time.perf_counter()
            state, _, _ = await DomService(session, viewport_threshold=0).get_serialized_dom_tree()
            text = state.llm_representation()
            say({'ms': (time.perf_counter() - began) * 1000, 'text': text})
        except Exception as error:  # the bench decides what to make of it
            say({'error': f'{type(error).__name__}: {error}'})


asyncio.run(main(sys.argv[1]))
