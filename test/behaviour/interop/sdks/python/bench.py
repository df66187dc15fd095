"""An agent of the Python SDK for benchmarks: the first word of a message is the kind of the response."""

import asyncio
import gc

from a2a.helpers.proto_helpers import new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.types import a2a_pb2


class BenchExecutor(AgentExecutor):
    """Responds as the driver's `bench` specifies: with its answer, or with a number of chunks."""

    def __init__(self, bench):
        self._answer = bench["answer"]
        self._chunks = bench["chunks"]

    async def execute(self, context, event_queue):
        kind = context.message.parts[0].text.partition(":")[0]
        if kind == "message":
            await event_queue.enqueue_event(new_text_message(self._answer))
            return
        ids = {"task_id": context.task_id, "context_id": context.context_id}
        task = a2a_pb2.Task(id=context.task_id, context_id=context.context_id, history=[context.message])
        task.status.CopyFrom(self._status("TASK_STATE_SUBMITTED"))
        await event_queue.enqueue_event(task)
        await event_queue.enqueue_event(self._update(ids, "TASK_STATE_WORKING"))
        if kind == "wait":
            await asyncio.Event().wait()
        texts = [self._answer] if kind == "task" else [f"word {index} " for index in range(self._chunks)]
        for index, text in enumerate(texts):
            artifact = a2a_pb2.Artifact(artifact_id="answer", name="Answer", parts=[new_text_part(text)])
            place = {"append": index > 0, "last_chunk": index == len(texts) - 1}
            await event_queue.enqueue_event(a2a_pb2.TaskArtifactUpdateEvent(artifact=artifact, **place, **ids))
        await event_queue.enqueue_event(self._update(ids, "TASK_STATE_COMPLETED"))

    async def cancel(self, context, event_queue):
        ids = {"task_id": context.task_id, "context_id": context.context_id}
        await event_queue.enqueue_event(self._update(ids, "TASK_STATE_CANCELED"))

    def _update(self, ids, state):
        return a2a_pb2.TaskStatusUpdateEvent(status=self._status(state), **ids)

    @staticmethod
    def _status(state):
        status = a2a_pb2.TaskStatus(state=state)
        status.timestamp.GetCurrentTime()
        return status


async def settle(_number, _message):
    """Collects garbage."""
    gc.collect()
