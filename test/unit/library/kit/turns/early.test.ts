import { expect, it, onTestFinished, vi } from "vitest";
import { memoryStore } from "../../../../../library/kit/memory/store.js";
import type { TaskServiceOptions } from "../../../../../library/kit/options.js";
import type { TaskStore } from "../../../../../library/kit/store.js";
import {
  completed,
  inputRequired,
  textOf,
  working,
} from "../../../../../library/kit/turns/updates.js";
import { kitAgent, message } from "../../../../support/kit.js";

const atOnce = { configuration: { returnImmediately: true } };
const never = new Promise<never>(() => undefined);

/** An agent whose turns ask until they read "done". `seen` are their messages. */
function asker({
  store = memoryStore({ now: () => 0 }),
  begun = () => undefined,
  leaseMs = 3_000,
}: {
  readonly store?: TaskStore;
  readonly begun?: (text: string) => Promise<unknown> | undefined;
  readonly leaseMs?: number;
} = {}) {
  const seen: string[] = [];
  const run: TaskServiceOptions<string, number>["run"] = async function* (turn) {
    const text = textOf(turn.message);
    seen.push(`${text}${turn.early ? " early" : ""}${turn.resumed ? " resumed" : ""}`);
    await begun(text);
    yield working();
    return text === "done" ? completed() : inputRequired("Sure?");
  };
  const agent = kitAgent<number>({ leaseMs, store, run });
  onTestFinished(() => agent.close());
  return { agent, seen };
}

/** Returns a store whose calls pass through a function. */
function methodsOf(
  store: TaskStore,
  through: (name: PropertyKey, given: readonly unknown[], call: () => unknown) => unknown,
): TaskStore {
  return new Proxy(store, {
    get(_, name) {
      const own: unknown = Reflect.get(store, name);
      if (typeof own !== "function") return own;
      return (...given: unknown[]): unknown =>
        through(name, given, () => Reflect.apply(own, store, given) as unknown);
    },
  });
}

/** Returns a function that waits, and the function that ends the wait. */
function hold() {
  let open: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { held, open };
}

it("a message that arrives while a turn runs, which then asks, is early in the next turn", async () => {
  const { held, open } = hold();
  const { agent, seen } = asker({ begun: (text) => (text === "work" ? held : undefined) });
  const { id } = await agent.send({ ...message("work"), ...atOnce });
  await agent.send({ ...message("yes", { taskId: id }), ...atOnce });
  open();
  await vi.waitFor(() => expect(seen).toEqual(["work", "yes early"]));
  await vi.waitFor(async () => {
    expect((await agent.get(id)).status.state).toBe("TASK_STATE_INPUT_REQUIRED");
  });
  await agent.send(message("done", { taskId: id }));
  expect(seen).toEqual(["work", "yes early", "done"]);
});

it("a message that arrives after the question is not early, in any process", async () => {
  const store = memoryStore({ now: () => 0 });
  const [one, two] = [asker({ store }), asker({ store })];
  const { id } = await one.agent.send("work");
  await two.agent.send(message("yes", { taskId: id }));
  await one.agent.send(message("done", { taskId: id }));
  expect([one.seen, two.seen]).toEqual([["work", "done"], ["yes"]]);
});

it("a resumed turn knows that its message is early", async () => {
  const store = memoryStore({ now: () => 0 });
  const { held, open } = hold();
  const begun = (text: string) => (text === "work" ? held : text === "yes" ? never : undefined);
  const first = asker({ store, begun });
  const { id } = await first.agent.send({ ...message("work"), ...atOnce });
  await first.agent.send({ ...message("yes", { taskId: id }), ...atOnce });
  open();
  // The turn of the message is stored.
  const turn = async () => (await store.read({ tenant: "", owner: "" }, id))?.turn.early;
  await vi.waitFor(async () => expect(await turn()).toBe(true));
  await first.agent.close();
  const second = asker({ store });
  await vi.waitFor(() => expect(second.seen).toEqual(["yes early resumed"]));
});

it("a message whose process has ended before it began the turn is early", async () => {
  const store = memoryStore({ now: () => 0 });
  const { agent } = asker({ store });
  const { id } = await agent.send("work");
  await agent.close();
  const scope = { tenant: "", owner: "" };
  const call = { user: "", extensions: [], acceptedOutputModes: [], metadata: undefined };
  const item = { id: "i", message: message("yes").message, call };
  // A process that ends at once.
  const posted = await store.post(scope, id, item, { holder: "other", ttlMs: 0 });
  expect(posted?.outcome).toBe("leased");
  const second = asker({ store });
  await second.agent.send({ ...message("more", { taskId: id }), ...atOnce });
  await vi.waitFor(() => expect(second.seen).toEqual(["yes early", "more early"]));
});

it("a message is early if the database repeats its post after the question", async () => {
  let now = 0;
  const memory = memoryStore({ now: () => now });
  const [asking, posted, repeated] = [hold(), hold(), hold()];
  let isDead = false;
  // The process of this store ends with the append of its question.
  const dying = methodsOf(memory, (name, given, call) => {
    if (isDead) return never;
    const result = call();
    const { release } = (given[2] ?? {}) as { readonly release?: boolean };
    if (name !== "append" || release !== true) return result;
    isDead = true;
    return never;
  });
  const repeating = methodsOf(memory, (name, _given, call) => {
    const result = call();
    if (name !== "post") return result;
    posted.open();
    return repeated.held.then(call);
  });
  const begun = (text: string) => (text === "work" ? asking.held : undefined);
  const first = asker({ store: dying, begun });
  const second = asker({ store: repeating, leaseMs: 1_000_000_000 });
  const { id } = await first.agent.send({ ...message("work"), ...atOnce });
  const sent = second.agent.send({ ...message("yes", { taskId: id }), ...atOnce });
  await posted.held;
  asking.open();
  await vi.waitFor(() => expect(isDead).toBe(true));
  now = 10_000;
  repeated.open();
  await sent;
  await vi.waitFor(() => expect(second.seen).toEqual(["yes early"]));
});
