import { setTimeout as pause } from "node:timers/promises";
import { onTestFinished } from "vitest";
import {
  ContentTypeNotSupportedError,
  createAgent,
  InvalidParamsError,
  PermissionDeniedError,
  UnauthenticatedError,
  type AgentCapabilities,
  type AgentCard,
} from "../../../../generated/1.0/index.js";
import {
  artifact,
  authRequired,
  completed,
  failed,
  inputRequired,
  memoryStore,
  rejected,
  message as replyWith,
  taskService,
  textOf,
  working,
  type Behavior,
} from "../../../../generated/1.0/kit/index.js";
import { grpcService } from "../../../../generated/1.0/server/grpc.js";
import { nodeListener } from "../../../../generated/1.0/server/node.js";
import { aCard, interfacesAt } from "../../../support/cards.js";
import { openPorts } from "../../../support/ports.js";

/** Options of {@link suiteAgent}. */
export interface SuiteAgentOptions {
  readonly capabilities?: AgentCapabilities;
  /** Users by their bearer tokens; without users, every caller may call every operation. */
  readonly users?: Readonly<Record<string, string>>;
}

const prefixes: Readonly<Record<string, Behavior<string | null, { turns: number }>["run"]>> = {
  async *"tck-artifact-text"() {
    yield artifact("text", undefined, { id: "text" }).finish([{ text: "Hello" }]);
    return completed();
  },
  async *"tck-artifact-data"() {
    yield artifact("data", undefined, { id: "data" }).finish([{ data: { value: 1 } }]);
    return completed();
  },
  async *"tck-artifact-file"() {
    yield artifact("file", undefined, { id: "file" }).finish([
      { raw: "aGk=", filename: "a.txt", mediaType: "text/plain" },
    ]);
    return completed();
  },
  async *"tck-artifact-file-url"() {
    yield artifact("file", undefined, { id: "url" }).finish([
      { url: "https://example.org/a.txt", filename: "a.txt" },
    ]);
    return completed();
  },
  "tck-task-failure": async function* () {
    yield working();
    return failed("It did not work");
  },
  "tck-reject-task": async function* () {
    yield working();
    return rejected("Not this");
  },
  "tck-auth-required": async function* () {
    yield working();
    return authRequired("Sign in first");
  },
  "tck-input-required": async function* () {
    yield working();
    return inputRequired("What else?");
  },
  async *"tck-cancel"({ signal }) {
    yield working();
    await pause(60_000, undefined, { signal });
    return completed();
  },
  async *"tck-long-running"({ signal }) {
    yield working();
    await pause(1_000, undefined, { signal });
    yield artifact("result", undefined, { id: "result" }).finish([{ text: "Done" }]);
    return completed();
  },
  async *"tck-stream-basic"() {
    yield working();
    yield artifact("result", undefined, { id: "result" }).finish([{ text: "Streamed" }]);
    return completed();
  },
  async *"tck-stream-chunked"() {
    const writer = artifact("result", undefined, { id: "result" });
    for (const text of ["one", "two"]) yield writer.parts({ text });
    yield writer.finish([{ text: "three" }]);
    return completed();
  },
  "tck-multi-turn": async function* ({ message }) {
    yield working();
    return textOf(message).includes("done") ? completed("Done") : inputRequired("And then?");
  },
};

const behavior: Behavior<string | null, { turns: number }> = {
  reply({ message }) {
    // Two tests expect refusals that an agent may choose.
    if (message.contextId?.endsWith("-that-should-be-rejected") === true)
      throw new InvalidParamsError("Unknown context");
    const types = message.parts.map(({ metadata }) => metadata?.["contentType"]);
    if (types.some((type) => typeof type === "string" && type.includes("unsupported")))
      throw new ContentTypeNotSupportedError();
    return textOf(message).startsWith("tck-message-response") ? replyWith("Hello") : undefined;
  },
  async *run(turn) {
    const text = textOf(turn.message);
    // The longest prefix is the most specific.
    const found = Object.keys(prefixes)
      .filter((prefix) => text.startsWith(prefix))
      .sort((a, b) => b.length - a.length)[0];
    const run = found === undefined ? undefined : prefixes[found];
    if (run !== undefined) return yield* run(turn);
    // Later messages of a conversation have no prefix.
    const first = turn.task.history?.[0];
    if (first !== undefined && textOf(first).startsWith("tck-multi-turn") && !text.includes("done"))
      return inputRequired("And then?");
    return completed("Completed");
  },
};

/** Starts an agent for one test that behaves as the prefixes of the ACTS suites require. */
export async function suiteAgent({ capabilities, users }: SuiteAgentOptions = {}): Promise<{
  readonly url: string;
  readonly grpcUrl: string;
}> {
  const { url, grpcUrl, serve } = await openPorts();
  const isOn = {
    streaming: true,
    pushNotifications: true,
    extendedAgentCard: true,
    ...capabilities,
  };
  const bearer = { bearer: { httpAuthSecurityScheme: { scheme: "Bearer" } } };
  const card: AgentCard = aCard(interfacesAt(url, grpcUrl), {
    name: "Suite agent",
    capabilities: isOn,
    skills: [{ id: "suite", name: "Suite", description: "Follows a suite.", tags: ["test"] }],
    ...(users !== undefined && {
      securitySchemes: bearer,
      securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    }),
  });
  const service = taskService<string | null, { turns: number }>({
    ...behavior,
    checkInputModes: false,
    extendedCard: () => card,
    store: memoryStore(),
  });
  const agent = createAgent({
    card,
    service,
    onError: () => undefined,
    authenticate: ({ headers }) => {
      if (users === undefined) return "everybody";
      const user = users[(headers.get("authorization") ?? "").replace(/^Bearer /, "")];
      if (user === undefined) throw new UnauthenticatedError();
      if (user === "nobody") throw new PermissionDeniedError();
      return user;
    },
  });
  serve({ nodeListener, grpcService }, agent);
  onTestFinished(() => service.close());
  return { url, grpcUrl };
}
