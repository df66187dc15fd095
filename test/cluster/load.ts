import { setTimeout as pause } from "node:timers/promises";
import {
  type SendMessageRequest,
  type StreamResponse,
  TaskNotCancelableError,
  UnsupportedOperationError,
} from "../../generated/1.1-draft/index.js";
import type { Random } from "../support/random/random.js";
import type { Cluster } from "./cluster.js";
import { generationOf, type History, type Seen, type TaskHistory } from "./history.js";
import { owners, type Script } from "./protocol.js";
import type { Receiver } from "./receiver.js";
import { aMessage } from "../support/messages.js";

/** The requested work. */
export interface LoadOptions {
  readonly tasks: number;
  readonly updates: number;
  /** How many subscribers there are at the same time. */
  readonly subscribers: number;
  /** How many tasks are at work at the same time. */
  readonly parallel: number;
}

const ended = ["COMPLETED", "FAILED", "CANCELED", "REJECTED"].map((state) => `TASK_STATE_${state}`);

/** Simulates callers that choose a process for each call, and another process if the call fails. */
export class Load {
  readonly #cluster: Cluster;
  readonly #history: History;
  readonly #random: Random;
  readonly #receiver: Receiver;
  readonly #options: LoadOptions;
  #count = 0;
  /** Ends the subscriptions if the load gives up. */
  readonly #over = new AbortController();
  readonly #waiting = new Set<string>();
  done = 0;

  constructor(
    cluster: Cluster,
    history: History,
    random: Random,
    receiver: Receiver,
    options: LoadOptions,
  ) {
    this.#cluster = cluster;
    this.#history = history;
    this.#random = random;
    this.#receiver = receiver;
    this.#options = options;
  }

  /** Runs all tasks and resolves when every subscriber has observed the end of each task. */
  async run(): Promise<void> {
    const { parallel, tasks } = this.#options;
    let next = 0;
    const caller = async () => {
      while (next < tasks && !this.#over.signal.aborted) {
        next += 1;
        await this.#play(next);
        this.done += 1;
      }
    };
    await Promise.all(Array.from({ length: parallel }, caller));
  }

  /** Gives up: what has not ended by now is stuck. */
  giveUp(): void {
    this.#over.abort();
    for (const what of this.#waiting)
      this.#history.problem(`nothing came of what was begun: ${what}`);
  }

  /** Records progress until the run ends. */
  async #noted<T>(what: string, call: Promise<T>): Promise<T> {
    // Each item is a separate entry.
    const entry = `${what} (${String((this.#count += 1))})`;
    this.#waiting.add(entry);
    try {
      return await call;
    } finally {
      this.#waiting.delete(entry);
    }
  }

  async #play(index: number): Promise<void> {
    const random = this.#random;
    const { updates, subscribers, parallel } = this.#options;
    const asks = index % 5 === 0;
    const sleeps = !asks && index % 2 === 0;
    const script = {
      updates,
      everyMs: random.pick([5, 20, 50]),
      asks,
      wakes: sleeps ? random.below(4) : 0,
      naps: sleeps ? Array.from({ length: random.below(4) }, () => random.below(1_500)) : [],
    };
    const owner = random.pick(owners);
    const task = await this.#noted("begin", this.#begin(owner, script, index % 8 === 0));
    if (task === undefined) return;
    const readers = Array.from(
      { length: Math.max(1, Math.round(subscribers / parallel)) },
      (_, at) => this.#noted(`subscribe to ${task.id}`, this.#follow(task, at === 0)),
    );
    const others = [];
    if (random.oneIn(8))
      others.push(
        this.#after(random.below(500), () =>
          this.#noted(`send to ${task.id}`, this.#send(task, "more")),
        ),
      );
    if (random.oneIn(12))
      others.push(
        this.#after(random.below(500), () => this.#noted(`cancel ${task.id}`, this.#cancel(task))),
      );
    if (random.oneIn(2))
      others.push(
        this.#after(random.below(500), () => this.#noted(`get ${task.id}`, this.#get(task))),
      );
    if (random.oneIn(12))
      others.push(this.#after(random.below(500), () => this.#noted("list", this.#list(owner))));
    for (let payload = 0; payload < script.wakes; payload += 1)
      // Some requests are sent twice.
      for (let count = random.oneIn(2) ? 2 : 1; count > 0; count -= 1)
        others.push(
          this.#after(random.below(2_000), () =>
            this.#noted(`wake ${task.id}`, this.#wake(task, payload)),
          ),
        );
    const { webhook } = task;
    if (webhook !== undefined)
      others.push(
        this.#after(random.below(1_000), () =>
          this.#noted(`hook of ${task.id}`, this.#hook(task, webhook.url)),
        ),
      );
    await Promise.all([...readers, ...others]);
  }

  async #after(ms: number, call: () => Promise<void>): Promise<void> {
    await pause(ms);
    await call();
  }

  /**
   * Repeats a call until the agent responds. Resolves to `undefined` if a response is no longer
   * useful.
   */
  async #until<T>(call: () => Promise<T>): Promise<T | undefined> {
    while (!this.#over.signal.aborted) {
      try {
        return await call();
      } catch (error) {
        if (error instanceof UnsupportedOperationError || error instanceof TaskNotCancelableError)
          return undefined;
        await pause(20 + this.#random.below(100));
      }
    }
    return undefined;
  }

  #message(text: string, taskId?: string): SendMessageRequest {
    const messageId = `m${String((this.#count += 1))}`;
    return {
      message: aMessage(text, { messageId, ...(taskId !== undefined && { taskId }) }),
      configuration: { returnImmediately: true },
    };
  }

  async #begin(
    owner: string,
    script: Script,
    hasWebhook: boolean,
  ): Promise<TaskHistory | undefined> {
    return this.#until(async () => {
      const { message, configuration } = this.#message(JSON.stringify(script));
      const hook = hasWebhook ? this.#receiver.hook() : undefined;
      const config =
        hook === undefined ? {} : { taskPushNotificationConfig: { id: "hook", url: hook.url } };
      const request = { message, configuration: { ...configuration, ...config } };
      const { task } = await this.#cluster.client(owner).sendMessage(request);
      if (task === undefined) throw new Error("The agent replied with a message");
      const known = this.#history.task(task.id, owner, script, message.messageId);
      if (hook !== undefined) known.webhook = { url: hook.url, after: 1, posted: hook.posted };
      return known;
    });
  }

  /**
   * Subscribes again and again until the task has ended; the first subscriber also answers
   * questions.
   */
  async #follow(task: TaskHistory, answers: boolean): Promise<void> {
    const seen: Seen[] = [];
    task.subscribers.push(seen);
    const { signal } = this.#over;
    let hasAnswered = false;
    while (!this.#over.signal.aborted) {
      try {
        const client = this.#cluster.client(task.owner);
        for await (const event of client.subscribeToTask({ id: task.id }, { signal })) {
          this.#history.saw(task, seen, event);
          const state = stateOf(event);
          if (state !== undefined && ended.includes(state)) task.hasEnded = true;
          if (answers && !hasAnswered && state === "TASK_STATE_INPUT_REQUIRED") {
            hasAnswered = true;
            void this.#send(task, "here");
          }
        }
      } catch (error) {
        if (error instanceof UnsupportedOperationError) return this.#last(task, seen);
      }
      if (task.hasEnded && this.#sawEnd(task, seen)) return;
      await pause(5 + this.#random.below(50));
    }
  }

  #sawEnd(task: TaskHistory, seen: readonly Seen[]): boolean {
    return seen.at(-1)?.generation === task.latest;
  }

  /** Reads a task that ended before its subscription. */
  async #last(task: TaskHistory, seen: Seen[]): Promise<void> {
    const found = await this.#until(() =>
      this.#cluster.client(task.owner).getTask({ id: task.id }),
    );
    if (found === undefined) return;
    this.#history.saw(task, seen, { task: found });
    task.hasEnded = true;
  }

  async #send(task: TaskHistory, text: string): Promise<void> {
    await this.#until(async () => {
      const request = this.#message(text, task.id);
      await this.#cluster.client(task.owner).sendMessage(request);
      task.accepted.push(request.message.messageId);
    });
  }

  async #cancel(task: TaskHistory): Promise<void> {
    await this.#until(async () => {
      await this.#cluster.client(task.owner).cancelTask({ id: task.id });
      task.isCanceled = true;
    });
  }

  /** Sends a request to wake a task. The task sleeps until it has got all its requests. */
  async #wake({ id, owner }: TaskHistory, payload: number): Promise<void> {
    await this.#until(() => this.#cluster.wake(id, owner, payload));
  }

  /** Registers the webhook of a task again, as callers do whose response was lost. */
  async #hook({ id: taskId, owner }: TaskHistory, url: string): Promise<void> {
    await this.#until(() =>
      this.#cluster.client(owner).createTaskPushNotificationConfig({ taskId, id: "hook", url }),
    );
  }

  /** Reads some pages of a list, each from another process: no task is on two of them. */
  async #list(owner: string): Promise<void> {
    const seen = new Set<string>();
    let pageToken = "";
    for (let page = 0; page < 20; page += 1) {
      const found = await this.#until(() =>
        this.#cluster.client(owner).listTasks({ pageSize: 10, pageToken }),
      );
      for (const { id } of found?.tasks ?? []) {
        if (seen.has(id)) this.#history.problem(`task ${id} is on two pages of a list`);
        seen.add(id);
      }
      pageToken = found?.nextPageToken ?? "";
      if (pageToken === "") return;
    }
  }

  /** Reads a task and checks that its state is not older than the last observed state. */
  async #get(task: TaskHistory): Promise<void> {
    await this.#until(async () => {
      const { latest } = task;
      const generation = generationOf(
        await this.#cluster.client(task.owner).getTask({ id: task.id }),
      );
      if (generation < latest)
        this.#history.problem(
          `task ${task.id} had generation ${String(latest)}, and then ${String(generation)}`,
        );
    });
  }
}

export function stateOf({ task, statusUpdate }: StreamResponse): string | undefined {
  return task?.status.state ?? statusUpdate?.status.state;
}
