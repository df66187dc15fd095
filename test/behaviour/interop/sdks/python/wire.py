"""The lines that a peer and the driver write to each other; ../peer.ts describes them."""

import asyncio
import contextlib
import itertools
import json
import logging
import sys


class Wire:
    """Serves the requests of the driver, and asks it what an agent is to do."""

    def __init__(self):
        self._questions = {}
        self._ids = itertools.count(1)
        self._running = {}

    def write(self, line):
        """Writes one line. JSON has no room for what it cannot say, so that is an error here."""
        sys.__stdout__.write(json.dumps(line, allow_nan=False) + "\n")
        sys.__stdout__.flush()

    async def ask(self, about, **what):
        """Asks the driver, and gives the parts of its answer as they come."""
        number = next(self._ids)
        answers = self._questions[number] = asyncio.Queue()
        self.write({"ask": number, "about": about, **what})
        try:
            while True:
                answer = await answers.get()
                if answer.get("done"):
                    return
                yield answer
        finally:
            del self._questions[number]

    async def tell(self, about, **what):
        """Tells the driver something, and waits until it knows."""
        async for _ in self.ask(about, **what):
            pass

    async def serve(self, requests):
        """Calls one of `requests` for each request, until the driver closes the input. All get the id of theirs."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=2**26)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while line := await reader.readline():
            message = json.loads(line)
            if "answer" in message:
                if (queue := self._questions.get(message["answer"])) is not None:
                    queue.put_nowait(message)
            elif message["do"] == "leave":
                if (work := self._running.get(message["of"])) is not None:
                    work.cancel()
            else:
                number = message["id"]
                work = asyncio.create_task(self._handle(number, requests[message["do"]], message))
                self._running[number] = work

    async def _handle(self, number, request, message):
        try:
            self.write({"id": number, "result": None, **(await request(number, message) or {})})
        except asyncio.CancelledError:
            self.write({"id": number, "result": None})
        except Exception as error:
            logging.debug("refused", exc_info=error)
            self.write({"id": number, "refused": type(error).__name__, "text": str(error)})
        finally:
            self._running.pop(number, None)


def run(peer):
    """Runs a peer, which is called with its wire and gives its requests, until the driver closes the input."""

    async def main():
        wire = Wire()
        await wire.serve(peer(wire))

    logging.basicConfig(level=logging.CRITICAL)
    # What an SDK prints may not come between the lines.
    with contextlib.redirect_stdout(sys.stderr):
        run_loop(main())


def run_loop(work):
    """Runs a coroutine in the event loop that uvicorn prefers, if it is installed."""
    try:
        import uvloop
    except ImportError:
        asyncio.run(work)
    else:
        uvloop.run(work)
