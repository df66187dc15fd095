/**
 * A model of the task kit: what callers must see of a run, computed from the log of the store and
 * without the tested code. The other files of the folder make the run: `world.ts` has services and
 * callers, `steps.ts` and `scripts.ts` choose what they do, `scheduler.ts` decides when waiting
 * operations continue, and `recording-store.ts` keeps the log. The model has these rules:
 *
 * - The generations of a log have no gaps, and nothing follows the end of a task.
 * - Each call ends. It is refused exactly if the task is unknown to its user, has ended, or has
 *   another context.
 * - A response is the task after the entry at which its caller stops waiting.
 * - A stream has each later entry once and in order. A reader that is too far behind gets the task.
 * - A message is in the history of its task once, and its turn reads it once.
 * - A cancellation succeeds exactly if the task is canceled.
 * - Pages of a list contain each task of a user once, the latest first.
 * - Services report no other errors than those of scripts and of the store, and leave no watch open.
 *
 * A change of one of these rules in `library/kit/` needs the same change here. Webhooks, signatures
 * and the limits of owners are not part of the model.
 */

import { expect } from "vitest";
import type { Message, StreamResponse, Task } from "../../../library/kit/model.js";
import type { Entry } from "../../../library/kit/store.js";
import type { TaskLog } from "./recording-store.js";
import type { Call, World } from "./world.js";
import { isExpected } from "./world.js";

const ends = [
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_REJECTED",
];
const pauses = ["TASK_STATE_INPUT_REQUIRED", "TASK_STATE_AUTH_REQUIRED"];

/** State of a task after some entries of its log, computed without the tested code. */
interface Told {
  state: string;
  generation: number;
  said: string[];
  heard: string[];
  artifacts: Record<string, string>;
}

/** Checks a completed run. Throws if the run violates the rules. */
export async function check(world: World): Promise<void> {
  const { recording, agents, calls } = world;
  for (const log of recording.logs.values()) checkLog(log);
  for (const call of calls) {
    expect(call.isOver, `${call.what} is over`).toBe(true);
    // Observations of a service that has crashed are lost.
    if (world.crashed.has(call.agent)) continue;
    if (call.kind === "cancel") checkCancel(call, world);
    if (call.kind === "send") checkSend(call, world);
    if (call.kind === "stream" || call.kind === "subscribe") checkStream(call, world);
    if (call.kind === "other") checkOther(call, world);
  }
  for (const [id, log] of recording.logs) await checkTask(id, log, world);
  await checkLists(world);
  // A turn that runs again reads its message again.
  if (!world.setting.crashes)
    expect(world.read, "each message is read once").toEqual([...new Set(world.read)]);
  for (const { errors } of agents) expect(errors.filter((error) => !isExpected(error))).toEqual([]);
  expect(recording.open(), "open watches").toBe(0);
}

function checkLog({ entries }: TaskLog) {
  const events = entries.filter((entry) => "event" in entry);
  expect(events.map(({ generation }) => generation)).toEqual(events.map((_, at) => at + 2));
  const end = events.findIndex((entry) => ends.includes(stateOf(entry) ?? ""));
  if (end >= 0) expect(end, "nothing follows the end").toBe(events.length - 1);
}

/** Error of a call that was refused, or `undefined` if the call was accepted. */
function refusalOf(call: Call, { recording }: World): string | undefined {
  const { taskId, id } = call;
  if (taskId === undefined) return undefined;
  const log = recording.logs.get(taskId);
  if (log?.scope.owner !== call.user) return "TaskNotFoundError";
  const post = recording.posts.find(
    ({ item }) => item.message?.messageId === id || item.cancel?.["call"] === id,
  );
  switch (post?.outcome) {
    case "leased":
    case "posted":
      return undefined;
    case "otherContext":
      return "InvalidParamsError";
    default:
      return call.kind === "cancel" ? "TaskNotCancelableError" : "UnsupportedOperationError";
  }
}

function checkCancel(call: Call, world: World) {
  const refusal = refusalOf(call, world);
  if (refusal !== undefined) return expect(nameOf(call), call.what).toBe(refusal);
  const log = world.recording.logs.get(call.taskId ?? "");
  const { state } = told(log, Infinity);
  const expected = state === "TASK_STATE_CANCELED" ? undefined : "TaskNotCancelableError";
  expect(nameOf(call), call.what).toBe(expected);
  expect(ends, call.what).toContain(state);
}

function checkOther(call: Call, { recording }: World) {
  const log = recording.logs.get(call.taskId ?? "");
  const name = nameOf(call);
  if (name !== undefined)
    expect([name, log?.scope.owner === call.user], call.what).toEqual(["TaskNotFoundError", false]);
}

/** Position of the log entry that ends the wait of a sender or a subscriber. */
function endOf(call: Call, log: TaskLog, from: number) {
  let isTaken = call.kind === "subscribe" || call.taskId === undefined;
  for (let at = from; at < log.entries.length; at += 1) {
    const entry = log.entries[at];
    if (entry === undefined) break;
    if ("message" in entry && entry.message.messageId === call.id) isTaken = true;
    const state = stateOf(entry) ?? "";
    if (ends.includes(state)) return { at, unread: !isTaken };
    if (isTaken && call.kind !== "subscribe" && pauses.includes(state))
      return { at, unread: false };
  }
  return { at: Infinity, unread: false };
}

function checkSend(call: Call, world: World) {
  const refusal = refusalOf(call, world);
  if (refusal !== undefined) return expect(nameOf(call), call.what).toBe(refusal);
  const log = logOf(call, world);
  const { at, unread } = endOf(call, log, 0);
  // A caller that was too far behind to see that its message was not read gets the ended task.
  const isBehind = world.setting.maxLog < log.entries.length && nameOf(call) === undefined;
  if (unread && call.immediately !== true && !isBehind)
    return expect(nameOf(call), call.what).toBe("UnsupportedOperationError");
  const task = checkSnapshot(call, log);
  if (call.immediately === true) return;
  expect(at, `${call.what} has something to end with`).not.toBe(Infinity);
  expect([...ends, ...pauses], call.what).toContain(task?.status.state);
  expect(Number(task?.["generation" as never]), call.what).toBeGreaterThanOrEqual(
    log.entries[at]?.generation ?? 0,
  );
}

function checkSnapshot(call: Call, log: TaskLog): Task | undefined {
  expect(nameOf(call), call.what).toBeUndefined();
  const task = call.result !== undefined && "task" in call.result ? call.result.task : undefined;
  if (task !== undefined) compare(task, log, call.what);
  return task;
}

function checkStream(call: Call, world: World) {
  const refusal = refusalOf2(call, world);
  const [first, ...rest] = call.events;
  if (first === undefined) {
    if (call.hasLeft) return;
    return expect(nameOf(call), call.what).toBe(refusal ?? "events");
  }
  const log = logOf(call, world);
  if (rest.some(({ task }) => task !== undefined)) return checkBehind(call, log);
  const generation = Number(first.task?.["generation" as never]);
  if (first.task !== undefined) compare(first.task, log, call.what);
  const from = log.entries.findIndex(
    (entry) =>
      entry.generation > generation || (entry.generation === generation && !("event" in entry)),
  );
  const { at, unread } = from < 0 ? { at: Infinity, unread: false } : endOf(call, log, from);
  const expected = log.entries
    .slice(from < 0 ? Infinity : from, at + 1)
    .flatMap((entry) => ("event" in entry ? [entry.event] : []));
  if (call.hasLeft) return expect(rest, call.what).toEqual(expected.slice(0, rest.length));
  expect(rest, call.what).toEqual(expected);
  expect(nameOf(call), call.what).toBe(unread ? "UnsupportedOperationError" : undefined);
}

/** Checks the stream of a reader who was so far behind that it got the task in between. */
function checkBehind(call: Call, log: TaskLog) {
  let generation = 0;
  for (const event of call.events) {
    const { task, statusUpdate, artifactUpdate } = event;
    const next = Number((task ?? statusUpdate ?? artifactUpdate)?.["generation" as never]);
    if (task === undefined) expect(next, call.what).toBe(generation + 1);
    else {
      expect(next, call.what).toBeGreaterThan(generation);
      compare(task, log, call.what);
    }
    generation = next;
  }
  const { state } = told(log, generation);
  if (!call.hasLeft)
    expect(call.kind === "subscribe" ? ends : [...ends, ...pauses], call.what).toContain(state);
  const refused = nameOf(call) ?? "UnsupportedOperationError";
  expect(refused, call.what).toBe("UnsupportedOperationError");
}

/** Like {@link refusalOf}; subscribers are refused if the task has ended. */
function refusalOf2(call: Call, world: World): string | undefined {
  if (call.kind === "stream") return refusalOf(call, world);
  const log = world.recording.logs.get(call.taskId ?? "");
  return log?.scope.owner === call.user ? "UnsupportedOperationError" : "TaskNotFoundError";
}

/** Checks the final state of a task. */
async function checkTask(id: string, log: TaskLog, { agents, recording, calls }: World) {
  const task = await agents[0]?.get(id, log.scope.owner);
  if (task === undefined) return;
  compare(task, log, `the task ${id}`);
  const sent = recording.posts.filter((post) => post.id === id && post.item.message !== undefined);
  const accepted = sent.filter(({ outcome }) => outcome === "leased" || outcome === "posted");
  const ids = accepted.map(({ item }) => item.message?.messageId).sort();
  const heard = (task.history ?? []).filter(isOfUser).map(({ messageId }) => messageId);
  const first = log.task.history?.[0]?.messageId;
  expect(heard.filter((each) => each !== first).sort(), `messages of ${id}`).toEqual(ids);
  expect(heard[0]).toBe(first);
  expect(calls.some((call) => call.id === first)).toBe(true);
}

async function checkLists({ agents, recording }: World) {
  const [agent] = agents;
  for (const user of ["ada", "bob"]) {
    const own = [...recording.logs].filter(([, log]) => log.scope.owner === user);
    const found: Task[] = [];
    for (let pageToken: string | undefined = ""; pageToken !== undefined && agent !== undefined;) {
      const page = await agent.list({ pageSize: 2, pageToken }, user);
      expect([page.totalSize, page.tasks.length <= 2]).toEqual([own.length, true]);
      found.push(...page.tasks);
      pageToken = page.nextPageToken === "" ? undefined : page.nextPageToken;
    }
    expect(found.map(({ id }) => id).sort()).toEqual(own.map(([id]) => id).sort());
    const places = found.map(({ id, status }) => `${status.timestamp} ${id}`);
    expect(places).toEqual([...places].sort().reverse());
  }
}

/** Compares a task that a caller got with the log of it. */
function compare(task: Task, log: TaskLog, what: string) {
  const model = told(log, Number(task["generation" as never]));
  const found = {
    state: task.status.state,
    artifacts: Object.fromEntries(
      (task.artifacts ?? []).map(({ artifactId, parts }) => [artifactId, textsOf(parts)]),
    ),
  };
  expect(found, what).toEqual({ state: model.state, artifacts: model.artifacts });
  const history = task.history ?? [];
  const said = history.filter((message) => !isOfUser(message)).map(({ parts }) => textsOf(parts));
  // The history may already contain the status message if messages of the caller arrived after it.
  const shown = task.status.message === undefined ? "" : textsOf(task.status.message.parts);
  expect([model.said, [...model.said, shown]], what).toContainEqual(said);
  const users = history.filter(isOfUser).map(({ messageId }) => messageId);
  expect(new Set(users).size, what).toBe(users.length);
  expect(users.slice(0, model.heard.length), what).toEqual(model.heard);
}

/** Folds a log up to a generation. */
function told(log: TaskLog | undefined, upTo: number) {
  const model: Told = {
    state: "TASK_STATE_SUBMITTED",
    generation: 1,
    said: [],
    heard: [],
    artifacts: {},
  };
  model.heard.push(log?.task.history?.[0]?.messageId ?? "");
  let shown: string | undefined;
  for (const entry of log?.entries ?? []) {
    if ("message" in entry) {
      if (entry.generation < upTo) model.heard.push(entry.message.messageId);
      continue;
    }
    if (entry.generation > upTo) break;
    model.generation = entry.generation;
    if ("statusUpdate" in entry.event) {
      const { state, message } = entry.event.statusUpdate.status;
      if (shown !== undefined) model.said.push(shown);
      shown = message === undefined ? undefined : textsOf(message.parts);
      model.state = state;
    } else {
      const { artifact, append } = entry.event.artifactUpdate;
      const before = append === true ? (model.artifacts[artifact.artifactId] ?? "") : "";
      model.artifacts[artifact.artifactId] = before + textsOf(artifact.parts);
    }
  }
  return model;
}

function logOf(call: Call, { recording }: World) {
  const { task } =
    call.result !== undefined && "task" in call.result ? call.result : (call.events[0] ?? {});
  const id = call.taskId ?? task?.id ?? "";
  const own = [...recording.logs.values()].find(
    (each) => each.task.history?.[0]?.messageId === call.id,
  );
  const log = recording.logs.get(id) ?? own;
  if (log === undefined) throw new Error(`${call.what} has no task: ${String(nameOf(call))}`);
  return log;
}

function nameOf({ result }: Call) {
  if (result === undefined || "task" in result) return undefined;
  return result.error instanceof Error ? result.error.name : String(result.error);
}

function stateOf(entry: Entry) {
  return "event" in entry && "statusUpdate" in entry.event
    ? entry.event.statusUpdate.status.state
    : undefined;
}

function isOfUser({ role }: Message) {
  return role === "ROLE_USER";
}

function textsOf(parts: Message["parts"]) {
  return parts.map(({ text }) => text ?? "").join("");
}

export type { StreamResponse };
