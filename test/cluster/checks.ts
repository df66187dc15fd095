import type { Entry, Scope, Stored, TaskStore } from "../../library/kit/store.js";
import { isTerminal } from "../../library/kit/states.js";
import { textOf } from "../../library/kit/turns/updates.js";
import { hashOf, type History, type Seen, type TaskHistory } from "./history.js";
import { type Append, type Effect, manyUpdates, markOf, owners } from "./protocol.js";

/** Final state of a task in the engine. */
export interface Log {
  readonly stored: Stored;
  readonly entries: readonly Entry[];
}

/** The scopes of all owners. */
export const scopes: readonly Scope[] = owners.map((owner) => ({ tenant: "", owner }));

/** Reads the logs of all tasks. */
export async function readLogs(store: TaskStore): Promise<Map<string, Log>> {
  const logs = new Map<string, Log>();
  for (const scope of scopes) {
    let cursor: string | undefined;
    do {
      const page = await store.list(scope, { limit: 100, ...(cursor !== undefined && { cursor }) });
      for (const { task } of page.tasks) {
        const stored = await store.read(scope, task.id);
        if (stored !== undefined)
          logs.set(task.id, { stored, entries: await entriesOf(store, scope, stored) });
      }
      cursor = page.next;
    } while (cursor !== undefined);
  }
  return logs;
}

async function entriesOf(store: TaskStore, scope: Scope, { task, generation }: Stored) {
  const watch = store.watch(scope, task.id, 1);
  const entries: Entry[] = [];
  while ((entries.at(-1)?.generation ?? 1) < generation) {
    const found = await watch.next();
    if (!Array.isArray(found)) break;
    entries.push(...(found as Entry[]));
  }
  watch.close();
  return entries;
}

/**
 * Checks everything that happened against the logs; adds what is wrong to the problems of the
 * history.
 */
export function check(history: History, logs: ReadonlyMap<string, Log>): void {
  for (const [id, log] of logs) {
    checkLog(history, id, log);
    // A task that no caller knows, because the response with its id was lost, only has its log.
    const task = history.tasks.get(id);
    if (task !== undefined) checkTask(history, task, log);
  }
  for (const [id, effects] of history.effects) checkEffects(history, id, effects);
  for (const id of history.tasks.keys()) if (!logs.has(id)) history.problem(`task ${id} is lost`);
}

/** A task has all its generations, and is at rest; at any time one process has worked on it. */
function checkLog(history: History, id: string, { stored, entries }: Log) {
  const { state } = stored.task.status;
  // No caller answers or wakes a task that no caller knows.
  const mayWait = !history.tasks.has(id);
  const waits = state === "TASK_STATE_INPUT_REQUIRED" || stored.turn.asleep === true;
  if (!isTerminal(state) && !(mayWait && waits)) history.problem(`task ${id} is stuck: ${state}`);
  if (state === "TASK_STATE_FAILED") history.problem(`task ${id} has failed`);
  let generation = 1;
  for (const entry of entries) {
    if ("message" in entry) continue;
    generation += 1;
    if (entry.generation !== generation)
      history.problem(
        `the log of ${id} has generation ${String(entry.generation)} in place of ${String(generation)}`,
      );
  }
  checkRuns(history, id, entries);
  checkEpochs(history, id);
}

/**
 * Side effects of turns come from one process at a time: no side effect of a run follows the first
 * side effect of a later run, even if the process was suspended or disconnected.
 */
function checkEffects(history: History, id: string, effects: readonly Effect[]) {
  const begun = new Map<string, number>();
  const ended = new Map<string, number>();
  for (const { run, at } of effects) {
    begun.set(run, Math.min(begun.get(run) ?? Infinity, at));
    ended.set(run, Math.max(ended.get(run) ?? 0, at));
  }
  const runs = [...begun].toSorted(([, one], [, other]) => one - other);
  for (const [at, [run]] of runs.entries()) {
    const [next, from = Infinity] = runs[at + 1] ?? [];
    const last = ended.get(run) ?? 0;
    if (last > from)
      history.problem(
        `run ${run} of ${id} was at work for ${String(Math.ceil(last - from))} ms after run ${String(next)} had begun`,
      );
  }
}

/**
 * An earlier lease holder writes nothing: no event was appended with an earlier lease than an event
 * before it, or with two leases.
 */
function checkEpochs(history: History, id: string) {
  const appends = (history.appends.get(id) ?? []).toSorted(
    (one, other) => one.last - other.last || one.epoch - other.epoch,
  );
  let before: Append | undefined;
  for (const append of appends) {
    if (before !== undefined && append.epoch < before.epoch)
      history.problem(
        `lease ${String(append.epoch)} of ${id} appended ${String(append.last)} after a later lease`,
      );
    if (before !== undefined && append.epoch !== before.epoch && append.first <= before.last)
      history.problem(
        `leases ${String(before.epoch)} and ${String(append.epoch)} of ${id} appended ${String(append.first)}`,
      );
    before = append;
  }
}

/**
 * Each run of a turn continues from the last stored state, and two runs never write at the same
 * time.
 */
function checkRuns(history: History, id: string, entries: readonly Entry[]) {
  const over = new Set<string>();
  let last = { run: "", number: -1 };
  for (const entry of entries) {
    const status =
      "event" in entry && "statusUpdate" in entry.event
        ? entry.event.statusUpdate.status
        : undefined;
    // The next turn starts from the beginning.
    if (status?.state === "TASK_STATE_INPUT_REQUIRED") last = { run: last.run, number: -1 };
    const mark = markOf(status?.message && textOf(status.message));
    if (mark === undefined) continue;
    if (over.has(mark.run)) history.problem(`two processes worked on ${id} at the same time`);
    if (mark.run === last.run && mark.number !== last.number + 1)
      history.problem(`run ${mark.run} of ${id} lost an update before ${String(mark.number)}`);
    if (mark.run !== last.run) {
      over.add(last.run);
      // A turn that yielded a later update has stored the state before it.
      const least = Math.floor(Math.max(last.number, 0) / manyUpdates) * manyUpdates;
      if (mark.number > last.number + 1 || mark.number < least)
        history.problem(`${id} continued with ${String(mark.number)} after ${String(last.number)}`);
    }
    last = mark;
  }
}

function checkTask(history: History, task: TaskHistory, log: Log) {
  const { id, accepted, isCanceled, subscribers, webhook } = task;
  const { stored, entries } = log;
  const ids = (stored.task.history ?? []).map(({ messageId }) => messageId);
  for (const messageId of accepted) {
    const count = ids.filter((each) => each === messageId).length;
    if (count !== 1)
      history.problem(`message ${messageId} is ${String(count)} times in the history of ${id}`);
  }
  if (isCanceled && stored.task.status.state !== "TASK_STATE_CANCELED")
    history.problem(`${id} was not canceled`);
  const events = new Map<number, number>();
  for (const entry of entries)
    if ("event" in entry) events.set(entry.generation, hashOf(entry.event));
  for (const seen of subscribers) checkSubscriber(history, id, seen, events, stored.generation);
  if (webhook !== undefined) checkWebhook(history, id, webhook, stored.generation);
}

/** A subscriber saw each generation once and in order, and what the log has. */
function checkSubscriber(
  history: History,
  id: string,
  seen: readonly Seen[],
  events: ReadonlyMap<number, number>,
  end: number,
) {
  let last = 0;
  for (const { generation, event } of seen) {
    if (event === undefined ? generation < last : generation !== last + 1)
      history.problem(`a subscriber of ${id} saw ${String(generation)} after ${String(last)}`);
    if (event !== undefined && events.get(generation) !== event)
      history.problem(
        `a subscriber of ${id} saw what the log has not: ${history.texts.get(event) ?? ""}`,
      );
    last = generation;
  }
  if (last !== end)
    history.problem(`a subscriber of ${id} saw ${String(last)} as the last of ${String(end)}`);
}

/** A webhook received each generation, and no generation before its predecessor. */
function checkWebhook(
  history: History,
  id: string,
  hook: { after: number; posted: number[] },
  end: number,
) {
  let last = hook.after;
  for (const generation of hook.posted) {
    // NaN also fails.
    if (!(generation <= last + 1))
      history.problem(`a webhook of ${id} got ${String(generation)} after ${String(last)}`);
    last = Math.max(last, generation);
  }
  if (last < end) history.problem(`a webhook of ${id} got ${String(last)} of ${String(end)}`);
}
