import { type Message, TaskState } from "../../../kit/model.js";
import { applyEntries } from "../../../kit/log/fold.js";
import type { Entry, InboxItem, Stored } from "../../../kit/store.js";
import { equal, ok } from "./assert.js";
import {
  agentMessage,
  type Bench,
  type Cases,
  freeze,
  messageEntry,
  chunkEntry,
  statusEntry,
  statusOf,
  userMessage,
  workingUntil,
} from "./bench.js";

/** Length of strings that a store may store separately from the rest of the task. */
const length = 300_000;

function largeMessage(text: string): Message {
  return { ...userMessage(text), parts: [{ text: text.repeat(length / text.length) }] };
}

/** Returns an item with a large message and details of its call. */
function largeItem(id: string, text: string): InboxItem & { readonly message: Message } {
  const call = { user: "ann", extensions: [], acceptedOutputModes: [], metadata: { text } };
  return freeze({ id, message: largeMessage(text), call });
}

async function readOf(bench: Bench, id: string): Promise<Stored> {
  const stored = await bench.store.read(bench.scope, id);
  if (stored === undefined) throw new Error(`\`read\` did not find the task ${id}`);
  return stored;
}

export const large: Cases = {
  "a turn keeps the large message that began it after any number of appends": async (bench) => {
    const turn = largeItem(bench.id("turn"), "begin");
    const { id, task, lease } = await bench.open({ history: [turn.message] }, { turn });
    equal((await readOf(bench, id)).turn, turn, "the item that began the first turn");
    const item = largeItem(bench.id("item"), "go on");
    await bench.store.post(bench.scope, id, item, bench.claim);
    // A worker sets the task's ids in the message of a turn.
    const own = freeze({ ...item, message: { ...item.message, taskId: id } });
    const entry = freeze({ ...messageEntry(2, item), message: { ...own.message } });
    const entries: Entry[] = [
      statusEntry(task, 2, statusOf(TaskState.Working, 2, agentMessage("yes"))),
      entry,
    ];
    await bench.store.append(lease, entries, { taken: [item.id], turn: own });
    equal((await readOf(bench, id)).turn, own, "the item that began the next turn");
    for (let first = 3; first < 1_100; first += 100) {
      const more = workingUntil(task, first, first + 99);
      for (const entry of more) entries.push(entry);
      await bench.store.append(lease, more);
    }
    const rest = statusEntry(task, 1_103, statusOf(TaskState.AuthRequired, 1_103));
    entries.push(rest);
    // Append the same turn again, marked as still running.
    await bench.store.append(lease, [rest], { turn: freeze({ ...own, keepsRunning: true }) });
    // Reading a task may compact it.
    for (let reads = 0; reads < 3; reads += 1) {
      const stored = await readOf(bench, id);
      equal(
        stored.turn,
        { ...own, keepsRunning: true },
        "the item that began the turn of a paused task",
      );
      equal(stored.task, applyEntries(task, entries), "the task with a long log");
      await bench.pass(20);
    }
  },

  "a task whose turn began with a large message has this message once in its history": async (
    bench,
  ) => {
    const turn = largeItem(bench.id("turn"), "begin");
    const { id, task, lease } = await bench.open(
      { history: [turn.message] },
      { turn, claim: bench.claim },
    );
    for (let first = 2; first < 1_102; first += 100)
      await bench.store.append(lease, workingUntil(task, first, first + 99));
    for (let reads = 0; reads < 3; reads += 1) {
      const stored = await readOf(bench, id);
      equal(stored.turn, turn, "the item that began the turn");
      equal(stored.task.history, [turn.message], "the history");
      await bench.pass(20);
    }
  },

  "a task that has ended keeps large chunks in its artifacts, even if it was created with its end":
    async (bench) => {
      const pieceOf = (text: string): { artifactId: string; parts: { text: string }[] } => ({
        artifactId: "large",
        parts: [{ text: text.repeat(length / text.length) }],
      });
      const task = bench.task({ history: [largeMessage("begin")] });
      const entries = [
        chunkEntry(task, 2, pieceOf("one")),
        chunkEntry(task, 3, pieceOf("two"), true),
        chunkEntry(task, 4, { artifactId: "replaced", parts: [{ text: "a" }] }),
        chunkEntry(task, 5, { artifactId: "replaced", parts: [{ text: "b" }] }),
        statusEntry(task, 6, statusOf(TaskState.Completed, 6)),
      ];
      await bench.store.create(task, bench.options({ entries }));
      const opened = await bench.open({ history: [largeMessage("begin")] });
      const later = entries.map((entry) =>
        freeze({ ...entry, event: withId(entry.event, opened.id) }),
      );
      for (const entry of later) await bench.store.append(opened.lease, [entry]);
      for (const [first, log] of [
        [task, entries],
        [opened.task, later],
      ] as const) {
        const { task: read, bytes } = await readOf(bench, first.id);
        equal(read, applyEntries(first, log), "the task with its artifacts");
        ok(
          bytes > 3 * length,
          `a task with three large texts must have more than ${String(3 * length)} bytes, got ` +
            String(bytes),
        );
      }
      const { tasks } = await bench.store.list(bench.scope, { limit: 10, artifacts: true });
      const artifacts = applyEntries(task, entries).artifacts;
      equal(
        tasks.map((listed) => listed.task.artifacts),
        [artifacts, artifacts],
        "the artifacts of the tasks in a list",
      );
      // Retention may remove logs, but must keep the task.
      await bench.pass(10);
      while ((await bench.store.deleteExpired({ maxLogAgeMs: 0, step: 10 })) > 0);
      equal(
        (await readOf(bench, task.id)).task,
        applyEntries(task, entries),
        "the task after the cleanup of its log",
      );
    },
};

/** Returns an event for another task. */
function withId<T extends object>(event: T, taskId: string): T {
  const [name, update] = Object.entries(event)[0] as [string, object];
  // The event has the same type, because only its ids change.
  return { [name]: { ...update, taskId, contextId: `context of ${taskId}` } } as T;
}
