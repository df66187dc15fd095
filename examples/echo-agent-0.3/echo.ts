import { setImmediate } from "node:timers/promises";
import {
  Role,
  TaskState,
  type Message,
  type Part,
  type TextPart,
} from "../../generated/0.3.0/index.js";
import type { Environment } from "../shared/environment.js";
import { firstWord, paced, piecesOf } from "../shared/text.js";
import type { LiveTask } from "./task.js";

/** A parsed message: its command, if the first word is one, and the parts without the command. */
interface Wish {
  readonly command: string;
  /** Text after the command. */
  readonly text: string;
  readonly parts: readonly Part[];
}

/** The final state of a task, and the message with it. */
interface Outcome {
  readonly state: TaskState;
  readonly says?: string;
}

type Behaviour = (
  wish: Wish,
  task: LiveTask,
  environment: Environment,
) => Outcome | Promise<Outcome>;

const behaviours: ReadonlyMap<string, Behaviour> = new Map<string, Behaviour>([
  ["ask", ({ text }) => ({ state: TaskState.InputRequired, says: text || "What else?" })],
  ["auth", ({ text }) => ({ state: TaskState.AuthRequired, says: text || "Please sign in." })],
  ["fail", ({ text }) => ({ state: TaskState.Failed, says: text || "It did not work." })],
  ["reject", ({ text }) => ({ state: TaskState.Rejected, says: text || "I would rather not." })],
  ["slow", echoSlowly],
]);

const quick = "message:";

/**
 * Returns the response to a message with the command `message:`; `undefined` for all other
 * messages.
 */
export function quickReply(message: Message, { newId }: Environment): Message | undefined {
  const { command, parts } = wishOf(message);
  if (command !== quick || message.taskId) return undefined;
  const contextId = message.contextId ?? newId();
  return { kind: "message", messageId: newId(), role: Role.Agent, contextId, parts: [...parts] };
}

/**
 * Processes the messages in the inbox of a task until the inbox is empty. The last message
 * determines the final state. Never throws.
 */
export async function work(task: LiveTask, environment: Environment): Promise<void> {
  const enter = (state: TaskState, says?: string): void =>
    task.setStatus({
      state,
      timestamp: environment.now().toISOString(),
      ...messageOf(task, says, environment),
    });
  enter(TaskState.Working);
  try {
    // The caller that started the task first sees it in the state `working`.
    await setImmediate();
    let outcome: Outcome = { state: TaskState.Completed };
    for (let message = task.inbox.shift(); message !== undefined; message = task.inbox.shift()) {
      const wish = wishOf(message);
      task.signal.throwIfAborted();
      outcome = await (behaviours.get(wish.command) ?? echo)(wish, task, environment);
    }
    enter(outcome.state, outcome.says);
  } catch (error) {
    if (task.signal.aborted) return;
    console.error(error);
    enter(TaskState.Failed, "Something went wrong.");
  }
}

function messageOf(
  task: LiveTask,
  text: string | undefined,
  { newId }: Environment,
): { message?: Message } {
  if (text === undefined) return {};
  const { id: taskId, contextId } = task;
  const parts: Part[] = [{ kind: "text", text }];
  return {
    message: { kind: "message", messageId: newId(), role: Role.Agent, taskId, contextId, parts },
  };
}

function wishOf({ parts }: Message): Wish {
  const part = parts.find((one): one is TextPart => one.kind === "text");
  const text = part?.text ?? "";
  const { word: command, rest } = firstWord(text);
  if (part === undefined || (command !== quick && !behaviours.has(command)))
    return { command: "", text, parts };
  return { command, text: rest, parts: withText(parts, part, rest) };
}

async function echo(
  { parts }: Wish,
  task: LiveTask,
  environment: Environment,
  pauseMs = 0,
): Promise<Outcome> {
  const artifactId = environment.newId();
  const pieces = parts.flatMap(split);
  for (const [index, part] of pieces.entries()) {
    if (pauseMs > 0) await environment.pause(pauseMs, task.signal);
    const artifact = { artifactId, name: "echo", parts: [part] };
    const append = index > 0 ? { append: true } : {};
    const lastChunk = index === pieces.length - 1 ? { lastChunk: true } : {};
    task.addArtifact({ artifact, ...append, ...lastChunk });
  }
  return { state: TaskState.Completed };
}

function echoSlowly(wish: Wish, task: LiveTask, environment: Environment): Promise<Outcome> {
  const { pauseMs = 100, rest: text } = paced(wish.text);
  const part = wish.parts.find((one): one is TextPart => one.kind === "text");
  const parts = part === undefined ? wish.parts : withText(wish.parts, part, text);
  return echo({ ...wish, text, parts }, task, environment, pauseMs);
}

/** Returns the parts with the text of `part` replaced. */
function withText(parts: readonly Part[], part: TextPart, text: string): readonly Part[] {
  return parts.map((one) => (one === part ? { ...part, text } : one));
}

/** Splits the text of a part into a few chunks. Any other part is returned unchanged. */
function split(part: Part): Part[] {
  return part.kind === "text" ? piecesOf(part.text).map((text) => ({ ...part, text })) : [part];
}
