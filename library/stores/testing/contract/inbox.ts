import { TaskState } from "../../../kit/model.js";
import { applyEntries, withInbox } from "../../../kit/log/fold.js";
import type { Expected, InboxItem, Leased, Posted, Scope, StoredTask } from "../../../kit/store.js";
import { equal } from "./assert.js";
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
async function post(
  bench: Bench,
  id: string,
  item: InboxItem,
  expected?: Expected,
): Promise<Posted> {
  const claim = { ...bench.claim, holder: "process-2" };
  const posted = await bench.store.post(bench.scope, id, item, claim, expected);
  if (posted === undefined) throw new Error(`\`post\` did not find the task ${id}`);
  return posted;
}

/**
 * Returns the task of a successful post.
 * @throws If the post was rejected.
 */
function storedOf(posted: Posted): StoredTask {
  if ("state" in posted)
    throw new Error(`\`post\` must succeed, got the outcome ${posted.outcome}`);
  return posted.stored;
}

/**
 * Returns the lease that a post has acquired.
 * @throws If the post did not acquire a lease.
 */
export function leasedOf(posted: Posted | undefined): Leased {
  if (posted?.outcome !== "leased")
    throw new Error(`\`post\` must acquire the lease, got the outcome ${String(posted?.outcome)}`);
  return posted;
}

export const inbox: Cases = {
  "`post` acquires the lease of a task without a lease holder": async (bench) => {
    const { id, history = [] } = await bench.rest();
    const item = bench.item("go on");
    const { lease, stored } = leasedOf(await post(bench, id, item));
    equal(lease.holder, "process-2", "the lease holder");
    equal(stored.inbox, [item], "the inbox after the post");
    equal(
      stored.task.history,
      [...history, item.message],
      "the history, with the messages in the inbox",
    );
    const found = await bench.store.append(lease, [working({ id }, 2)]);
    equal(
      foundOf(found),
      { inbox: [item], released: false },
      "the result of the lease holder's first append",
    );
  },

  "`post` does not acquire the lease of a task with a lease holder": async (bench) => {
    const { id, task, lease } = await bench.open();
    const item = bench.item("hello");
    const posted = await post(bench, id, item);
    equal(posted.outcome, "posted", "the outcome of the post");
    const stored = storedOf(posted);
    equal(stored.inbox, [item], "the inbox after the post");
    equal(stored.generation, 1, "the generation after the post");
    const { inbox: found } = await bench.store.append(lease, [working(task, 2)]);
    equal(found, [item], "the inbox in the result of the lease holder's next append");
  },

  "the inbox keeps all members and the order of its items": async (bench) => {
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
    equal(
      stored?.task.history,
      [...(task.history ?? []), ...messages],
      "the history, with the messages in the inbox",
    );
    equal(
      (await bench.store.append(lease, [])).inbox,
      items,
      "the inbox in the result of an append without entries",
    );
  },

  "`append` removes the taken items from the inbox and keeps all others": async (bench) => {
    const { id, lease } = await bench.open();
    const [one, two, three] = [bench.item("one"), bench.item("two"), bench.item("three")];
    for (const item of [one, two, three]) await post(bench, id, item);
    const { inbox: found } = await bench.store.append(lease, [], { taken: [two.id] });
    equal(found, [one, three], "the inbox in the result of the append that takes an item");
    const again = await bench.store.append(lease, [], { taken: [one.id, "unknown"] });
    equal(again.inbox, [three], "the inbox in the result of the next append");
  },

  "the history has the messages of the inbox after the message of the status": async (bench) => {
    const status = statusOf(TaskState.InputRequired, 0, agentMessage("for whom?"));
    const { id, task, lease } = await bench.open({ status });
    const item = bench.item("for me");
    const stored = storedOf(await post(bench, id, item));
    equal(stored.task, withInbox(task, [item]), "the task with the message in its inbox");
    const taken = [messageEntry(1, item), working(task, 2)];
    await bench.store.append(lease, taken, { taken: [item.id] });
    const after = await bench.store.read(bench.scope, id);
    equal(after?.task, applyEntries(task, taken), "the task after an append took the message");
    equal(after?.task.history, stored.task.history, "the history after an append took the message");
  },

  "the history has each taken message once": async (bench) => {
    const { id, task, lease } = await bench.open();
    const [one, two] = [bench.item("one"), bench.item("two")];
    for (const item of [one, two]) await post(bench, id, item);
    await bench.store.append(lease, [working(task, 2), messageEntry(2, two)], {
      taken: [two.id],
      turn: two,
    });
    const stored = await bench.store.read(bench.scope, id);
    const history = [...(task.history ?? []), two.message, one.message];
    equal(stored?.task.history, history, "the history, with the messages in the inbox at the end");
    equal(stored?.inbox, [one], "the inbox");
    equal(stored?.turn, two, "the turn");
  },

  "`post` refuses an item for a task that has ended": async (bench) => {
    const { id, task, lease } = await bench.open();
    await bench.store.append(lease, [statusEntry(task, 2, statusOf(TaskState.Failed, 2))], {
      release: true,
    });
    const refused = { outcome: "ended", state: TaskState.Failed, generation: 2 };
    equal(await post(bench, id, bench.item("hello")), refused, "the result of the post");
    const stored = await bench.store.read(bench.scope, id);
    equal(
      [stored?.inbox, stored?.generation, stored?.task.history],
      [[], 2, task.history],
      "the inbox, the generation and the history after the post",
    );
  },

  "`post` refuses an item for a task that has ended, even if the item was posted before": async (
    bench,
  ) => {
    const { id, task, lease } = await bench.open();
    const item = freeze({ id: `cancel ${id}`, cancel: {} });
    equal((await post(bench, id, item)).outcome, "posted", "the outcome of the first post");
    const end = statusEntry(task, 2, statusOf(TaskState.Canceled, 2));
    await bench.store.append(lease, [end], { taken: [item.id], release: true });
    equal((await post(bench, id, item)).outcome, "ended", "the outcome of the second post");
  },

  "`append` returns each item once if it is called with the seen items": async (bench) => {
    const { id, task, lease } = await bench.open();
    const items = [bench.item("one"), bench.item("two"), bench.item("three")] as const;
    for (const item of items.slice(0, 2)) await post(bench, id, item);
    const first = await bench.store.append(lease, [working(task, 2)]);
    equal(first.inbox, items.slice(0, 2), "the inbox in the result of the first append");
    await post(bench, id, items[2]);
    const second = await bench.store.append(lease, [working(task, 3)], { seen: first.seen });
    equal(
      second.inbox,
      first.seen === undefined ? items : [items[2]],
      "the inbox in the result of the second append",
    );
    const release = { taken: [items[2].id], release: true, seen: second.seen };
    equal(
      (await bench.store.append(lease, [], release)).released,
      false,
      "`released` in the result of an append while the inbox has seen items",
    );
    equal((await bench.store.read(bench.scope, id))?.inbox, items.slice(0, 2), "the inbox");
  },

  "`post` refuses an item if the task does not meet the expectations": async (bench) => {
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
      equal(posted, refused, `the result of a post that expects ${JSON.stringify(expected)}`);
      const stored = await bench.store.read(bench.scope, id);
      equal(
        [stored?.inbox, stored?.generation],
        [[], 1],
        "the inbox, the generation and the history after the post",
      );
    }
    const { outcome } = await post(bench, id, bench.item("hello"), {
      generation: 1,
      contextId,
      maxInbox: 1,
    });
    equal(outcome, "leased", "the outcome of a post whose expectations are met");
    equal(
      (await post(bench, id, bench.item("hello"), { maxInbox: 1 })).outcome,
      "full",
      "the outcome of a post if the inbox is full",
    );
    equal(
      (await post(bench, id, bench.item("hello"), { maxInbox: 2 })).outcome,
      "posted",
      "the outcome of a post if the inbox has room",
    );
  },

  "`post` returns `undefined` for an unknown task": async ({ store, scope, claim }) => {
    const item = freeze({ id: "item", cancel: {} });
    equal(await store.post(scope, "nobody", item, claim), undefined, "the result of the post");
  },

  "an item that is posted twice is in the inbox once": async (bench) => {
    const { id } = await bench.open();
    const item = bench.item("hello");
    await post(bench, id, item);
    equal(storedOf(await post(bench, id, item)).inbox, [item], "the inbox");
  },

  "an item that is posted again after a turn took it, and after 40 other items, is not added again":
    async (bench) => {
      const { id, task, lease } = await bench.open();
      const items = Array.from({ length: 41 }, (_, at) => bench.item(`message ${String(at)}`));
      for (const [at, item] of items.entries()) {
        equal((await post(bench, id, item)).outcome, "posted", "the outcome of the first post");
        const taken = [messageEntry(at + 1, item), working(task, at + 2)];
        await bench.store.append(lease, taken, { taken: [item.id] });
      }
      for (const item of items) {
        const again = await post(bench, id, item);
        equal(again.outcome, "posted", "the outcome of the repeated post");
        equal(storedOf(again).inbox, [], "the inbox in the result of the repeated post");
      }
      const stored = await bench.store.read(bench.scope, id);
      equal(stored?.inbox, [], "the inbox");
      const messages = [...(task.history ?? []), ...items.map(({ message }) => message)];
      equal(stored?.task.history, messages, "the history");
    },

  "an item that is posted again after the end of its task gets the outcome of its first post":
    async (bench) => {
      const { id, task, lease } = await bench.open();
      const item = bench.item("hello");
      equal((await post(bench, id, item)).outcome, "posted", "the outcome of the first post");
      const entries = [
        messageEntry(1, item),
        statusEntry(task, 2, statusOf(TaskState.Completed, 2)),
      ];
      await bench.store.append(lease, entries, { taken: [item.id], release: true });
      const again = await post(bench, id, item);
      equal(again.outcome, "posted", "the outcome of the repeated post");
      const { inbox: found, generation, task: ended } = storedOf(again);
      equal(
        [found, generation, ended.status.state],
        [[], 2, TaskState.Completed],
        "the task of the repeated post",
      );
      equal(
        (await post(bench, id, bench.item("late"))).outcome,
        "ended",
        "the outcome of the post of another item",
      );
    },

  "an item that is posted again to a task without a lease holder does not acquire the lease":
    async (bench) => {
      const { id } = await bench.rest();
      const item = bench.item("go on");
      const { lease } = leasedOf(await post(bench, id, item));
      const entries = [
        messageEntry(1, item),
        statusEntry({ id }, 2, statusOf(TaskState.InputRequired, 2)),
      ];
      const { released } = await bench.store.append(lease, entries, {
        taken: [item.id],
        release: true,
      });
      equal(released, true, "`released` in the result of the append");
      equal((await post(bench, id, item)).outcome, "posted", "the outcome of the repeated post");
    },

  "one of several concurrent calls of `post` acquires the lease": async (bench) => {
    const { id } = await bench.rest();
    const items = Array.from({ length: 8 }, (_, at) => bench.item(`message ${String(at)}`));
    const posted = await Promise.all(items.map((item) => post(bench, id, item)));
    const outcomes = posted.map(({ outcome }) => outcome).sort();
    equal(outcomes, ["leased", ...Array<string>(7).fill("posted")], "the outcomes");
    const { inbox: found = [] } = (await bench.store.read(bench.scope, id)) ?? {};
    equal(
      found.map((item) => item.id).sort(),
      items.map((item) => item.id).sort(),
      "the items in the inbox",
    );
  },

  "`post` calls `onPost` of the lease holder's last claim": async (bench) => {
    const called: string[] = [];
    const heard =
      (by: string) =>
      (scope: Scope, task: string): void => {
        called.push(`${by} ${scope.tenant} ${scope.owner} ${task}`);
        throw new Error("A store must ignore errors of `onPost`");
      };
    const { id, lease } = await bench.open(
      {},
      { claim: { ...bench.claim, onPost: heard("first") } },
    );
    // No call of this task's `onPost` is expected.
    await bench.open({}, { claim: { ...bench.claim, onPost: heard("other") } });
    const hear = (count: number): Promise<true> =>
      bench.eventually("a call of `onPost`", () => (called.length >= count ? true : undefined));
    await post(bench, id, bench.item("one"));
    await hear(1);
    await bench.store.renew([lease], { ...bench.claim, onPost: heard("second") });
    await post(bench, id, bench.item("two"));
    await hear(2);
    const { tenant, owner } = bench.scope;
    const named = `${tenant} ${owner} ${id}`;
    equal(called, [`first ${named}`, `second ${named}`], "the calls of `onPost`");
  },
};
