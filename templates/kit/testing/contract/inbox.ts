import { TaskState } from "../../model.js";
import { applyEntries, withInbox } from "../../log/fold.js";
import type { Expected, InboxItem, Leased, Posted, StoredTask } from "../../store.js";
import { equal, ok } from "./assert.js";
import {
  agentMessage,
  type Bench,
  type Cases,
  foundOf,
  freeze,
  messageEntry,
  statusEntry,
  statusOf,
  working,
} from "./bench.js";

/** Posts an item, by default as another process. */
async function post(bench: Bench, id: string, item: InboxItem, expected?: Expected): Promise<Posted> {
  const claim = { ...bench.claim, holder: "process-2" };
  const posted = await bench.store.post(bench.scope, id, item, claim, expected);
  if (posted === undefined) throw new Error(`post does not find the task ${id}`);
  return posted;
}

/**
 * Returns the task of a successful post.
 * @throws If the post was rejected.
 */
function storedOf(posted: Posted): StoredTask {
  if ("state" in posted) throw new Error(`expected the post to succeed: ${posted.outcome}`);
  return posted.stored;
}

/**
 * Returns the lease that a post has acquired.
 * @throws If the post did not acquire a lease.
 */
export function leasedOf(posted: Posted | undefined): Leased {
  if (posted?.outcome !== "leased") throw new Error(`expected the post to lease the task: ${String(posted?.outcome)}`);
  return posted;
}

export const inbox: Cases = {
  "a post to a task without a lease holder acquires the lease": async (bench) => {
    const { id, history = [] } = await bench.rest();
    const item = bench.item("go on");
    const { lease, stored } = leasedOf(await post(bench, id, item));
    equal(lease.holder, "process-2", "the holder of the lease");
    equal(stored.inbox, [item], "the inbox after the post");
    equal(stored.task.history, [...history, item.message], "the history with what is in the inbox");
    const found = await bench.store.append(lease, [working({ id }, 2)]);
    equal(foundOf(found), { inbox: [item], released: false }, "what the holder finds with its first append");
  },

  "a post to a task with a lease holder does not change the lease": async (bench) => {
    const { id, task, lease } = await bench.open();
    const item = bench.item("hello");
    const posted = await post(bench, id, item);
    equal(posted.outcome, "posted", "the outcome");
    const stored = storedOf(posted);
    equal(stored.inbox, [item], "the inbox after the post");
    equal(stored.generation, 1, "the generation, which a post does not change");
    const { inbox: found } = await bench.store.append(lease, [working(task, 2)]);
    equal(found, [item], "what the holder finds with its next append");
  },

  "items keep their order and content": async (bench) => {
    const { id, task, lease } = await bench.open();
    const call = {
      user: { name: "ann" },
      extensions: ["urn:x"],
      acceptedOutputModes: ["text/plain"],
      metadata: { a: 1 },
    };
    const items: InboxItem[] = [
      freeze({ ...bench.item("one"), call }),
      freeze({ id: bench.id("item"), cancel: { reason: "late" } }),
      bench.item("two"),
      bench.item("three"),
    ];
    for (const item of items) await post(bench, id, item);
    const stored = await bench.store.read(bench.scope, id);
    equal(stored?.inbox, items, "the inbox");
    const messages = items.flatMap(({ message }) => message ?? []);
    equal(stored?.task.history, [...(task.history ?? []), ...messages], "the history with what is in the inbox");
    equal((await bench.store.append(lease, [])).inbox, items, "what an append without entries finds");
  },

  "taken items are removed, and other items are kept": async (bench) => {
    const { id, lease } = await bench.open();
    const [one, two, three] = [bench.item("one"), bench.item("two"), bench.item("three")];
    for (const item of [one, two, three]) await post(bench, id, item);
    const { inbox: found } = await bench.store.append(lease, [], { taken: [two.id] });
    equal(found, [one, three], "what the append finds that takes an item");
    const again = await bench.store.append(lease, [], { taken: [one.id, "unknown"] });
    equal(again.inbox, [three], "what the next one finds");
  },

  "a message in the inbox is in the history after the status message": async (bench) => {
    const status = statusOf(TaskState.InputRequired, 0, agentMessage("for whom?"));
    const { id, task, lease } = await bench.open({ status });
    const item = bench.item("for me");
    const stored = storedOf(await post(bench, id, item));
    equal(stored.task, withInbox(task, [item]), "the task with the message in its inbox");
    const taken = [messageEntry(1, item), working(task, 2)];
    await bench.store.append(lease, taken, { taken: [item.id] });
    const after = await bench.store.read(bench.scope, id);
    equal(after?.task, applyEntries(task, taken), "the task when the message was taken");
    equal(after?.task.history, stored.task.history, "its history");
  },

  "a taken message is in the history once": async (bench) => {
    const { id, task, lease } = await bench.open();
    const [one, two] = [bench.item("one"), bench.item("two")];
    for (const item of [one, two]) await post(bench, id, item);
    await bench.store.append(lease, [working(task, 2), messageEntry(2, two)], { taken: [two.id], turn: two });
    const stored = await bench.store.read(bench.scope, id);
    const history = [...(task.history ?? []), two.message, one.message];
    equal(stored?.task.history, history, "the history, those in the inbox last");
    equal(stored?.inbox, [one], "the inbox");
    equal(stored?.turn, two, "the turn");
  },

  "nothing is posted to a task that has ended": async (bench) => {
    const { id, task, lease } = await bench.open();
    await bench.store.append(lease, [statusEntry(task, 2, statusOf(TaskState.Failed, 2))], { release: true });
    const refused = { outcome: "ended", state: TaskState.Failed, generation: 2 };
    equal(await post(bench, id, bench.item("hello")), refused, "the post, which returns no message of the task");
    const stored = await bench.store.read(bench.scope, id);
    equal([stored?.inbox, stored?.generation, stored?.task.history], [[], 2, task.history], "the task after that");
  },

  "nothing is posted to a task that has ended, even with the id of an item that was posted before": async (bench) => {
    const { id, task, lease } = await bench.open();
    const item = freeze({ id: `cancel ${id}`, cancel: {} });
    equal((await post(bench, id, item)).outcome, "posted", "the first post");
    const end = statusEntry(task, 2, statusOf(TaskState.Canceled, 2));
    await bench.store.append(lease, [end], { taken: [item.id], release: true });
    equal((await post(bench, id, item)).outcome, "ended", "the second post");
  },

  "an append returns items once to a lease holder that names the known items": async (bench) => {
    const { id, task, lease } = await bench.open();
    const items = [bench.item("one"), bench.item("two"), bench.item("three")] as const;
    for (const item of items.slice(0, 2)) await post(bench, id, item);
    const first = await bench.store.append(lease, [working(task, 2)]);
    equal(first.inbox, items.slice(0, 2), "what the first append finds");
    await post(bench, id, items[2]);
    const second = await bench.store.append(lease, [working(task, 3)], { seen: first.seen });
    equal(second.inbox, first.seen === undefined ? items : [items[2]], "what the second append finds");
    const release = { taken: [items[2].id], release: true, seen: second.seen };
    equal(
      (await bench.store.append(lease, [], release)).released,
      false,
      "whether a lease with seen items is released",
    );
    equal((await bench.store.read(bench.scope, id))?.inbox, items.slice(0, 2), "the inbox");
  },

  "nothing is posted to a task that is not as expected": async (bench) => {
    const { id, contextId = "" } = await bench.rest();
    const cases = [
      [{ generation: 0 }, "otherGeneration"],
      [{ generation: 2 }, "otherGeneration"],
      [{ contextId: "other" }, "otherContext"],
      [{ contextId, generation: 2, maxInbox: 1 }, "otherGeneration"],
      [{ maxInbox: 0 }, "full"],
    ] as const;
    for (const [expected, wanted] of cases) {
      const refused = { outcome: wanted, state: TaskState.InputRequired, generation: 1 };
      const posted = await post(bench, id, bench.item("hello"), expected);
      equal(posted, refused, `what a post returns that expects ${JSON.stringify(expected)}`);
      const stored = await bench.store.read(bench.scope, id);
      equal([stored?.inbox, stored?.generation], [[], 1], "the task after that");
    }
    const { outcome } = await post(bench, id, bench.item("hello"), { generation: 1, contextId, maxInbox: 1 });
    equal(outcome, "leased", "the outcome of a post with the expected state");
    equal(
      (await post(bench, id, bench.item("hello"), { maxInbox: 1 })).outcome,
      "full",
      "the outcome when one is there",
    );
    equal((await post(bench, id, bench.item("hello"), { maxInbox: 2 })).outcome, "posted", "with room for another");
  },

  "a post to an unknown task returns undefined": async ({ store, scope, claim }) => {
    const item = freeze({ id: "item", cancel: {} });
    equal(await store.post(scope, "nobody", item, claim), undefined, "the post");
  },

  "an item that is posted twice is in the inbox once": async (bench) => {
    const { id } = await bench.open();
    const item = bench.item("hello");
    await post(bench, id, item);
    equal(storedOf(await post(bench, id, item)).inbox, [item], "the inbox");
  },

  "one of several concurrent posts to a task acquires its lease": async (bench) => {
    const { id } = await bench.rest();
    const items = Array.from({ length: 8 }, (_, at) => bench.item(`message ${String(at)}`));
    const posted = await Promise.all(items.map((item) => post(bench, id, item)));
    const outcomes = posted.map(({ outcome }) => outcome).sort();
    equal(outcomes, ["leased", ...Array<string>(7).fill("posted")], "the outcomes");
    const { inbox: found = [] } = (await bench.store.read(bench.scope, id)) ?? {};
    equal(found.map((item) => item.id).sort(), items.map((item) => item.id).sort(), "the items in the inbox");
  },

  "the lease holder is notified of a post": async (bench) => {
    const called: string[] = [];
    const heard =
      (by: string) =>
      (task: string): void => {
        called.push(`${by} ${task}`);
        throw new Error("The error of a listener is ignored");
      };
    const { id, lease } = await bench.open({}, { claim: { ...bench.claim, onPost: heard("first") } });
    const other = await bench.open({}, { claim: { ...bench.claim, onPost: heard("other") } });
    const hear = (count: number): Promise<true> =>
      bench.eventually("a call of onPost", () => (called.length >= count ? true : undefined));
    await post(bench, id, bench.item("one"));
    await hear(1);
    await bench.store.renew([lease], { ...bench.claim, onPost: heard("second") });
    await post(bench, id, bench.item("two"));
    await hear(2);
    equal(called, [`first ${id}`, `second ${id}`], "who was called");
    ok(other.id !== id, "two tasks have two ids");
  },
};
