import { type AgentCard, type Message, Role, type SendMessageRequest } from "../kit/model.js";
import { type Content, partsOf } from "../kit/turns/updates.js";
import type { Answer, AskOptions, RemoteClient } from "./answer.js";
import { Asking } from "./asking.js";
import type { ClientFunctions } from "./functions.js";
import type { FollowOptions } from "./options.js";

/**
 * An agent elsewhere: questions go out, updates of the answer come in, also across lost connections.
 * A remote agent stores nothing about its conversations, so that all callers can share it.
 */
export interface RemoteAgent {
  /**
   * Sends a question or an answer.
   *
   * @throws errors of `connect` and `followTask`, during iteration
   *
   * @example
   * for await (const update of agent.ask("Tea")) if (update.type === "text") show(update.text);
   * @example
   * const { text, state } = await agent.ask("For two", { taskId }).result();
   */
  ask(content: Content, options?: AskOptions): Answer;
  /**
   * Follows a task until it ends or waits for its caller; with `untilEnded`, until it ends. The updates
   * contain the whole task.
   */
  follow(taskId: string, options?: FollowOptions): Answer;
  /** Returns the client. Connects at the first use, and again after a failed connection. */
  client(): Promise<RemoteClient>;
  /** Returns the card of the agent; `undefined` for a client without a card. */
  card(): Promise<AgentCard | undefined>;
  /** Closes the connections of the client, unless the client was passed to `remoteAgent`. */
  close(): Promise<void>;
}

/**
 * Facts for remote agents. The clients of all versions have the members of {@link RemoteClient}, but
 * their types may have further states and kinds of content.
 * @internal
 */
export interface RemoteFacts<Options> {
  readonly connect: (target: never, options: Options) => Promise<object>;
  readonly followTask: ClientFunctions["followTask"];
}

/** Returns a remote agent for a version, for a client, or for a client that `connect` returns. */
export function remoteAgent<Options>(
  target: string | URL | object,
  options: Options,
  { connect, followTask }: RemoteFacts<Options>,
): RemoteAgent {
  let connected: Promise<RemoteClient> | undefined;
  const client = (): Promise<RemoteClient> => {
    if (isClient(target)) return Promise.resolve(target);
    connected ??= (connect(target as never, options) as Promise<RemoteClient>).catch(
      (error: unknown) => {
        connected = undefined;
        throw error;
      },
    );
    return connected;
  };
  return {
    client,
    ask: (content, given = {}) =>
      new Asking(client, followTask, requestOf(content, given), given).answer(),
    follow: (id, given = {}) => new Asking(client, followTask, { id }, given).answer(),
    card: async () => (await client()).card,
    async close() {
      const closing = connected;
      connected = undefined;
      (await closing?.catch(() => undefined))?.close();
    },
  };
}

function requestOf(content: Content, options: AskOptions): SendMessageRequest {
  const { messageId = crypto.randomUUID(), metadata, taskId, contextId } = options;
  const message: Message = { messageId, role: Role.User, parts: [...partsOf(content)] };
  if (metadata !== undefined) message.metadata = metadata;
  if (taskId !== undefined) message.taskId = taskId;
  else if (contextId !== undefined) message.contextId = contextId;
  const { acceptedOutputModes } = options;
  if (acceptedOutputModes === undefined) return { message };
  return { message, configuration: { acceptedOutputModes: [...acceptedOutputModes] } };
}

function isClient(target: string | URL | object): target is RemoteClient {
  return typeof target === "object" && "sendMessage" in target;
}
