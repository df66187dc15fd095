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
  begun = () => undefined as Promise<unknown> | undefined,
}: { store?: TaskStore; begun?: (text: string) => Promise<unknown> | undefined } = {}) {
  const seen: string[] = [];
  const run: TaskServiceOptions<string, number>["run"] = async function* (turn) {
    const text = textOf(turn.message);
    seen.push(`${text}${turn.early ? " early" : ""}${turn.resumed ? " resumed" : ""}`);
    await begun(text);
    yield working();
    return text === "done" ? completed() : inputRequired("Sure?");
  };
  const agent = kitAgent<number>({ leaseMs: 60, store, run });
  onTestFinished(() => agent.close());
  return { agent, seen };
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
