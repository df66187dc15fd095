import type { Message, Part } from "../../generated/1.0/index.js";
import {
  artifact,
  authRequired,
  completed,
  failed,
  inputRequired,
  rejected,
  message,
  working,
  type Behavior,
  type End,
  type Turn,
} from "../../generated/1.0/kit/index.js";
import type { Environment } from "../shared/environment.js";
import { firstWord, paced, piecesOf } from "../shared/text.js";

/** A parsed message: its command, if the first word is one, and the parts without the command. */
interface Wish {
  readonly command: string;
  /** Text after the command. */
  readonly text: string;
  readonly parts: readonly Part[];
}

/** The commands that end a turn immediately. */
const ends = new Map<string, (text: string) => End<never>>([
  ["ask", (text) => inputRequired(text || "What else?")],
  ["auth", (text) => authRequired(text || "Please sign in.")],
  ["fail", (text) => failed(text || "It did not work.")],
  ["reject", (text) => rejected(text || "I would rather not.")],
]);

const quick = "message:";
const slow = "slow";

/** The function with which turns pause. */
type Pauses = Pick<Environment, "pause">;

/**
 * An agent that echoes messages. The first word of the text selects its behavior:
 *
 * - `message: …` responds with a message instead of a task
 * - `ask …` pauses the task with a question; the next message to the task is echoed
 * - `auth …` pauses the task until the caller has signed in elsewhere; the next message to the task
 *   is echoed
 * - `slow N …` echoes with a delay of N milliseconds before each chunk
 * - `fail …` and `reject …` end the task in these states, with a reason
 *
 * Any other message becomes an artifact: text in up to four chunks, other parts unchanged. A
 * message to a running task waits for its turn, and the last message determines the next state of
 * the task.
 */
export function echoBehavior(pauses: Pauses): Behavior<string | null, never> {
  return {
    reply({ message: sent }) {
      const { command, parts } = wishOf(sent);
      return command === quick ? message(parts) : undefined;
    },

    async *run({ message, task, pending, signal }) {
      // A task that continues is already in the state `working`.
      if (task.status.state === "TASK_STATE_SUBMITTED") yield working();
      let end: End<never> = completed();
      let artifacts = task.artifacts?.length ?? 0;
      for (let next: Message | undefined = message; next !== undefined; next = pending.take()) {
        const wish = wishOf(next);
        end = ends.get(wish.command)?.(wish.text) ?? completed();
        if (!ends.has(wish.command)) yield* echo(wish, `echo-${(artifacts += 1)}`, signal, pauses);
      }
      return end;
    },
  };
}

function wishOf({ parts }: Message): Wish {
  const index = parts.findIndex((part) => part.text !== undefined);
  const part = parts[index];
  const text = part?.text ?? "";
  const { word: command, rest } = firstWord(text);
  if (part?.text === undefined || !(command === quick || command === slow || ends.has(command)))
    return { command: "", text, parts };
  return { command, text: rest, parts: parts.with(index, { ...part, text: rest }) };
}

/** Yields the parts as an artifact, in chunks. */
async function* echo(
  { command, text, parts }: Wish,
  id: string,
  signal: Turn["signal"],
  { pause }: Pauses,
) {
  const { pauseMs, rest } = command === slow ? paced(text) : { pauseMs: 0, rest: text };
  const pieces = parts.flatMap((part) =>
    split(part.text === text ? { ...part, text: rest } : part),
  );
  const writer = artifact("echo", undefined, { id });
  for (const [index, piece] of pieces.entries()) {
    if (pauseMs !== 0) await pause(pauseMs ?? 100, signal);
    yield index === pieces.length - 1 ? writer.finish([piece]) : writer.parts(piece);
  }
}

/** Splits the text of a part into a few chunks. Any other part is returned unchanged. */
function split(part: Part): Part[] {
  return part.text === undefined ? [part] : piecesOf(part.text).map((text) => ({ ...part, text }));
}
