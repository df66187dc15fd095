import type { Message, Task } from "../../model.js";
import { extended } from "../../copy.js";
import { sizeOf } from "../../limits/size.js";
import { applyEntries } from "../../log/fold.js";
import { isTerminal } from "../../states.js";
import type { AppendOptions, CreateOptions, Entry, InboxItem } from "../../store.js";
import type { Codec, Snapshot, TakenItems } from "./codec.js";
import { type EntryRow, foldedOf, type Parts, type Position, rowsOf } from "./rows.js";

/*
 * Large messages and pieces are written once. To write one as JSON, to send it to an engine and to read it again blocks
 * the event loop for tens of milliseconds each time, for which all callers of the process wait. So what began a turn
 * refers to its message in the history, and a snapshot does not repeat entries that are large.
 */

/** Size above which a message or the entries of a write are large. */
const largeBytes = 64 * 1024;

/** What began a turn whose message is in the history: as that of an entry, or where the snapshot says. */
interface TurnRef extends InboxItem {
  readonly isTaken?: boolean;
}

/** What is left of the turn of a task that has ended: no turn follows that needs to know the caller. */
export const endedTurn = '{"id":""}';

/** A new task as a store writes it. */
export interface NewTask {
  /** The task with its first entries. */
  readonly task: Task;
  readonly hasEnded: boolean;
  readonly snapshot: Snapshot;
  /** Position of the snapshot in the log, and of the end of the log. */
  readonly folded: Position;
  readonly end: Position;
  readonly rows: readonly EntryRow[];
  readonly turn: string;
  /** `null` if there is none. */
  readonly checkpoint: string | null;
  /** Size of all that the task consists of. */
  readonly bytes: number;
}

/** Writes a new task with its first entries. */
export function newTaskOf(
  first: Task,
  { turn, checkpoint }: Pick<CreateOptions, "turn" | "checkpoint">,
  added: readonly Entry[],
  codec: Codec,
): NewTask {
  const start = { generation: 1, nth: 0 };
  const rows = rowsOf(added, start, codec);
  const { generation, nth } = rows.at(-1) ?? start;
  const end = { generation, nth };
  const task = applyEntries(first, added);
  const hasEnded = isTerminal(task.status.state);
  const bytesOfRows = sizeOfRows(rows);
  const isFolded = bytesOfRows < largeBytes;
  const at = !hasEnded && isLarge(turn.message) ? (first.history ?? []).indexOf(turn.message) : -1;
  const snapshot = codec.writeTask(isFolded ? task : first, at < 0 ? [] : [[turn.id, at]]);
  const kept = {
    turn: hasEnded ? endedTurn : codec.write(at < 0 ? turn : refOf(turn)),
    checkpoint: hasEnded ? null : codec.writeOptional(checkpoint),
  };
  const bytes = sizeOfSnapshot(snapshot) + kept.turn.length + (kept.checkpoint?.length ?? 0);
  const folded = isFolded ? end : start;
  return { task, hasEnded, snapshot, folded, end, rows, ...kept, bytes: isFolded ? bytes : bytes + bytesOfRows };
}

/** Writes what an append replaces; `null` for what stays. */
export function keptTexts(
  { turn, checkpoint }: AppendOptions,
  entries: readonly Entry[],
  codec: Codec,
): { readonly turn: string | null; readonly checkpoint: string | null } {
  const isTaken = turn !== undefined && isLarge(turn.message) && entries.some((entry) => has(entry, turn));
  return { turn: codec.writeOptional(isTaken ? refOf(turn) : turn), checkpoint: codec.writeOptional(checkpoint) };
}

/** Writes the snapshot of a task with all of its entries. */
export function newSnapshotOf(parts: Parts, codec: Codec): Snapshot {
  const task = foldedOf(parts);
  const taken: TakenItems[number][] = [...parts.taken];
  for (const entry of parts.entries)
    if ("message" in entry && isLarge(entry.message))
      taken.push([entry.item, (task.history ?? []).indexOf(entry.message)]);
  return codec.writeTask(task, taken);
}

/** Returns what began a turn with its message, which may be in the history. Throws if that does not have it. */
export function withMessage(turn: InboxItem, { task, entries, taken }: Parts): InboxItem {
  const { isTaken = false, ...item }: TurnRef = turn;
  if (!isTaken) return turn;
  const entry = entries.find((each) => "message" in each && each.item === turn.id);
  const at = taken.find(([id]) => id === turn.id)?.[1] ?? -1;
  const message = entry !== undefined && "message" in entry ? entry.message : task.history?.[at];
  if (message === undefined) throw new TypeError("its history lacks the message of its turn");
  return extended(item, { message });
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

/** Returns what began a turn without its message. */
function refOf({ message, ...rest }: InboxItem): TurnRef {
  return message === undefined ? rest : { ...rest, isTaken: true };
}

/** Whether an entry has the message of a turn: copies of a message share its parts. */
function has(entry: Entry, { id, message }: InboxItem): boolean {
  return "message" in entry && entry.item === id && entry.message.parts === message?.parts;
}
