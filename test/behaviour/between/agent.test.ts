import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { StreamResponse, Task } from "../../../generated/1.0/index.js";
import { all, opened, refusal } from "../../support/everywhere.js";
import { gist } from "../../support/kit.js";
import { call, jsonOf as parsed, type RawAnswer } from "../../support/raw.js";
import { isTried } from "../../support/size.js";
import { bindings, outputOf, type Binding } from "../../support/scripted.js";
import { v03, v1 } from "../interop/dialect.js";
import { startKitAgent, type KitAgent } from "./agent.js";
import { messageOf } from "./samples.js";

/** The calls of a client of any version, whose requests and responses are in its words. */
type Client = Readonly<Record<string, (request: unknown, options?: object) => unknown>> & {
  close(): void;
};

type Places = Pick<KitAgent, "url" | "grpcUrl">;

/** Connects the client of a version, which knows nothing of others, by the card that it finds. */
async function connect(version: string, binding: Binding, { url, grpcUrl }: Places) {
  const output = await outputOf(version);
  const transports = [
    { JSONRPC: output.jsonRpc, "HTTP+JSON": output.rest, GRPC: output.grpc }[binding]?.(),
  ];
  return (await output.connect(url, {
    transports,
    trustedOrigins: [grpcUrl],
  })) as unknown as Client;
}

const present = { "a2a-version": "1.0" };
const jsonOf = (answer: RawAnswer): { readonly result: { readonly task: Task } } =>
  parsed(answer) as never;
const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Kind of an event in any version, and whether the event is marked as the last one. */
function happening(event: object) {
  if (!("kind" in event)) return gist(event as StreamResponse);
  // Only versions before 1.0 have a `kind`.
  const { kind, final, status, artifact, append, lastChunk } = event as OldEvent;
  const text = (holder?: OldParts) => holder?.parts[0]?.text ?? "";
  if (kind === "artifact-update")
    return `${artifact.artifactId}${append === true ? "+" : ""} ${text(artifact)}${lastChunk === true ? "." : ""}`;
  const said = [status.state, text(status.message), final === true ? "(final)" : ""].filter(
    (part) => part !== "",
  );
  return kind === "task" ? `task ${status.state}` : said.join(" ");
}

interface OldParts {
  readonly parts: readonly { readonly text?: string }[];
}

interface OldEvent {
  readonly kind: string;
  readonly final?: boolean;
  readonly status: { readonly state: string; readonly message?: OldParts };
  readonly artifact: OldParts & { readonly artifactId: string };
  readonly append?: boolean;
  readonly lastChunk?: boolean;
}

/** Makes every call of a version and returns the outcomes. */
async function play(
  version: string,
  binding: Binding,
  agent: Places,
): Promise<Record<string, unknown>> {
  const client = await connect(version, binding, agent);
  const words = version.startsWith("1.") ? v1 : v03;
  const send = async (method: string, request: unknown, options?: object): Promise<never> =>
    (await client[method]?.(request, options)) as never;
  const stream = (method: string, request: unknown) =>
    client[method]?.(request) as AsyncIterable<object>;
  const error = async (result: Promise<unknown>) => (await refusal(result)).name;
  const asking = (text: string, more: object = {}): unknown =>
    json(words.sendRequest({ message: messageOf(text), ...more }));
  const taskOf = (response: object) =>
    words === v1 ? (response as { task: Task }).task : (response as Task);

  const done = taskOf(await send("sendMessage", asking("now")));
  const events = (await all(stream("sendStreamingMessage", asking("now")))).map(happening);
  const begun = taskOf(
    await send("sendMessage", asking("wait", { configuration: { returnImmediately: true } })),
  );
  const id = begun.id;
  const subscription = await opened(stream("subscribeToTask", { id }));
  const config = { taskId: id, id: "c", url: "https://example.org/hook", token: "t" };
  const created = await send("createTaskPushNotificationConfig", words.config(config));
  const read = await send("getTaskPushNotificationConfig", words.configRequest(config));
  const list = await send("listTaskPushNotificationConfigs", words.listConfigsRequest(id));
  await send("deleteTaskPushNotificationConfig", words.configRequest(config));
  const listed =
    words === v1
      ? ((await send("listTasks", {})) as { tasks: Task[] }).tasks.map((one) => one.id)
      : [];
  const canceled = (await send("cancelTask", { id })) as Task;
  const bad = { message: { ...words.message(messageOf("x")), parts: [{ kind: "video" }] } };
  const foreign = words.message({
    ...messageOf("x"),
    parts: [{ url: "https://a.b/c", mediaType: "video/mp4" }],
  });
  const hasCard = !(version === "0.2.6" && binding === "JSONRPC");
  const result = {
    done: [done.status.state, done.artifacts?.length],
    events,
    begun: begun.status.state,
    subscribed: (await subscription.rest()).map(happening),
    configs: json([created, read, list]),
    expected: json([words.config(config), words.config(config), words.configs([config])]),
    left: ((found: unknown) =>
      (Array.isArray(found) ? found : (found as { configs?: [] }).configs)?.length ?? 0)(
      await send("listTaskPushNotificationConfigs", words.listConfigsRequest(id)),
    ),
    isListed: words !== v1 || [done.id, id].every((one) => listed.includes(one)),
    canceled: canceled.status.state,
    again: await send("getTask", { id, historyLength: 1 }).then((task: Task) => [
      task.status.state,
      task.history?.length,
    ]),
    card: hasCard
      ? ((await send("getExtendedAgentCard", {})) as { description: string }).description
      : "Is known.",
    errors: {
      unknown: await error(send("getTask", { id: "none" })),
      lost: await error(all(stream("subscribeToTask", { id: "none" }))),
      ended: await error(send("cancelTask", { id })),
      over: await error(all(stream("subscribeToTask", { id }))),
      invalid: await error(send("sendMessage", bad)),
      foreign: await error(send("sendMessage", { message: foreign })),
      stranger: await error(send("getTask", { id }, { headers: { authorization: "wrong" } })),
    },
  };
  client.close();
  return result;
}

/** Has clients of all versions over all bindings call an agent at the same time. */
async function playAll(agent: KitAgent, versions: readonly string[]) {
  const sides = versions.flatMap((version) => bindings.map((binding) => ({ version, binding })));
  const results = await Promise.all(
    sides.map(({ version, binding }) => play(version, binding, agent)),
  );
  for (const [index, result] of results.entries()) {
    const { version = "", binding = "" } = sides[index] ?? {};
    const words = version.startsWith("1.") ? v1 : v03;
    const state = (name: string) => (words === v1 ? `TASK_STATE_${name.toUpperCase()}` : name);
    const final = words === v1 ? "" : " (final)";
    expect(result, `${version} over ${binding}`).toMatchObject({
      done: [state("completed"), 1],
      events: [
        "task submitted",
        "working Thinking",
        "answer 4",
        "answer+ 2.",
        `completed Done${final}`,
      ],
      begun: expect.stringMatching(/(submitted|working)$/i) as unknown,
      subscribed: expect.arrayContaining([`canceled${final}`]) as unknown,
      configs: result["expected"],
      left: 0,
      isListed: true,
      canceled: state("canceled"),
      again: [state("canceled"), 1],
      card: "Is known.",
      errors: {
        unknown: "TaskNotFoundError",
        lost: "TaskNotFoundError",
        ended: "TaskNotCancelableError",
        over: "UnsupportedOperationError",
        invalid: "InvalidParamsError",
        foreign: "ContentTypeNotSupportedError",
        stranger: "UnauthenticatedError",
      },
    });
  }
  expect([...agent.seen].sort()).toEqual(versions.map((version) => version.slice(0, 3)));
}

describe.each([
  ["1.0", ["0.2.6", "0.3.0", "1.0", "1.1-draft"]],
  ["1.1-draft", ["0.3.0", "1.0", "1.1-draft"]],
])("one agent of %s, at one address", (own, versions) => {
  let agent: KitAgent;

  beforeAll(async () => {
    agent = await startKitAgent(
      own,
      versions.filter((version) => version !== own),
    );
  });
  afterAll(() => agent.close());

  it("the agent serves clients of all versions over all transports at the same time", () =>
    playAll(
      agent,
      versions.filter((version) => version === own || isTried(version)),
    ));
});

it("a webhook without an id in its request is the first webhook of its task", async () => {
  const agent = await startKitAgent("1.0", ["0.2.1", "0.3.0"]);
  onTestFinished(() => agent.close());
  const { task } = jsonOf(
    await call(agent.url, "SendMessage", { message: messageOf("now") }, present),
  ).result;
  const url = "https://example.org/hook";
  for (const id of ["b", "a"])
    await call(
      agent.url,
      "CreateTaskPushNotificationConfig",
      { taskId: task.id, id, url },
      present,
    );
  for (const [version, shown] of [
    ["0.2", { url }],
    ["0.3", { id: "a", url }],
  ] as const) {
    const named = { "a2a-version": version };
    const answer = jsonOf(
      await call(agent.url, "tasks/pushNotificationConfig/get", { id: task.id }, named),
    );
    expect(answer).toMatchObject({ result: { taskId: task.id, pushNotificationConfig: shown } });
  }
  // Callers of 1.0 must name their version.
  const own = await call(
    agent.url,
    "GetTaskPushNotificationConfig",
    { taskId: task.id, id: "" },
    present,
  );
  expect(jsonOf(own)).toMatchObject({ error: { code: -32602 } });
});

it("a response contains additional fields of a version only for callers of that version", async () => {
  const agent = await startKitAgent("1.1-draft", ["0.3.0", "1.0"]);
  onTestFinished(() => agent.close());
  const params = { message: messageOf("now") };
  const sent = (version: string) =>
    call(agent.url, "SendStreamingMessage", params, { "a2a-version": version });
  expect((await sent("1.1")).text).toContain('"generation"');
  expect((await sent("1.0")).text).not.toContain("eneration");
});
