import {
  type GetTaskRequest,
  type Message,
  type SendMessageRequest,
  type Task,
  TaskState,
} from "../kit/model.js";
import { isTerminal } from "../kit/states.js";
import { untilAborted } from "../kit/turns/until-aborted.js";
import { textOf } from "../kit/turns/updates.js";
import { authRequestOf } from "./auth-request.js";
import { joined } from "./differences.js";
import type { ClientFunctions } from "./functions.js";
import type { Followed } from "./follow-types.js";
import type { FollowOptions, TaskClient } from "./options.js";
import { OneTask } from "./one-task.js";
import type { FollowedTask } from "./view.js";
import { AnswerUpdates } from "./answer-updates.js";
import type { Answer, Outcome, AnswerUpdate, RemoteClient } from "./answer.js";

/** Milliseconds that canceling the task of an aborted question may take. */
const cancelWithinMs = 5_000;

/** Default number of retries until the agent has accepted the message. */
const retriesBeforeTask = 3;

/** A question to a remote agent, and its answer. */
export class Asking {
  readonly #client: () => Promise<RemoteClient>;
  readonly #followTask: ClientFunctions["followTask"];
  readonly #start: SendMessageRequest | GetTaskRequest;
  readonly #options: FollowOptions;
  /** The last change. */
  #change: FollowedTask | undefined;
  #outcome: Outcome | undefined;
  #failure: unknown;

  constructor(
    client: () => Promise<RemoteClient>,
    followTask: ClientFunctions["followTask"],
    start: SendMessageRequest | GetTaskRequest,
    { untilEnded = false, ...options }: FollowOptions,
  ) {
    this.#client = client;
    this.#followTask = followTask;
    this.#start = start;
    const hasTask = (): boolean => this.#change !== undefined;
    this.#options = {
      ...options,
      untilEnded,
      get retries() {
        // A caller waits for an agent that works, but not for an agent that never responds.
        return options.retries ?? (hasTask() ? undefined : retriesBeforeTask);
      },
    };
  }

  answer(): Answer {
    const updates = this.#updates();
    const result = async (): Promise<Outcome> => {
      while ((await updates.next()).done !== true);
      if (this.#outcome !== undefined) return this.#outcome;
      // The thrown value may have any type.
      throw (this.#failure ?? new DOMException("The loop was left early", "AbortError")) as Error;
    };
    return Object.assign(updates, { result });
  }

  async *#updates(): AsyncGenerator<AnswerUpdate, Outcome, undefined> {
    const { signal } = this.#options;
    try {
      signal?.throwIfAborted();
      const connecting = this.#client();
      const client = await (signal === undefined ? connecting : untilAborted(connecting, signal));
      try {
        this.#outcome = yield* this.#answerOf(client);
        return this.#outcome;
      } finally {
        if (signal?.aborted === true) await this.#cancel(client);
      }
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  async *#answerOf(client: RemoteClient): AsyncGenerator<AnswerUpdate, Outcome, undefined> {
    const updates = new AnswerUpdates();
    const source = this.#oneTask(client, updates);
    for await (const change of this.#follow(source)) {
      if (change.message !== undefined) return replied(change.message);
      this.#change = change;
      yield* updates.after(change.event);
    }
    // `followTask` ignores errors of calls that it can do without.
    source.throwIfMixed();
    // `followTask` throws if it has seen neither a reply nor a task.
    if (this.#change === undefined)
      throw new TypeError("The answer has neither a task nor a reply");
    yield* updates.rest();
    return outcomeOf(this.#change.task);
  }

  /** Returns a client that checks that all responses are about the same task. */
  #oneTask(client: TaskClient, updates: AnswerUpdates): OneTask {
    const start = this.#start;
    if ("id" in start) return new OneTask(client, start.id);
    const { taskId } = start.message;
    if (taskId === undefined) return new OneTask(client);
    return new OneTask(client, taskId, (task) => {
      updates.skip(task);
    });
  }

  #follow(client: TaskClient): AsyncIterable<Followed> {
    return "id" in this.#start
      ? this.#followTask(client, this.#start, this.#options)
      : this.#followTask(client, this.#start, this.#options);
  }

  /** Cancels the task, unless it has ended. Ignores errors, because the caller has left. */
  async #cancel(client: RemoteClient): Promise<void> {
    const task = this.#change?.task;
    if (task === undefined || isTerminal(task.status.state)) return;
    const { headers, extensions } = this.#options;
    const options = { headers, extensions, timeoutMs: cancelWithinMs };
    await client.cancelTask({ id: task.id }, options).catch(() => undefined);
  }
}

function replied(message: Message): Outcome {
  const text = textOf(message);
  const { parts, contextId } = message;
  const outcome: Outcome = { state: TaskState.Completed, text, parts, said: text, links: [] };
  return contextId === undefined ? outcome : { ...outcome, contextId };
}

function outcomeOf(task: Task): Outcome {
  const { status, artifacts = [], contextId } = task;
  const outcome: Outcome = {
    state: status.state,
    text: textOf(task),
    parts: [...artifacts.flatMap(({ parts }) => joined(parts)), ...(status.message?.parts ?? [])],
    said: status.message === undefined ? "" : textOf(status.message),
    links: authRequestOf(task)?.links ?? [],
    task,
  };
  return contextId === undefined ? outcome : { ...outcome, contextId };
}
