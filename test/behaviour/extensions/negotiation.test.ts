import { describe, expect, it } from "vitest";
import { all, failureOf } from "../../support/everywhere.js";
import { callGrpc } from "../../support/grpc.js";
import { bindings } from "../../support/scripted.js";
import { codecs } from "../../../generated/1.0/codecs.js";
import { outputs, start } from "./agent.js";
import { aMessage } from "../../support/messages.js";
import { aCard } from "../../support/cards.js";

const output = outputs.copies;
const { completed, extension, message: replyWith, taskService, withExtensions, working } = output;

const [first, second] = ["https://example.com/first/v1", "https://example.com/second/v1"];
const service = () =>
  taskService({
    async *run() {
      yield working();
      return completed("Done");
    },
  });

/** The header with the activated extensions of a response, by the way of the call. */
async function activated(
  agent: { url: string; grpcUrl: string },
  requested: string,
): Promise<Record<string, unknown>> {
  const headers = {
    "content-type": "application/json",
    "a2a-version": "1.0",
    "a2a-extensions": requested,
  };
  const post = async (path: string, body: object) => {
    const response = await fetch(`${agent.url}${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    await response.text();
    return response.headers.get("a2a-extensions");
  };
  const request = { message: aMessage("Hi") };
  const rpc = (method: string): object => ({ jsonrpc: "2.0", id: 1, method, params: request });
  const bytes = codecs["SendMessage"]?.request.encode(request) ?? new Uint8Array();
  const grpc = await callGrpc(agent.grpcUrl, "/lf.a2a.v1.A2AService/SendMessage", bytes, headers);
  return {
    JSONRPC: await post("", rpc("SendMessage")),
    "JSONRPC stream": await post("", rpc("SendStreamingMessage")),
    "HTTP+JSON": await post("message:send", request),
    "HTTP+JSON stream": await post("message:stream", request),
    GRPC: grpc.metadata.get("a2a-extensions")[0] ?? null,
  };
}

describe("the negotiation of extensions", () => {
  it("The agent activates the requested extensions that it supports, and names them in each response", async () => {
    const extensions = [extension({ uri: first }), extension({ uri: second })];
    const agent = await start(output, { service: service(), extensions });
    const each = (value: string | null) => ({
      JSONRPC: value,
      "JSONRPC stream": value,
      "HTTP+JSON": value,
      "HTTP+JSON stream": value,
      GRPC: value,
    });
    expect(await activated(agent, `https://example.com/other, ${second}`)).toEqual(each(second));
    expect(await activated(agent, `${second},${first},${first}`)).toEqual(
      each(`${first}, ${second}`),
    );
    expect(await activated(agent, "https://example.com/other")).toEqual(each(null));
    expect(agent.errors).toEqual([]);
  });

  it.each(bindings)(
    "A client reads the activated extensions of a response over %s",
    async (binding) => {
      const agent = await start(output, {
        service: service(),
        extensions: [extension({ uri: first })],
      });
      const client = await agent.connect(binding);
      const seen: (readonly string[])[] = [];
      const onExtensions = (uris: readonly string[]): void => void seen.push(uris);
      const extensions = [first, second];
      await client.sendMessage({ message: aMessage("Hi") }, { extensions, onExtensions });
      await all(
        client.sendStreamingMessage({ message: aMessage("Hi") }, { extensions, onExtensions }),
      );
      await client.sendMessage({ message: aMessage("Hi") }, { onExtensions });
      expect(seen).toEqual([[first], [first], []]);
    },
  );

  it.each(bindings)(
    "A call without a required extension is refused with the protocol error over %s",
    async (binding) => {
      const agent = await start(output, {
        service: service(),
        extensions: [extension({ uri: first, required: true })],
      });
      const stranger = await agent.connect(binding);
      expect(await failureOf(stranger.sendMessage({ message: aMessage("Hi") }))).toMatchObject({
        name: "ExtensionSupportRequiredError",
        metadata: { extension: first },
        jsonRpcCode: -32008,
        httpStatus: 400,
        grpcStatus: "FAILED_PRECONDITION",
      });
      const client = await agent.connect(binding, [withExtensions([extension({ uri: first })])]);
      expect((await client.sendMessage({ message: aMessage("Hi") })).task?.status.state).toBe(
        "TASK_STATE_COMPLETED",
      );
    },
  );

  it("The card and the extended card declare the extensions, and keep the entries that they have", async () => {
    const listed = { uri: second, description: "Written by hand", params: { a: 1 } };
    const extensions = [
      extension({ uri: first, description: "First", params: { roles: ["merchant"] } }),
      extension({ uri: second, description: "Second", required: true }),
    ];
    const extendedCard = () => aCard("http://agent.test", { name: "Extended", capabilities: {} });
    const agent = await start(
      output,
      {
        service: taskService({
          async *run() {
            yield working();
            return completed();
          },
          extendedCard,
        }),
        extensions,
        authenticate: () => "ada",
      },
      { extendedAgentCard: true, extensions: [listed] },
    );
    const client = await agent.connect("JSONRPC", [withExtensions(extensions)]);
    const declaration = { uri: first, description: "First", params: { roles: ["merchant"] } };
    expect(client.card?.capabilities.extensions).toEqual([
      { ...listed, required: true },
      declaration,
    ]);
    expect((await client.getExtendedAgentCard()).capabilities.extensions).toEqual([
      declaration,
      { uri: second, description: "Second", required: true },
    ]);
  });

  it("A signed card must declare the extensions itself", async () => {
    const signatures = [{ protected: "e30", signature: "e30" }];
    const own = extension({ uri: first });
    const card = aCard("http://agent.test", { name: "Signed", capabilities: {}, signatures });
    const make = (capabilities: object) =>
      output.createAgent({ card: { ...card, capabilities }, extensions: [own], service: {} });
    expect(() => make({})).toThrow(
      `The agent card is signed and does not declare ${first}: add the declaration to capabilities.extensions`,
    );
    expect(make({ extensions: [own.declaration] })).toBeDefined();
  });

  it("Invalid extensions are refused when they are created or passed to the agent", async () => {
    expect(() => extension({ uri: "no uri" })).toThrow(
      '`uri` of an extension must be a URI, got "no uri"',
    );
    const broken = (extensions: readonly object[]) =>
      start(output, { service: {}, extensions: extensions as [] });
    await expect(broken([{ uri: first }])).rejects.toThrow(
      "extensions[0] must be an extension with a URI",
    );
    await expect(broken([extension({ uri: "urn:a,b" })])).rejects.toThrow(
      "extensions[0] must have a URI without",
    );
    await expect(broken([extension({ uri: first }), extension({ uri: first })])).rejects.toThrow(
      "the same URI",
    );
  });
});

describe("the functions of an extension", () => {
  it("`handle` runs after `authorize`, with the value, and can refuse the call", async () => {
    const order: string[] = [];
    const { PermissionDeniedError } = output;
    const passport = extension<string>({
      uri: first,
      handle({ value, name, context }) {
        order.push(`${name} ${String(value)} ${String(context.user)}`);
        if (value === "stolen") throw new PermissionDeniedError("The passport is stolen");
      },
    });
    const agent = await start(output, {
      authenticate: () => "ada",
      service: service(),
      extensions: [passport],
      authorize: ({ name }) => {
        order.push(`authorize ${name}`);
        if (name === "ListTasks") throw new PermissionDeniedError();
      },
    });
    const client = await agent.connect("GRPC", [withExtensions([passport])]);
    const denied = await failureOf(
      client.sendMessage({ message: passport.set(aMessage("Hi"), "stolen") }),
    );
    expect(denied).toMatchObject({
      name: "PermissionDeniedError",
      message: "The passport is stolen",
    });
    await failureOf(client.listTasks({}));
    await failureOf(client.getTask({ id: "none" }));
    expect(order).toEqual([
      ...["authorize SendMessage", "SendMessage stolen ada", "authorize ListTasks"],
      ...["authorize GetTask", "GetTask undefined ada"],
    ]);
  });

  it("`activate` adds a value to each message, but only for an agent that declares the extension", async () => {
    const params: unknown[] = [];
    const passport = extension<string>({
      uri: first,
      params: { keys: ["name"] },
      activate: async (sending) => {
        params.push(sending.params);
        return `for ${sending.message.messageId}`;
      },
    });
    const seen: unknown[] = [];
    const noting = () =>
      taskService({
        async *run({ message }) {
          yield working();
          seen.push(passport.get(message));
          return completed();
        },
      });
    const agent = await start(output, { service: noting(), extensions: [passport] });
    const client = await agent.connect("JSONRPC", [withExtensions([passport])]);
    await client.sendMessage({ message: aMessage("Hi", { messageId: "m1" }) });
    await client.sendMessage({ message: passport.set(aMessage("Hi"), "own") });
    await all(client.sendStreamingMessage({ message: aMessage("Hi", { messageId: "m2" }) }));
    const stranger = await start(output, { service: noting() });
    await (
      await stranger.connect("JSONRPC", [withExtensions([passport])])
    ).sendMessage({ message: aMessage("Hi") });
    const direct = new output.A2AClient({
      transport: output.jsonRpcTransport(stranger.url),
      interceptors: [withExtensions([passport])],
    });
    await direct.sendMessage({ message: aMessage("Hi", { messageId: "m3" }) });
    expect(seen).toEqual(["for m1", "own", "for m2", undefined, "for m3"]);
    expect(params).toEqual([{ keys: ["name"] }, { keys: ["name"] }, undefined]);
  });

  it("`respond` adds a value to the messages and artifacts of turns and to replies, for callers that request it", async () => {
    const { artifact, inputRequired, textOf } = output;
    let count = 0;
    const stamp = extension<number>({
      uri: first,
      respond({ extensions, message }) {
        expect(extensions).toEqual([first]);
        if (textOf(message) === "fail") throw new Error("No clock");
        return (count += 1);
      },
    });
    const made = taskService({
      reply: ({ message }) => (textOf(message) === "reply" ? replyWith("Hello") : undefined),
      async *run({ state }) {
        if (state === undefined) return inputRequired("Who?", { state: {} });
        yield working();
        yield* artifact("a").from(["1", "2"]);
        return stamp.set(completed("Own"), 0);
      },
    });
    const agent = await start(output, { service: made, extensions: [stamp] });
    const client = await agent.connect("HTTP+JSON", [withExtensions([stamp])]);
    const { task } = await client.sendMessage({ message: aMessage("Hi") });
    const taskId = task?.id ?? "";
    expect(stamp.get(task?.status.message)).toBe(1);
    const done = await client.sendMessage({ message: aMessage("Ada", { taskId }) });
    expect([stamp.get(done.task?.artifacts?.[0]), stamp.get(done.task?.status.message)]).toEqual([
      2, 0,
    ]);
    expect(done.task?.metadata).toBeUndefined();
    const { message } = await client.sendMessage({ message: aMessage("reply") });
    expect([stamp.get(message), message?.extensions]).toEqual([3, [first]]);
    expect(agent.errors).toEqual([]);
    const failed = await client.sendMessage({ message: aMessage("fail") });
    expect([failed.task?.status.state, stamp.get(failed.task?.status.message)]).toEqual([
      "TASK_STATE_INPUT_REQUIRED",
      undefined,
    ]);
    expect(agent.errors).toEqual([new Error("No clock")]);
    const stranger = await agent.connect("HTTP+JSON");
    const other = await stranger.sendMessage({ message: aMessage("Hi") });
    expect(other.task?.status.message?.metadata).toBeUndefined();
  });
});
