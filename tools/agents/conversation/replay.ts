import type { Message } from "../../../generated/1.0/models.js";
import { followTask, isTerminal } from "../../../generated/1.0/kit/client/index.js";
import { UnauthenticatedError } from "../../../generated/1.0/errors.js";
import { A2AError, TransportError } from "a2a-codegen-runtime/internal/core";
import type { A2AClient } from "../clients.js";
import { withTimeLimit } from "../time-limit.js";
import type { Conversation, ConversationAgent, ConversationTurn } from "./conversation.js";
import { failureOf } from "./call-recorder.js";
import { ConversationLog } from "./log.js";
import type { TurnLog } from "./turn-log.js";
import { lengthOf } from "./parts.js";

/** Options for {@link replay}. */
export interface ReplayOptions {
  /** The agent, for the new conversation. */
  readonly agent: ConversationAgent;
  /** Ends the replay. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum duration of a turn in milliseconds. Default: five minutes; 0 for none. */
  readonly turnMs?: number | undefined;
  /** Called before each turn, with its number. */
  readonly onTurn?: ((turn: number) => void) | undefined;
}

/**
 * Sends the messages of a saved conversation to an agent, each after the end of the previous turn,
 * and returns the new conversation. A message to a task goes to the corresponding new task, or
 * starts a task if that one has ended. An error that the agent sends belongs to the new
 * conversation. The replay ends after a turn that exceeds its time.
 *
 * @throws {TransportError} if the agent is unreachable
 * @throws {UnauthenticatedError} if the agent requires other credentials
 * @throws the reason of the signal
 */
export async function replay(
  saved: Conversation,
  client: A2AClient,
  { agent, signal, turnMs = 300_000, onTurn = () => undefined }: ReplayOptions,
): Promise<Conversation> {
  const log = new ConversationLog();
  /** The new ids, by the ids in the saved conversation. */
  const ids = new Map<string, string>();
  for (const [index, turn] of saved.turns.entries()) {
    signal?.throwIfAborted();
    onTurn(index + 1);
    const message = messageFor(turn.message, ids, log);
    const recorder = log.begin(message);
    const limit = withTimeLimit(turnMs, ...(signal === undefined ? [] : [signal]));
    try {
      await play(turn, message, { client, recorder, signal: limit });
    } catch (error) {
      signal?.throwIfAborted();
      if (turn.error === undefined && isAboutConnection(error)) throw error;
      recorder.fail(failureOf(limit.aborted ? limit.reason : error));
      if (limit.aborted) break;
    }
    for (const [old, id] of [
      [taskOf(turn), recorder.taskId],
      [contextOf(turn), recorder.contextId],
    ])
      if (old !== undefined && id !== undefined) ids.set(old, id);
  }
  return log.conversation(agent);
}

function isAboutConnection(error: unknown): boolean {
  return error instanceof TransportError || error instanceof UnauthenticatedError;
}

/** Returns the message to send. Ids without a counterpart are left out. */
function messageFor(
  { parts, taskId, contextId, referenceTaskIds = [], extensions, metadata }: Message,
  ids: ReadonlyMap<string, string>,
  log: ConversationLog,
): Message {
  const idOf = (old: string | undefined): string | undefined => ids.get(old ?? "");
  const task = idOf(taskId);
  const hasEnded = task !== undefined && isTerminal(log.tasks.get(task)?.status?.state ?? "");
  const context = idOf(contextId);
  const references = referenceTaskIds.flatMap((old) => idOf(old) ?? []);
  return {
    messageId: crypto.randomUUID(),
    role: "ROLE_USER",
    parts,
    ...(task !== undefined && !hasEnded && { taskId: task }),
    ...(context !== undefined && { contextId: context }),
    ...(references.length > 0 && { referenceTaskIds: references }),
    ...(extensions && { extensions }),
    ...(metadata && { metadata }),
  };
}

/** Sends a message, and records what the agent does until the task ends or waits. */
async function play(
  turn: ConversationTurn,
  message: Message,
  call: {
    readonly client: A2AClient;
    readonly recorder: TurnLog;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { client, recorder, signal } = call;
  const options = { signal, untilEnded: false, retries: 3 };
  let cancels = turn.canceled === true;
  let remaining = sizeOf(turn.events);
  for await (const { event } of followTask(client, { message }, options)) {
    recorder.add(event);
    remaining -= sizeOf([event]);
    // The user has canceled the task when it had these results.
    if (!cancels || remaining > 0 || recorder.taskId === undefined) continue;
    cancels = false;
    try {
      recorder.add({ task: await client.cancelTask({ id: recorder.taskId }, { signal }) });
      recorder.cancel();
    } catch (error) {
      // An agent that does not cancel the task continues it, which is a difference at its end.
      if (!(error instanceof A2AError)) throw error;
    }
  }
}

/** Returns the number of characters of the artifacts in events. */
function sizeOf(events: ConversationTurn["events"]): number {
  return events
    .flatMap(({ task, artifactUpdate }) => [
      ...(task?.artifacts ?? []),
      ...(artifactUpdate === undefined ? [] : [artifactUpdate.artifact]),
    ])
    .flatMap(({ parts }) => parts)
    .reduce((sum, part) => sum + lengthOf(part), 0);
}

function taskOf({ events, message }: ConversationTurn): string | undefined {
  const updates = events.map(({ statusUpdate, artifactUpdate }) => statusUpdate ?? artifactUpdate);
  return updates.find((update) => update !== undefined)?.taskId ?? message.taskId;
}

function contextOf({ events, message }: ConversationTurn): string | undefined {
  const contexts = events.map(
    ({ statusUpdate, artifactUpdate, message: reply }) =>
      (statusUpdate ?? artifactUpdate ?? reply)?.contextId,
  );
  return contexts.find((id) => id !== undefined && id !== "") ?? message.contextId;
}
