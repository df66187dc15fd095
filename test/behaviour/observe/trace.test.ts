import { readFileSync } from "node:fs";
import { expect, it, onTestFinished, vi } from "vitest";
import {
  memoryStore,
  completed,
  taskService,
  textOf,
  working,
  type TaskStore,
} from "../../../generated/1.0/kit/index.js";
import { connect } from "../../../generated/1.0/index.js";
import { startWebhook } from "../../support/webhook.js";
import { processOf, startCollector, tracedAgent, treeOf } from "./traced.js";
import { aMessage } from "../../support/messages.js";

const message = (text: string) => ({
  message: aMessage(text, { messageId: `m-${text}` }),
});
const never = new Promise<never>(() => undefined);

/** A store as a process has it that is killed: from then on nothing of it arrives. */
function killable(inner: TaskStore): {
  readonly store: TaskStore;
  readonly kill: () => void;
  /** Generations up to which deliveries have been recorded. */
  readonly delivered: number[];
} {
  let isDead = false;
  const delivered: number[] = [];
  const store = new Proxy(inner, {
    get(_, name) {
      const own: unknown = Reflect.get(inner, name);
      if (typeof own !== "function") return own;
      return (...given: unknown[]): unknown => {
        if (isDead) return never;
        const [, outcome] = given;
        if (
          name === "delivered" &&
          typeof outcome === "object" &&
          outcome !== null &&
          "upTo" in outcome
        )
          delivered.push(Number(outcome.upTo));
        return Reflect.apply(own, inner, given);
      };
    },
  });
  return { store, kill: () => void (isDead = true), delivered };
}

it("one trace leads from a client over two agents and a killed process to a webhook", async () => {
  const collector = await startCollector();
  const { url: webhook, deliveries } = await startWebhook();
  const translating = processOf("translator", collector.url);
  const translator = await tracedAgent(
    taskService({
      tracing: translating.tasks,
      run: function* ({ message }) {
        yield working();
        return completed(textOf(message).toUpperCase());
      },
    }),
    translating,
  );
  let now = 0;
  const memory = memoryStore({ now: () => now });
  const { store, kill, delivered } = killable(memory);
  const common = { leaseMs: 1_500, push: { allowPrivateAddresses: true } };
  const first = processOf("planner 1", collector.url, { name: "planner" });
  const service = taskService<unknown, string>({
    ...common,
    store,
    tracing: first.tasks,
    async *run({ message, checkpoint }) {
      yield working("Translating");
      const client = await connect(translator.card, {
        interceptors: [first.client({ card: translator.card })],
      });
      const { task } = await client.sendMessage({
        message: { ...message, taskId: "", contextId: "" },
      });
      await checkpoint(task === undefined ? "" : textOf(task));
      yield working("Thinking");
      await never;
      return completed();
    },
  });
  const planner = await tracedAgent(service, first, { onError: () => undefined });
  const caller = processOf("caller", collector.url);
  const client = await connect(planner.card, {
    interceptors: [caller.client({ card: planner.card })],
  });
  const sent = await client.sendMessage({
    ...message("hello"),
    configuration: { returnImmediately: true, taskPushNotificationConfig: { url: webhook } },
  });
  const id = sent.task?.id ?? "";
  await vi.waitFor(async () => {
    expect((await client.getTask({ id })).status.message?.parts[0]?.text).toBe("Thinking");
  });
  await vi.waitFor(() => {
    expect(delivered.at(-1)).toBe(3);
  });
  kill();
  now += 100_000;
  const second = processOf("planner 2", collector.url, { name: "planner" });
  const resumed = taskService<unknown, string>({
    ...common,
    store: memory,
    tracing: second.tasks,
    async *run({ state }) {
      yield working("Resumed");
      return completed(state ?? "");
    },
  });
  await tracedAgent(resumed, second);
  onTestFinished(() => Promise.all([service.close(), resumed.close()]).then(() => undefined));
  await vi.waitFor(() => {
    expect(deliveries).toHaveLength(4);
  });
  expect(deliveries.at(-1)?.body).toContain("HELLO");
  const traceId = collector.spans.find(({ name }) => name === "SendMessage")?.traceId;
  const own = () => collector.spans.filter((span) => span.traceId === traceId);
  await vi.waitFor(() => {
    expect(own().filter(({ name }) => name === "a2a.push_notification")).toHaveLength(4);
    expect(own().some(({ attributes }) => attributes["a2a.turn.resumed"] === true)).toBe(true);
  });
  // The headers of the posts lead to the spans of the posts.
  const posts = own()
    .filter(({ name }) => name === "a2a.push_notification")
    .sort((a, b) => (a.start < b.start ? -1 : 1));
  expect(deliveries.map(({ headers }) => headers["traceparent"])).toEqual(
    posts.map(({ spanId }) => `00-${traceId ?? ""}-${spanId}-01`),
  );
  const tree = treeOf(own());
  expect(readFileSync("docs/observability.md", "utf8")).toContain(`\n${tree}\n`);
});
