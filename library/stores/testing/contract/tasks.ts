import { type Task, TaskState } from "../../../kit/model.js";
import { applyEntries } from "../../../kit/log/fold.js";
import {
  type Entry,
  type Lease,
  type Scope,
  type Stored,
  TaskExistsError,
} from "../../../kit/store.js";
import { equal, ok, rejects } from "./assert.js";
import {
  agentMessage,
  type Bench,
  type Cases,
  freeze,
  chunkEntry,
  statusEntry,
  statusOf,
  unsized,
  userMessage,
  working,
  workingUntil,
} from "./bench.js";

/** Scopes that a store might confuse with the scope of the bench. */
const otherScopes: readonly Scope[] = [
  { tenant: "tenant", owner: "other" },
  { tenant: "other", owner: "owner" },
  { tenant: "owner", owner: "tenant" },
  { tenant: "tenantowner", owner: "" },
  { tenant: "", owner: "tenantowner" },
  { tenant: "tenant", owner: "owner " },
  { tenant: "Tenant", owner: "Owner" },
  { tenant: "tenant%", owner: "_____" },
];

/**
 * Creates a task, and returns its lease; `undefined` if the store rejects the id because another
 * scope has a task with this id.
 */
async function createUnlessTaken(
  bench: Bench,
  task: Task,
  scope: Scope,
): Promise<Lease | undefined> {
  try {
    return await bench.store.create(task, bench.options({ scope, claim: bench.claim }));
  } catch (error) {
    if (error instanceof TaskExistsError) return undefined;
    throw error;
  }
}

/** Strings that a store must return unchanged. */
const oddTexts = [
  `'"; -- \\ %_*?`,
  "ä 漢字 😀 \u2028",
  "a/b:c|d,e",
  " spaces ",
  "__proto__",
  "\n\t\u0001",
];

/** Returns a log with every kind of change to a task. */
function everyChange(task: Task): Entry[] {
  const piece = (text: string): { artifactId: string; parts: { text: string }[] } => {
    return { artifactId: "piece", parts: [{ text }] };
  };
  const status = { taskId: task.id, contextId: "", status: statusOf(TaskState.Working, 6) };
  return [
    statusEntry(task, 2, statusOf(TaskState.Working, 2, agentMessage("on it"))),
    chunkEntry(task, 3, { ...piece("one "), name: "a name", metadata: { a: 1, b: [null, true] } }),
    chunkEntry(task, 4, { ...piece("two "), metadata: { b: 2 } }, true),
    chunkEntry(task, 5, {
      artifactId: "other",
      parts: [{ data: { deep: [{ er: 0 }] } }, { raw: "AAEC" }],
    }),
    freeze({ generation: 6, event: { statusUpdate: { ...status, metadata: { progress: 0.5 } } } }),
    chunkEntry(task, 7, piece("three"), true),
    chunkEntry(task, 8, { artifactId: "other", parts: [{ text: "instead" }] }),
    statusEntry(task, 9, statusOf(TaskState.Completed, 9)),
  ];
}

async function readOf({ store, scope }: Bench, id: string): Promise<Stored> {
  const stored = await store.read(scope, id);
  if (stored === undefined) throw new Error(`\`read\` did not find the task ${id}`);
  return stored;
}

export const tasks: Cases = {
  "`read` returns a new task unchanged, at generation 1": async (bench) => {
    const { store, scope } = bench;
    const [task, turn] = [bench.task({ metadata: { a: [1, null] } }), bench.item("begin")];
    await store.create(task, bench.options({ turn, checkpoint: { step: 1 }, claim: bench.claim }));
    const expected = { task, generation: 1, inbox: [], turn, checkpoint: { step: 1 } };
    equal(unsized(await store.read(scope, task.id)), expected, "the created task");
    equal(await store.read(scope, "nobody"), undefined, "an unknown task");
  },

  "a task that has ended keeps no data of the call that began its turn": async (bench) => {
    const call = { user: "secret", extensions: [], acceptedOutputModes: [], metadata: undefined };
    const turn = freeze({ ...bench.item("begin"), call });
    const { id, task, lease } = await bench.open({}, { turn, checkpoint: { step: 1 } });
    await bench.store.append(lease, [statusEntry(task, 2, statusOf(TaskState.Completed, 2))], {
      turn,
      release: true,
    });
    ok(
      !JSON.stringify(await bench.store.read(bench.scope, id)).includes("secret"),
      "the stored task must not contain the user of the call",
    );
  },

  "`create` returns a lease if it is called with a claim": async (bench) => {
    const { id, lease } = await bench.open();
    const { epoch, ...rest } = lease;
    equal(rest, { id, scope: bench.scope, holder: bench.claim.holder }, "the lease of a new task");
    ok(Number.isFinite(epoch), "the epoch of a lease must be a number");
    equal(
      await bench.store.create(bench.task(), bench.options()),
      undefined,
      "the result of `create` without a claim",
    );
  },

  "`create` rejects an existing id in the same scope": async (bench) => {
    const { task } = await bench.open();
    const again = freeze({ ...task, metadata: { again: true } });
    await rejects(
      bench.store.create(again, bench.options({ claim: bench.claim })),
      TaskExistsError,
      "the creation of a task with an existing id",
    );
    equal((await readOf(bench, task.id)).task, task, "the existing task");
  },

  "`create` rejects an id of another scope, or separates both tasks": async (bench) => {
    const { store, claim, scope } = bench;
    const { id, task, lease } = await bench.open();
    const watch = store.watch(scope, id, 1);
    try {
      for (const other of otherScopes) {
        const again = freeze({ ...task, metadata: { owner: other.owner } });
        const otherLease = await createUnlessTaken(bench, again, other);
        if (otherLease === undefined) continue;
        const words = JSON.stringify(other);
        equal((await store.read(other, id))?.task, again, `the task in the scope ${words}`);
        await store.append(otherLease, workingUntil(task, 2, 4));
        const { held } = await store.renew([otherLease], claim);
        equal(held, [otherLease], `the lease of the task in the scope ${words}`);
        equal(await store.erase({ ...other, taskId: id }, 10), 1, "the number of deleted tasks");
      }
      equal((await readOf(bench, id)).task, task, "the existing task");
      await store.append(lease, [working(task, 2)]);
      equal(await bench.nextOf(watch), [working(task, 2)], "the entries of the existing task");
    } finally {
      watch.close();
    }
  },

  "one of several concurrent calls of `create` with the same id succeeds": async (bench) => {
    const task = bench.task();
    const attempts = Array.from({ length: 5 }, () =>
      bench.store.create(task, bench.options({ claim: bench.claim })),
    );
    const outcomes = await Promise.allSettled(attempts);
    const created = outcomes.filter(({ status }) => status === "fulfilled");
    equal(created.length, 1, "the number of calls that succeed");
  },

  "`create` adds entries, which may end the task": async (bench) => {
    const { store, scope } = bench;
    const task = bench.task();
    const entries = everyChange(task);
    await store.create(task, bench.options({ entries }));
    const stored = await readOf(bench, task.id);
    equal(stored.task, applyEntries(task, entries), "the task that was created with entries");
    equal(stored.generation, 9, "the generation of the task");
    const { tasks: listed } = await store.list(scope, { limit: 10, state: TaskState.Completed });
    equal(listed.length, 1, "the number of completed tasks in the list");
  },

  "a task exists only in its own scope": async (bench) => {
    const { store, claim } = bench;
    const { id } = await bench.open();
    await store.putWebhook(bench.scope, bench.webhook(id, "hook"));
    for (const scope of otherScopes) {
      const other = JSON.stringify(scope);
      equal(await store.read(scope, id), undefined, `the result of \`read\` in the scope ${other}`);
      equal(
        await store.post(scope, id, bench.item("hello"), claim),
        undefined,
        `the result of \`post\` in the scope ${other}`,
      );
      equal(
        await store.webhooks(scope, id),
        undefined,
        `the result of \`webhooks\` in the scope ${other}`,
      );
      equal(
        await store.putWebhook(scope, bench.webhook(id, "other")),
        undefined,
        `the result of \`putWebhook\` in the scope ${other}`,
      );
      equal(
        await store.deleteWebhook(scope, id, "hook"),
        false,
        `the result of \`deleteWebhook\` in the scope ${other}`,
      );
      const { tasks: listed, total } = await store.list(scope, { limit: 10 });
      equal([listed, total], [[], 0], `the result of \`list\` in the scope ${other}`);
    }
    equal((await readOf(bench, id)).inbox, [], "the inbox after posts in other scopes");
    equal(
      (await store.webhooks(bench.scope, id))?.length,
      1,
      "the number of webhooks after deletions in other scopes",
    );
  },

  "`append` applies all kinds of entries like `applyEntries`": async (bench) => {
    const { task, lease } = await bench.open({ metadata: { kept: true } });
    const entries = everyChange(task);
    for (const [at, entry] of entries.entries()) {
      await bench.store.append(lease, [entry]);
      const { task: read, generation } = await readOf(bench, task.id);
      equal(
        read,
        applyEntries(task, entries.slice(0, at + 1)),
        `the task after entry ${String(at + 1)}`,
      );
      equal(generation, entry.generation, `the generation after entry ${String(at + 1)}`);
    }
  },

  "`append` keeps the order of thousands of chunks": async (bench) => {
    const { task, lease } = await bench.open();
    const pieces = Array.from({ length: 2_000 }, (_, at) =>
      chunkEntry(task, at + 2, { artifactId: "long", parts: [{ text: `${String(at)} ` }] }, at > 0),
    );
    for (let at = 0; at < pieces.length; at += 100)
      await bench.store.append(lease, pieces.slice(at, at + 100));
    const { artifacts } = (await readOf(bench, task.id)).task;
    equal(artifacts, applyEntries(task, pieces).artifacts, "an artifact of 2,000 chunks");
  },

  "a task that `read` has returned does not change later": async (bench) => {
    const { task, lease } = await bench.open();
    await bench.store.append(lease, everyChange(task).slice(0, 3));
    const before = await readOf(bench, task.id);
    const copy = structuredClone(before);
    await bench.store.append(lease, everyChange(task).slice(3), { checkpoint: { changed: true } });
    await bench.store.post(bench.scope, task.id, bench.item("hello"), bench.claim);
    await readOf(bench, task.id);
    equal(before, copy, "the task that was read before the changes");
  },

  "ids, scopes and contents may have any characters": async (bench) => {
    const { store, claim } = bench;
    for (const text of oddTexts) {
      const scope = { tenant: text, owner: text };
      const task = bench.task({
        id: `${bench.id()}${text}`,
        contextId: text,
        history: [userMessage(text)],
      });
      const lease = await store.create(
        task,
        bench.options({ scope, claim, checkpoint: { [text]: text } }),
      );
      if (lease !== undefined) await store.append(lease, [working(task, 2)]);
      const stored = await store.read(scope, task.id);
      equal(
        stored?.task.history,
        task.history,
        `the history with the text ${JSON.stringify(text)}`,
      );
      equal(
        stored?.checkpoint,
        { [text]: text },
        `the checkpoint with the text ${JSON.stringify(text)}`,
      );
      const { total } = await store.list(scope, { limit: 10, contextId: text });
      equal(total, 1, `the number of tasks in the context ${JSON.stringify(text)}`);
    }
  },
};
