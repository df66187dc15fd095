import type { Message, Task } from "../../kit/model.js";
import { extended } from "../../kit/copy.js";
import { sizeOf } from "../../kit/limits/size.js";
import { applyEntries } from "../../kit/log/fold.js";
import { isTerminal } from "../../kit/states.js";
import {
  type AppendOptions,
  type CreateOptions,
  type Entry,
  type InboxItem,
  inHistory,
} from "../../kit/store.js";
import type { TaskCodec, Snapshot, TakenItems } from "./codec.js";
import { type EntryRow, foldedOf, type Parts, type Position, rowsOf } from "./rows.js";

/*
 * Large messages and chunks are written once. Writing a large value as JSON, sending it to the
 * database and reading it again blocks the event loop for tens of milliseconds each time, which
 * delays all callers of the process. A stored turn therefore only refers to its message in the
 * history, and a snapshot does not contain copies of large entries.
 */

/** Minimum size at which a message, or all entries of a write, count as large. */
export const largeBytes: number = 64 * 1024;

/**
 * The item that began a turn. If `isTaken` is set, the message is in the history: in the log entry
 * of this item, or at the index that the snapshot contains for the item.
 */
interface TurnRef extends InboxItem {
  readonly isTaken?: boolean;
}

/**
 * Turn of a task that has ended. The facts about the call are omitted, because no later turn reads
 * them.
 */
export const endedTurn = '{"id":""}';

/** A new task in its stored form. */
export interface NewTask {
  /** The task with its first entries applied. */
  readonly task: Task;
  readonly hasEnded: boolean;
  readonly snapshot: Snapshot;
  /** Position of the snapshot in the log, and the end of the log. */
  readonly folded: Position;
  readonly end: Position;
  readonly rows: readonly EntryRow[];
  readonly turn: string;
  /** `null` if the task has no checkpoint. */
  readonly checkpoint: string | null;
  /** Size of the snapshot, the entries, the turn and the checkpoint. */
  readonly bytes: number;
}

/** Returns the rows and texts of a new task with its first entries. */
export function newTaskOf(
  first: Task,
  { turn, checkpoint }: Pick<CreateOptions, "turn" | "checkpoint">,
  added: readonly Entry[],
  codec: TaskCodec,
): NewTask {
  const start = { generation: 1, nth: 0 };
  const rows = rowsOf(added, start, codec);
  const { generation, nth } = rows.at(-1) ?? start;
  const end = { generation, nth };
  const task = applyEntries(first, added);
  const hasEnded = isTerminal(task.status.state);
  const bytesOfRows = sizeOfRows(rows);
  // Large entries are not copied to the snapshot.
  const isFolded = bytesOfRows < largeBytes;
  // The turn of an open task refers to its large message by the index in the history.
  const refersToHistory = !hasEnded && isLarge(turn.message);
  const at = refersToHistory ? (first.history ?? []).indexOf(turn.message) : -1;
  const snapshot = codec.writeTask(isFolded ? task : first, at < 0 ? [] : [[turn.id, at]]);
  const kept = {
    turn: hasEnded ? endedTurn : codec.write(at < 0 ? turn : refOf(turn), "turn"),
    checkpoint: codec.writeOptional(checkpoint, "checkpoint"),
  };
  const bytes = sizeOfSnapshot(snapshot) + kept.turn.length + (kept.checkpoint?.length ?? 0);
  const folded = isFolded ? end : start;
  return {
    task,
    hasEnded,
    snapshot,
    folded,
    end,
    rows,
    ...kept,
    bytes: isFolded ? bytes : bytes + bytesOfRows,
  };
}

/** Returns the turn and the checkpoint that an append writes. `null` keeps the stored value. */
export function keptTexts(
  { turn, checkpoint }: AppendOptions,
  entries: readonly Entry[],
  codec: TaskCodec,
): { readonly turn: string | null; readonly checkpoint: string | null } {
  // If a resumed turn or a turn whose task pauses is written again, omit its message.
  const isTaken =
    turn !== undefined &&
    isLarge(turn.message) &&
    (turn[inHistory] === true || entries.some((entry) => containsMessage(entry, turn)));
  return {
    turn: codec.writeOptional(isTaken ? refOf(turn) : turn, "turn"),
    checkpoint: codec.writeOptional(checkpoint, "checkpoint"),
  };
}

/** Returns a snapshot that includes all entries of a task. */
export function newSnapshotOf(parts: Parts, codec: TaskCodec): Snapshot {
  const task = foldedOf(parts);
  const taken: TakenItems[number][] = [...parts.taken];
  for (const entry of parts.entries)
    if ("message" in entry && isLarge(entry.message))
      taken.push([entry.item, (task.history ?? []).indexOf(entry.message)]);
  return codec.writeTask(task, taken);
}

/**
 * Returns the item that began a turn, with its message restored from the history.
 * @throws If the history does not contain the message.
 */
export function withMessage(turn: InboxItem, { task, entries, taken }: Parts): InboxItem {
  const { isTaken = false, ...item }: TurnRef = turn;
  if (!isTaken) return turn;
  const entry = entries.find((added) => "message" in added && added.item === turn.id);
  const at = taken.find(([id]) => id === turn.id)?.[1] ?? -1;
  const message = entry !== undefined && "message" in entry ? entry.message : task.history?.[at];
  if (message === undefined)
    throw new TypeError("the message of its turn is missing from its history");
  return extended(item, { message, [inHistory]: true });
}

export function sizeOfSnapshot({ task, artifacts }: Snapshot): number {
  return task.length + (artifacts?.length ?? 0);
}

export function sizeOfRows(rows: readonly EntryRow[]): number {
  return rows.reduce((sum, { body }) => sum + body.length, 0);
}

function isLarge(message: Message | undefined): message is Message {
  return message !== undefined && sizeOf(message) >= largeBytes;
}

/** Returns an item that is marked as taken and does not contain its message. */
function refOf({ message, ...rest }: InboxItem): TurnRef {
  return message === undefined ? rest : { ...rest, isTaken: true };
}

/**
 * Returns whether an entry contains a turn's message. Copies of a message share the same `parts`
 * array.
 */
function containsMessage(entry: Entry, { id, message }: InboxItem): boolean {
  return "message" in entry && entry.item === id && entry.message.parts === message?.parts;
}
