import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonValue } from "../../../generated/1.0/index.js";
import { all, failureOf } from "../../support/everywhere.js";
import fc from "../../support/properties.js";
import { bindings } from "../../support/scripted.js";
import { sized } from "../../support/size.js";
import { outputs, start, type Output } from "./agent.js";
import { aMessage } from "../../support/messages.js";

const uri = "https://example.com/extensions/note/v1";
const cases = Object.entries(outputs).flatMap(([mode, output]) =>
  bindings.map((binding) => ({ mode, output, binding })),
);

/** Returns an agent that copies the value of a message to each object that can have one. */
function copying(output: Output) {
  const { artifact, completed, extension, taskService, working } = output;
  const note = extension<JsonValue>({ uri });
  const data = note.data<JsonValue>("example.note");
  const service = taskService({
    async *run({ message }) {
      const value = note.get(message) ?? null;
      expect(note.get(message.parts[0])).toEqual(value);
      expect(data.get(message)).toEqual(value);
      yield note.set(working("Thinking"), value);
      yield note.set(working(), value);
      yield note.set(artifact("text").finish([note.set({ text: "Part" }, value)]), value);
      yield data.set(artifact("data").finish([]), value);
      return note.set(completed("Done"), value);
    },
  });
  return { note, data, service };
}

describe.each(cases)("an extension over $binding, in the mode $mode", ({ output, binding }) => {
  it("A value survives the way to the agent and back, in each object that can have one", async () => {
    const { note, data, service } = copying(output);
    const agent = await start(output, { service, extensions: [note] });
    const client = await agent.connect(binding, [output.withExtensions([note])]);
    const valid = fc.jsonValue({ maxDepth: 4 });
    await fc.assert(
      fc.asyncProperty(valid, async (made) => {
        // JSON has no negative zero.
        const value = JSON.parse(JSON.stringify(made)) as JsonValue;
        const part = note.set({ text: "Hi" }, value);
        const message = data.set(note.set(aMessage("Hi", { parts: [part] }), value), value);
        expect(message.extensions).toEqual([uri]);
        const events = await all(client.sendStreamingMessage({ message }));
        const [thinking, silent, done] = events.flatMap(({ statusUpdate }) => statusUpdate ?? []);
        const artifacts = events.flatMap(({ artifactUpdate }) => artifactUpdate?.artifact ?? []);
        expect(thinking?.status.message?.extensions).toEqual([uri]);
        const found = [
          thinking?.status.message,
          silent,
          artifacts[0],
          artifacts[0]?.parts[0],
          done?.status.message,
        ];
        expect(found.map((each) => note.get(each))).toEqual(found.map(() => value));
        expect(data.get(artifacts[1])).toEqual(value);
        const { task } = await client.sendMessage({
          message: { ...message, messageId: crypto.randomUUID() },
        });
        expect([note.get(task), note.get(task?.status.message)]).toEqual([value, value]);
      }),
      { numRuns: sized(8, 50) },
    );
    expect(agent.errors).toEqual([]);
  });

  it("A call with an invalid value is refused before the service, and the error names the field", async () => {
    const { completed, extension, taskService, withExtensions, working } = output;
    const calls: string[] = [];
    const schema = z.object({ tone: z.enum(["formal", "casual"]) });
    const tone = extension({ uri, schema, handle: () => calls.push("handle") });
    const service = taskService({
      async *run({ message }) {
        yield working();
        calls.push("run");
        return completed(tone.get(message)?.tone);
      },
    });
    const agent = await start(output, { service, extensions: [tone] });
    const client = await agent.connect(binding, [withExtensions([tone])]);
    const invalid = aMessage("Hi", { metadata: { [uri]: { tone: "shrill" } } });
    expect(await failureOf(client.sendMessage({ message: invalid }))).toMatchObject({
      name: "InvalidParamsError",
      message: expect.stringContaining(`message.metadata["${uri}"] is invalid: tone: `) as string,
      details: [{ fieldViolations: [{ field: `message.metadata["${uri}"]` }] }],
    });
    expect(calls).toEqual([]);
    const { task } = await client.sendMessage({
      message: tone.set(aMessage("Hi"), { tone: "formal" }),
    });
    expect([task?.status.message?.parts, calls]).toEqual([[{ text: "formal" }], ["handle", "run"]]);
    // A caller that does not request the extension is served as if it did not exist.
    const stranger = await agent.connect(binding);
    const { task: other } = await stranger.sendMessage({ message: aMessage("Hi") });
    expect(other?.status).toMatchObject({ state: "TASK_STATE_COMPLETED" });
    expect(calls).toEqual(["handle", "run", "run"]);
    const odd = aMessage("Hi", { metadata: { [uri]: { tone: "shrill" } } });
    const { task: third } = await stranger.sendMessage({ message: odd });
    expect([third?.status, agent.errors]).toMatchObject([{ state: "TASK_STATE_COMPLETED" }, []]);
  });
});
