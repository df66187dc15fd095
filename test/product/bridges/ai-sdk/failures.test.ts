import { describe, expect, it } from "vitest";
import { aiAgent, type AiAgent } from "../../../../library/bridges/ai-sdk.js";
import { TaskState } from "../../../../library/kit/model.js";
import { gate, talkTo, untilAbort } from "../talk.js";
import { scripted, sdks } from "./scripted.js";

describe.each(["7", "6"] as const)("an agent of AI SDK %s that fails", (version) => {
  it("the model stops when its turn has failed, so that it calls no further tools", async () => {
    const stopped = gate();
    const { model } = scripted(() => ["Hello there"], {
      before: (part, signal) =>
        "delta" in part ? untilAbort(signal).catch(stopped.open) : undefined,
    });
    const agent: AiAgent = (call) => {
      const result = sdks[version].streamText({ model, ...call });
      return { fullStream: withNumber(result.fullStream) };
    };
    const { say, errors } = await talkTo(aiAgent(agent));
    expect((await say("Hello")).state).toBe(TaskState.Failed);
    await stopped.opened;
    expect(errors).toEqual([expect.objectContaining({ name: "TypeError" })]);
  });

  it("a stream that never waits and has no content ends with the time of its turn", async () => {
    const agent: AiAgent = () => ({ [version === "7" ? "stream" : "fullStream"]: endless() });
    const { say, errors } = await talkTo(aiAgent(agent), { limits: { turnWithinMs: 50 } });
    expect((await say("Hello")).state).toBe(TaskState.Failed);
    expect(errors).toEqual([expect.objectContaining({ name: "TimeoutError" })]);
  });
});

/** Replaces the text by a number, which the types forbid. */
async function* withNumber(stream: AsyncIterable<{ readonly type: string }>) {
  for await (const part of stream)
    yield part.type === "text-start" ? { type: "text-delta", id: "0", text: 5 } : part;
}

async function* endless() {
  for (;;) yield { type: "raw" };
}
