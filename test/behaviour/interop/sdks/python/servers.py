"""The ports of a peer that serves, which the SDK for both versions of the protocol has in common."""

import asyncio
import socket

import grpc.aio
import uvicorn


class Ports:
    """Free ports of the loopback address, one for HTTP and one for gRPC."""

    def __init__(self):
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self.grpc = grpc.aio.server()
        self.grpc_url = f"127.0.0.1:{self.grpc.add_insecure_port('127.0.0.1:0')}"
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/"

    async def serve(self, app):
        """Serves an application over HTTP, and what has been added to `grpc`."""
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical", access_log=False, lifespan="off"))
        self._serving = asyncio.create_task(server.serve(sockets=[self._socket]))
        while not server.started:
            await asyncio.sleep(0.01)
        await self.grpc.start()
