"""An agent and a client of the Python SDK for 1.0. With "0.3" as its argument, its agent serves callers of 0.3."""

import sys

import httpx
from google.protobuf.json_format import MessageToDict, ParseDict
from grpc.aio import insecure_channel
from starlette.applications import Starlette

from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.client.client import ClientCallContext
from a2a.client.service_parameters import ServiceParametersFactory, with_a2a_extensions
from a2a.compat.v0_3 import a2a_v0_3_pb2_grpc
from a2a.compat.v0_3.grpc_handler import CompatGrpcHandler
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryPushNotificationConfigStore, InMemoryTaskStore
from a2a.types import a2a_pb2, a2a_pb2_grpc

from bench import BenchExecutor, settle
from servers import Ports
from wire import run

IS_OLD = sys.argv[1:] == ["0.3"]

# What the methods of the request handler are called by the driver.
HANDLERS = {
    "on_message_send": "sendMessage",
    "on_message_send_stream": "sendStreamingMessage",
    "on_get_task": "getTask",
    "on_list_tasks": "listTasks",
    "on_cancel_task": "cancelTask",
    "on_subscribe_to_task": "subscribeToTask",
    "on_create_task_push_notification_config": "createTaskPushNotificationConfig",
    "on_get_task_push_notification_config": "getTaskPushNotificationConfig",
    "on_list_task_push_notification_configs": "listTaskPushNotificationConfigs",
    "on_delete_task_push_notification_config": "deleteTaskPushNotificationConfig",
    "on_get_extended_agent_card": "getExtendedAgentCard",
}
STREAMS = {"on_message_send_stream", "on_subscribe_to_task"}

# The methods of the client for those of the driver, with the types of their requests.
CALLS = {
    "sendMessage": ("send_message", a2a_pb2.SendMessageRequest),
    "sendStreamingMessage": ("send_message", a2a_pb2.SendMessageRequest),
    "getTask": ("get_task", a2a_pb2.GetTaskRequest),
    "listTasks": ("list_tasks", a2a_pb2.ListTasksRequest),
    "cancelTask": ("cancel_task", a2a_pb2.CancelTaskRequest),
    "subscribeToTask": ("subscribe", a2a_pb2.SubscribeToTaskRequest),
    "createTaskPushNotificationConfig": ("create_task_push_notification_config", a2a_pb2.TaskPushNotificationConfig),
    "getTaskPushNotificationConfig": (
        "get_task_push_notification_config",
        a2a_pb2.GetTaskPushNotificationConfigRequest,
    ),
    "listTaskPushNotificationConfigs": (
        "list_task_push_notification_configs",
        a2a_pb2.ListTaskPushNotificationConfigsRequest,
    ),
    "deleteTaskPushNotificationConfig": (
        "delete_task_push_notification_config",
        a2a_pb2.DeleteTaskPushNotificationConfigRequest,
    ),
    "getExtendedAgentCard": ("get_extended_agent_card", a2a_pb2.GetExtendedAgentCardRequest),
}


def as_event(act):
    """Reads what an agent sends."""
    event = ParseDict(act, a2a_pb2.StreamResponse())
    return getattr(event, event.WhichOneof("payload"))


class Executor(AgentExecutor):
    """An agent that does what the driver says."""

    def __init__(self, wire):
        self._wire = wire

    async def execute(self, context, event_queue):
        message = MessageToDict(context.message)
        extensions = sorted(context.requested_extensions)
        known = {"taskId": context.task_id, "contextId": context.context_id}
        if context.current_task is not None:
            known["task"] = MessageToDict(context.current_task)
        async for answer in self._wire.ask("message", message=message, extensions=extensions, **known):
            if "act" in answer:
                await event_queue.enqueue_event(self._for(context.current_task, as_event(answer["act"])))

    @staticmethod
    def _for(earlier, event):
        """Goes on with a task that there is already, which the SDK only lets be changed by updates."""
        if earlier is None or not isinstance(event, a2a_pb2.Task):
            return event
        return a2a_pb2.TaskStatusUpdateEvent(task_id=event.id, context_id=event.context_id, status=event.status)

    async def cancel(self, context, event_queue):
        async for answer in self._wire.ask("cancel", taskId=context.task_id, contextId=context.context_id):
            await event_queue.enqueue_event(as_event(answer["act"]))


def recording(handler, wire):
    """Tells the driver what a handler is asked."""

    async def tell(name, params, context):
        extensions = sorted(context.requested_extensions)
        await wire.tell("asked", method=HANDLERS[name], request=MessageToDict(params), extensions=extensions)

    def recorded(name, method):
        async def unary(params, context):
            await tell(name, params, context)
            return await method(params, context)

        async def stream(params, context):
            await tell(name, params, context)
            async for event in method(params, context):
                yield event

        return stream if name in STREAMS else unary

    for name in HANDLERS:
        setattr(handler, name, recorded(name, getattr(handler, name)))
    return handler


class Connection:
    """A client over one transport, which has found the card by itself."""

    async def open(self, url, binding):
        self._headers = {}
        self._http = httpx.AsyncClient(event_hooks={"response": [self._note]}, timeout=30)
        self.card = await A2ACardResolver(self._http, url).get_agent_card()
        options = {
            "httpx_client": self._http,
            "grpc_channel_factory": insecure_channel,
            "supported_protocol_bindings": [binding],
        }
        self._streaming = ClientFactory(ClientConfig(streaming=True, **options)).create(self.card)
        self._unary = ClientFactory(ClientConfig(streaming=False, **options)).create(self.card)
        self._has_headers = binding != "GRPC"

    async def _note(self, response):
        self._headers = dict(response.headers)

    def headers(self):
        return {"headers": self._headers} if self._has_headers else {}

    def begin(self, message, client):
        method, request = CALLS[message["method"]]
        extensions = with_a2a_extensions(message.get("extensions", []))
        context = ClientCallContext(service_parameters=ServiceParametersFactory.create([extensions]))
        return getattr(client, method)(ParseDict(message["request"], request()), context=context)

    async def call(self, message):
        called = self.begin(message, self._unary)
        if message["method"] == "sendMessage":
            result = [event async for event in called][-1]
        else:
            result = await called
        return {"result": None if result is None else MessageToDict(result), **self.headers()}

    async def stream(self, message, emit):
        async for event in self.begin(message, self._streaming):
            emit(MessageToDict(event))
        return self.headers()


def peer(wire):
    """Gives the requests that this peer serves."""
    ports = None
    connection = Connection()

    async def listen(_number, _message):
        nonlocal ports
        ports = Ports()
        return {"result": {"url": ports.url, "grpcUrl": ports.grpc_url}}

    async def serve(_number, message):
        card = ParseDict(message["card"], a2a_pb2.AgentCard())
        store = InMemoryTaskStore()
        if bench := message.get("bench"):
            handler = DefaultRequestHandler(agent_executor=BenchExecutor(bench), task_store=store, agent_card=card)
        else:
            handler = recording(
                DefaultRequestHandler(
                    agent_executor=Executor(wire),
                    task_store=store,
                    agent_card=card,
                    push_config_store=InMemoryPushNotificationConfigStore(),
                    extended_agent_card=ParseDict(message["extendedCard"], a2a_pb2.AgentCard()),
                ),
                wire,
            )
        routes = [
            *create_agent_card_routes(card),
            *create_jsonrpc_routes(handler, "/rpc", enable_v0_3_compat=IS_OLD),
            *create_rest_routes(handler, path_prefix="/rest", enable_v0_3_compat=IS_OLD),
        ]
        if IS_OLD:
            a2a_v0_3_pb2_grpc.add_A2AServiceServicer_to_server(CompatGrpcHandler(handler), ports.grpc)
        else:
            a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(handler), ports.grpc)
        await ports.serve(Starlette(routes=routes))

    async def connect(_number, message):
        await connection.open(message["url"], message["binding"])
        return {"result": MessageToDict(connection.card)}

    async def call(_number, message):
        return await connection.call(message)

    async def stream(number, message):
        return await connection.stream(message, lambda event: wire.write({"id": number, "event": event}))

    return {"listen": listen, "serve": serve, "connect": connect, "call": call, "stream": stream, "settle": settle}


run(peer)
