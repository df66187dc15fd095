"""Calls an agent with `RemoteA2aAgent` of ADK for Python."""

import asyncio
import base64
import logging
import warnings

warnings.filterwarnings("ignore")

from google.adk.agents.remote_a2a_agent import RemoteA2aAgent  # noqa: E402
from google.adk.runners import InMemoryRunner  # noqa: E402
from google.genai import types  # noqa: E402
from play import play  # noqa: E402

logging.disable()


async def opened(given):
    card = given["url"] + "/.well-known/agent-card.json"
    runner = InMemoryRunner(agent=RemoteA2aAgent(name="remote", agent_card=card), app_name="trial")
    session = await runner.session_service.create_session(app_name="trial", user_id="user")
    file = given["file"]
    blob = types.Blob(data=base64.b64decode(file["raw"]), mime_type=file["mediaType"])

    async def say(heard, text, with_file, aborts):
        parts = [types.Part(text=text)]
        if with_file:
            parts.append(types.Part(inline_data=blob))
        abort = asyncio.Event()
        async for event in runner.run_async(
            user_id="user",
            session_id=session.id,
            new_message=types.Content(role="user", parts=parts),
            abort_signal=abort,
        ):
            if event.error_message:
                heard["error"] = event.error_message
            for part in (event.content and event.content.parts) or []:
                # The progress of a task arrives as thoughts.
                if part.thought:
                    continue
                # The session only keeps events that are not partial.
                heard["streamed" if event.partial else "kept"] += part.text or ""
                heard["files"] += part.inline_data is not None
                if part.function_call:
                    heard["facts"].append(part.function_call.name)
            if aborts and event.partial:
                abort.set()

    return say


play(opened)
