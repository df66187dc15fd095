"""Plays conversations with the client of a framework."""

import asyncio
import json
import sys


def play(opened):
    """Plays the conversations of the first argument with a client, and prints what the client
    tells its user about each answer, as one line of JSON. `opened` begins a conversation, and
    returns the function that sends a message. If the message `aborts`, this function aborts the
    call with the first chunk of the answer.
    """
    asyncio.run(_play(opened, json.loads(sys.argv[1])))


async def _play(opened, given):
    heard = []
    for messages in given["conversations"]:
        say = await opened(given)
        heard.append([await _answer(say, **message) for message in messages])
    print(json.dumps(heard))


async def _answer(say, text, withFile=False, aborts=False):
    heard = {"streamed": "", "kept": "", "files": 0, "facts": []}
    try:
        await say(heard, text, withFile, aborts)
    except Exception as error:
        heard["error"] = str(error)
    return heard
