"""Calls an agent with `A2AAgent` of Strands for Python."""

import base64
import logging

from play import play
from strands.agent.a2a_agent import A2AAgent

logging.disable()


async def opened(given):
    agent = A2AAgent(endpoint=given["url"])
    image = {"format": "png", "source": {"bytes": base64.b64decode(given["file"]["raw"])}}

    async def say(heard, text, with_file, aborts):
        content = [{"text": text}, {"image": image}] if with_file else text
        stream = agent.stream_async(content)
        async for event in stream:
            if "result" in event:
                result = event["result"]
                for block in result.message["content"]:
                    heard["kept"] += block.get("text", "")
                    heard["files"] += "text" not in block
                heard["facts"] += [result.stop_reason, *result.state.values()]
            elif aborts and getattr(event["event"][1], "artifact", None):
                await stream.aclose()
                break

    return say


play(opened)
