import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type * as clientKit from "../../../generated/1.0/kit/client/index.js";
import { adaptedOutput, type AdaptedOutput } from "../../support/adapted.js";
import { all } from "../../support/everywhere.js";
import { call, eventsOf, jsonOf, send } from "../../support/raw.js";
import { bindings, outputOf, type Binding } from "../../support/scripted.js";
import { cardAt } from "../between/agent.js";
import {} from "./agent.js";
import { aMessage } from "../../support/messages.js";
import { openPorts } from "../../support/ports.js";

const uri = "https://example.com/extensions/tone/v1";
const other = "https://example.com/extensions/other/v1";
const header = "x-a2a-extensions";

/** A message of 0.3 with a value of the extension. */
const oldMessage = (value: unknown) => ({
  ...{
    kind: "message",
    messageId: crypto.randomUUID(),
    role: "user",
    parts: [{ kind: "text", text: "Hi" }],
  },
  ...{ metadata: { [uri]: value }, extensions: [uri] },
});

/** Starts an agent of 1.0 with an extension that also serves callers of 0.3. */
async function startAgent(required = false) {
  const output = await adaptedOutput("1.0", ["0.3.0"]);
  const {
    artifact,
    completed,
    createAgent,
    extension,
    grpcService,
    nodeListener,
    taskService,
    working,
  } = output.own;
  const seen: unknown[] = [];
  const tone = extension<string>({
    ...{ uri, required, description: "Tone", params: { tones: ["formal"] } },
    schema: (value) => {
      if (typeof value !== "string") throw new Error("must be a string");
      return value;
    },
    handle: ({ value, context }) => seen.push([value, context.version, context.extensions]),
    respond: ({ value }) => `respond ${value ?? ""}`,
  });
  const service = taskService({
    async *run({ message }) {
      yield working("Thinking");
      yield tone.set(artifact("text").finish([{ text: "Part" }]), `run ${tone.get(message) ?? ""}`);
      return completed("Done");
    },
  });
  const { url, grpcUrl, serve } = await openPorts();
  const versions = Object.values(output.adapters).map(({ served }) => served);
  const agent = createAgent({
    card: cardAt({ url, grpcUrl }, "1.0"),
    extensions: [tone],
    service,
    versions,
  });
  serve({ nodeListener, grpcService }, agent);
  return { url, grpcUrl, seen };
}

interface Holder {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly extensions?: readonly string[];
}

/**
 * Returns the value of the extension in an object of 0.3, and the extensions that the object lists.
 */
const valueIn = (holder: Holder | undefined) => [holder?.metadata?.[uri], holder?.extensions];

interface OldTask {
  readonly status: { readonly message?: Holder };
  readonly artifacts?: readonly Holder[];
  readonly artifact?: Holder;
  readonly kind?: string;
}

describe("a caller of 0.3 with an agent of 1.0 that has an extension", () => {
  it("The agent reads and responds with `X-A2A-Extensions`, over JSON-RPC and HTTP+JSON", async () => {
    const { url, seen } = await startAgent();
    const requested = { [header]: `${other}, ${uri}` };
    const message = oldMessage("formal");
    const unary = await call(url, "message/send", { message }, requested);
    const { result } = jsonOf(unary) as { result: OldTask };
    expect(unary.headers.get(header)).toBe(uri);
    expect(unary.headers.get("a2a-extensions")).toBeNull();
    expect(valueIn(result.status.message)).toEqual(["respond formal", [uri]]);
    expect(result.artifacts?.map(valueIn)).toEqual([["run formal", [uri]]]);
    const stream = await call(url, "message/stream", { message: oldMessage("casual") }, requested);
    expect(stream.headers.get(header)).toBe(uri);
    const events = (eventsOf(stream) as { result: OldTask }[]).map((each) => each.result);
    expect(
      events.flatMap(({ artifact }) => (artifact === undefined ? [] : [valueIn(artifact)])),
    ).toEqual([["run casual", [uri]]]);
    expect(valueIn(events.at(-1)?.status.message)).toEqual(["respond casual", [uri]]);
    const part = { content: [{ text: "Hi" }], messageId: "rest-1", role: "ROLE_USER" };
    const body = { message: { ...part, metadata: { [uri]: "rest" }, extensions: [uri] } };
    const rest = await send("POST", new URL("v1/message:send", url), body, requested);
    expect([rest.status, rest.headers.get(header)]).toEqual([200, uri]);
    expect(rest.text).toContain("respond rest");
    // The name of the header in 1.0 has no meaning in 0.3.
    const renamed = await call(
      url,
      "message/send",
      { message: oldMessage("x") },
      { "a2a-extensions": uri },
    );
    expect([renamed.headers.get(header), renamed.headers.get("a2a-extensions")]).toEqual([
      null,
      null,
    ]);
    const both = [other, uri];
    expect(seen).toEqual([
      ["formal", "0.3", both],
      ["casual", "0.3", both],
      ["rest", "0.3", both],
    ]);
  });

  it("A caller that does not request the extension gets no values, and an invalid value is refused", async () => {
    const { url, seen } = await startAgent();
    const message = { ...oldMessage(""), metadata: {}, extensions: [] };
    const plain = await call(url, "message/send", { message });
    expect(plain.headers.get(header)).toBeNull();
    const { result } = jsonOf(plain) as { result: OldTask };
    expect(valueIn(result.status.message)).toEqual([undefined, undefined]);
    const invalid = await call(url, "message/send", { message: oldMessage(1) }, { [header]: uri });
    expect(jsonOf(invalid)).toMatchObject({
      error: { code: -32602, message: expect.stringContaining("must be a string") as string },
    });
    expect(seen).toEqual([]);
  });

  it("A required extension refuses calls that do not request it, and the card of 0.3 declares the extension", async () => {
    const { url } = await startAgent(true);
    const card = jsonOf(await send("GET", new URL(".well-known/agent-card.json", url))) as {
      capabilities: { extensions: unknown };
    };
    expect(card.capabilities.extensions).toEqual([
      { uri, required: true, description: "Tone", params: { tones: ["formal"] } },
    ]);
    const refused = await call(url, "message/send", { message: oldMessage("formal") });
    expect(jsonOf(refused)).toMatchObject({
      error: { code: -32600, message: `The agent requires the extension ${uri}` },
    });
    const served = await call(
      url,
      "message/send",
      { message: oldMessage("formal") },
      { [header]: uri },
    );
    expect(jsonOf(served)).toMatchObject({ result: { status: { state: "completed" } } });
  });

  it.each(bindings)("A generated client of 0.3 exchanges values over %s", async (binding) => {
    const { url, grpcUrl, seen } = await startAgent();
    const output = await outputOf("0.3.0");
    const transports = [
      { JSONRPC: output.jsonRpc, "HTTP+JSON": output.rest, GRPC: output.grpc }[binding]?.(),
    ];
    const client = (await output.connect(url, {
      transports,
      trustedOrigins: [grpcUrl],
    })) as unknown as {
      sendMessage(request: object, options: object): Promise<OldTask>;
      close(): void;
    };
    const task = await client.sendMessage({ message: oldMessage("formal") }, { extensions: [uri] });
    expect(valueIn(task.status.message)).toEqual(["respond formal", [uri]]);
    expect(task.artifacts?.map(valueIn)).toEqual([["run formal", [uri]]]);
    expect(seen).toEqual([["formal", "0.3", [uri]]]);
    client.close();
  });
});

/**
 * Starts an agent of 0.3 whose card may declare the extension, and which copies the values of
 * messages.
 */
async function startOldAgent(declared: boolean) {
  const output = await outputOf("0.3.0");
  const { url, grpcUrl, serve } = await openPorts();
  const extensions = [{ uri, params: { tones: ["formal"] } }];
  const card = {
    ...{
      name: "Old",
      description: "Is tested.",
      version: "1",
      skills: [],
      protocolVersion: "0.3.0",
    },
    ...{
      defaultInputModes: ["text/plain"],
      defaultOutputModes: ["text/plain"],
      url,
      preferredTransport: "JSONRPC",
    },
    capabilities: { streaming: true, ...(declared && { extensions }) },
    additionalInterfaces: [url, url, grpcUrl].map((to, at) => ({
      url: to,
      transport: bindings[at] ?? "",
    })),
  };
  const calls: { message: Holder; header: string | null; extensions: readonly string[] }[] = [];
  interface OldContext {
    readonly headers: Headers;
    readonly extensions: readonly string[];
    activateExtension(uri: string): void;
  }
  const replyTo = ({ message }: { message: Holder }, context: OldContext) => {
    calls.push({ message, header: context.headers.get(header), extensions: context.extensions });
    for (const each of context.extensions) context.activateExtension(each);
    const value = message.metadata?.[uri];
    return { ...oldMessage(`old ${String(value)}`), messageId: crypto.randomUUID(), role: "agent" };
  };
  const service = {
    sendMessage: replyTo,
    async *sendStreamingMessage(request: { message: Holder }, context: OldContext) {
      yield replyTo(request, context);
    },
  };
  const { createAgent, grpcService, nodeListener } = output as unknown as AdaptedOutput["own"];
  const agent = createAgent({ card, service } as never);
  serve({ nodeListener, grpcService }, agent);
  return { url, grpcUrl, calls };
}

/** Connects a client of 1.0 with an extension to an agent of 0.3. */
async function connectTo(
  { url, grpcUrl }: { url: string; grpcUrl: string },
  binding: Binding,
  params: unknown[] = [],
) {
  const output = await adaptedOutput("1.0", ["0.3.0"]);
  const path = join(output.folder, "kit/client/index.ts");
  const { withExtensions } = (await import(path)) as typeof clientKit;
  const spoken = output.adapters["0.3"]?.spoken;
  if (spoken === undefined) throw new Error("The adapter is missing");
  const tone = output.own.extension<string>({
    uri,
    activate: (sending) => {
      params.push(sending.params);
      return "formal";
    },
  });
  const transports = spoken.transports({}).filter((each) => each.binding === binding);
  const client = await output.own.connect(url, {
    ...{ trustedOrigins: [grpcUrl], interceptors: [withExtensions([tone])] },
    versions: [{ ...spoken, transports: () => transports }],
  });
  onTestFinished(() => client.close());
  return { client, tone };
}

describe("a client of 1.0 with an extension and an agent of 0.3", () => {
  it.each(bindings)(
    "The client requests the extension, and reads the values of the response over %s",
    async (binding) => {
      const agent = await startOldAgent(true);
      const params: unknown[] = [];
      const { client, tone } = await connectTo(agent, binding, params);
      expect(client.card?.capabilities.extensions).toEqual([
        { uri, params: { tones: ["formal"] } },
      ]);
      const { message } = await client.sendMessage({ message: aMessage("Hi") });
      expect([tone.get(message), message?.extensions]).toEqual(["old formal", [uri]]);
      const events = await all(
        client.sendStreamingMessage({ message: tone.set(aMessage("Hi"), "casual") }),
      );
      expect(events.map((event) => tone.get(event.message))).toEqual(["old casual"]);
      expect(
        agent.calls.map((each) => [each.header, each.extensions, ...valueIn(each.message)]),
      ).toEqual([
        [uri, [uri], "formal", [uri]],
        [uri, [uri], "casual", [uri]],
      ]);
      expect(params).toEqual([{ tones: ["formal"] }]);
    },
  );

  it("The client adds no value for an agent whose card does not declare the extension", async () => {
    const agent = await startOldAgent(false);
    const { client } = await connectTo(agent, "JSONRPC");
    await client.sendMessage({ message: aMessage("Hi") });
    expect(agent.calls.map((each) => valueIn(each.message))).toEqual([[undefined, undefined]]);
  });
});
