"""An agent and a client of the Python SDK for 0.3."""

import httpx
from grpc.aio import insecure_channel
from starlette.applications import Starlette
from starlette.routing import Mount

from a2a import types
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.client.errors import A2AClientJSONRPCError
from a2a.grpc import a2a_pb2_grpc
from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2ARESTFastAPIApplication, A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.tasks import InMemoryPushNotificationConfigStore, InMemoryTaskStore

from servers import Ports
from wire import run

# What the methods of the request handler are called by the driver.
HANDLERS = {
    "on_message_send": "sendMessage",
    "on_message_send_stream": "sendStreamingMessage",
    "on_get_task": "getTask",
    "on_cancel_task": "cancelTask",
    "on_resubscribe_to_task": "subscribeToTask",
    "on_set_task_push_notification_config": "createTaskPushNotificationConfig",
    "on_get_task_push_notification_config": "getTaskPushNotificationConfig",
    "on_list_task_push_notification_config": "listTaskPushNotificationConfigs",
    "on_delete_task_push_notification_config": "deleteTaskPushNotificationConfig",
}
STREAMS = {"on_message_send_stream", "on_resubscribe_to_task"}

# The methods of a transport for those of the driver, with the types of their requests. A client hides events, and knows
# no configuration.
CALLS = {
    "sendMessage": ("send_message", types.MessageSendParams),
    "sendStreamingMessage": ("send_message_streaming", types.MessageSendParams),
    "getTask": ("get_task", types.TaskQueryParams),
    "cancelTask": ("cancel_task", types.TaskIdParams),
    "subscribeToTask": ("resubscribe", types.TaskIdParams),
    "createTaskPushNotificationConfig": ("set_task_callback", types.TaskPushNotificationConfig),
    "getTaskPushNotificationConfig": ("get_task_callback", types.GetTaskPushNotificationConfigParams),
}

EVENTS = {
    "task": types.Task,
    "message": types.Message,
    "status-update": types.TaskStatusUpdateEvent,
    "artifact-update": types.TaskArtifactUpdateEvent,
}


def as_json(model):
    """Writes a value of the SDK."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def as_event(act):
    """Reads what an agent sends."""
    return EVENTS[act["kind"]].model_validate(act)


class Executor(AgentExecutor):
    """An agent that does what the driver says."""

    def __init__(self, wire):
        self._wire = wire

    async def execute(self, context, event_queue):
        known = {"taskId": context.task_id, "contextId": context.context_id, "message": as_json(context.message)}
        if context.current_task is not None:
            known["task"] = as_json(context.current_task)
        extensions = sorted(context.requested_extensions)
        async for answer in self._wire.ask("message", extensions=extensions, **known):
            if "activate" in answer:
                context.add_activated_extension(answer["activate"])
            else:
                await event_queue.enqueue_event(as_event(answer["act"]))

    async def cancel(self, context, event_queue):
        async for answer in self._wire.ask("cancel", taskId=context.task_id, contextId=context.context_id):
            await event_queue.enqueue_event(as_event(answer["act"]))


def recording(handler, wire):
    """Tells the driver what a handler is asked."""

    async def tell(name, params, context):
        extensions = sorted(context.requested_extensions)
        await wire.tell("asked", method=HANDLERS[name], request=as_json(params), extensions=extensions)

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


class RefusedError(Exception):
    """A protocol error, by the name of its class."""


def named(error):
    """Gives an error the class that its code stands for."""
    code = error.error.code
    for name, model in vars(types).items():
        fields = getattr(model, "model_fields", {})
        if name.endswith("Error") and "code" in fields and fields["code"].default == code:
            return type(name, (RefusedError,), {})(error.error.message)
    return error


class Connection:
    """A client over one transport, which has found the card by itself."""

    async def open(self, url, binding):
        self._headers = {}
        self._http = httpx.AsyncClient(event_hooks={"response": [self._note]}, timeout=30)
        self.card = await A2ACardResolver(self._http, url).get_agent_card()
        config = ClientConfig(
            httpx_client=self._http, grpc_channel_factory=insecure_channel, supported_transports=[binding]
        )
        self._transport = ClientFactory(config).create(self.card)._transport
        self._has_headers = binding != "GRPC"

    async def _note(self, response):
        self._headers = dict(response.headers)

    def headers(self):
        return {"headers": self._headers} if self._has_headers else {}

    def begin(self, message):
        extensions = message.get("extensions")
        if message["method"] == "getExtendedAgentCard":
            return self._transport.get_card(extensions=extensions)
        if message["method"] not in CALLS:
            raise NotImplementedError(f"The client has no {message['method']}")
        method, type_of_request = CALLS[message["method"]]
        request = type_of_request.model_validate(message["request"])
        if isinstance(request, types.MessageSendParams):
            # As the client does, which says so with every message.
            request.configuration = request.configuration or types.MessageSendConfiguration()
            if request.configuration.blocking is None:
                request.configuration.blocking = True
        return getattr(self._transport, method)(request, extensions=extensions)

    async def call(self, message):
        try:
            return {"result": as_json(await self.begin(message)), **self.headers()}
        except A2AClientJSONRPCError as error:
            raise named(error) from error

    async def stream(self, message, emit):
        try:
            async for event in self.begin(message):
                emit(as_json(event))
        except A2AClientJSONRPCError as error:
            raise named(error) from error
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
        card = types.AgentCard.model_validate(message["card"])
        handler = recording(
            DefaultRequestHandler(
                agent_executor=Executor(wire),
                task_store=InMemoryTaskStore(),
                push_config_store=InMemoryPushNotificationConfigStore(),
            ),
            wire,
        )

        async def extended(shown, context):
            extensions = sorted(context.requested_extensions)
            await wire.tell("asked", method="getExtendedAgentCard", request={}, extensions=extensions)
            return shown

        cards = {
            "agent_card": card,
            "extended_agent_card": types.AgentCard.model_validate(message["extendedCard"]),
            "extended_card_modifier": extended,
        }
        app = Starlette()
        A2AStarletteApplication(http_handler=handler, **cards).add_routes_to_app(app, rpc_url="/rpc")
        app.routes.append(Mount("/rest", A2ARESTFastAPIApplication(http_handler=handler, **cards).build()))
        a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(card, handler), ports.grpc)
        await ports.serve(app)

    async def connect(_number, message):
        await connection.open(message["url"], message["binding"])
        return {"result": as_json(connection.card)}

    async def call(_number, message):
        return await connection.call(message)

    async def stream(number, message):
        return await connection.stream(message, lambda event: wire.write({"id": number, "event": event}))

    return {"listen": listen, "serve": serve, "connect": connect, "call": call, "stream": stream}


run(peer)
