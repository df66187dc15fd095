import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { adaptedOutput } from "../../support/adapted.js";
import { all } from "../../support/everywhere.js";
import { serve } from "../../support/http.js";
import { outputOf } from "../../support/scripted.js";

type Client = Record<
  "sendStreamingMessage" | "subscribeToTask",
  (request: object) => AsyncIterable<unknown>
>;

/** Returns a client of the output of a version, or of 1.0 with its adapter for the version. */
async function clientOf(reader: string, card: object, options: object) {
  const adapted = reader.includes("through") ? await adaptedOutput() : undefined;
  const output = (adapted?.own ?? (await outputOf(reader))) as { connect: unknown };
  const versions = Object.values(adapted?.adapters ?? {}).map(({ spoken }) => spoken);
  const connect = output.connect as (target: object, options: object) => Promise<Client>;
  return await connect(card, { ...options, versions });
}

const update = (state: string, final: boolean): object => {
  return { kind: "status-update", taskId: "t", contextId: "c", status: { state }, final };
};
const artifact = {
  kind: "artifact-update",
  taskId: "t",
  contextId: "c",
  artifact: { artifactId: "a", parts: [] },
};
const work = [
  { kind: "task", id: "t", contextId: "c", status: { state: "working" } },
  update("working", false),
];

/** An agent that writes events in one chunk, and keeps the stream open. */
async function openAgent(reader: string, events: readonly object[]) {
  const responses: ServerResponse[] = [];
  const { url } = await serve(({ body }, response) => {
    const { id } = JSON.parse(body) as { id: unknown };
    const lines = events.map(
      (result) => `data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`,
    );
    response.writeHead(200, { "content-type": "text/event-stream" }).write(lines.join(""));
    responses.push(response);
  });
  const protocolVersion = /0\.\d/.exec(reader)?.[0];
  const card = {
    ...{
      name: "Agent",
      description: "Keeps streams open.",
      version: "1",
      url,
      skills: [],
      defaultInputModes: [],
    },
    ...{
      defaultOutputModes: [],
      capabilities: { streaming: true },
      protocolVersion: `${protocolVersion ?? ""}.0`,
    },
    preferredTransport: "JSONRPC",
  };
  return { card, responses };
}

/** A request in the form of the reader's own version. */
function requestFor(reader: string): object {
  const own = reader.includes("through")
    ? { role: "ROLE_USER", parts: [{ text: "Hello" }] }
    : { kind: "message", role: "user", parts: [{ kind: "text", text: "Hello" }] };
  return { id: "t", message: { messageId: "m", ...own } };
}

describe.each(["0.2.1", "0.2.6", "0.3.0", "1.0 through 0.2", "1.0 through 0.3"])(
  "a client: %s",
  (reader) => {
    const last = ["completed", "input-required"];
    const cases = (["sendStreamingMessage", "subscribeToTask"] as const).flatMap((method) =>
      [true, false].flatMap((strict) => last.map((state) => [method, state, strict] as const)),
    );

    it.each(cases)(
      "%s ends at %s with `final: true`, and closes the connection (strict: %j)",
      async (...given) => {
        const [method, state, strict] = given;
        const { card, responses } = await openAgent(reader, [
          ...work,
          update(state, true),
          update("working", false),
        ]);
        const client = await clientOf(reader, card, { strict });
        const events = await all(client[method](requestFor(reader)));
        expect(events).toHaveLength(3);
        expect(JSON.stringify(events[2])).toMatch(/completed|input.required/i);
        const [response] = responses;
        if (response?.closed === false) await once(response, "close");
        expect(response).toMatchObject({ closed: true, writableEnded: false });
      },
    );

    it("other events with `final: true` do not end a stream", async () => {
      const { card, responses } = await openAgent(reader, [
        ...work,
        { ...artifact, final: true },
        update("completed", true),
      ]);
      const client = await clientOf(reader, card, {});
      const events = await all(client.sendStreamingMessage(requestFor(reader)));
      expect([events.length, responses.length]).toEqual([4, 1]);
    });
  },
);
