import { createAgent, connect, fetchHandler, Role } from "../../generated/1.0/index.js";
import { artifact, completed, taskService } from "../../generated/1.0/kit/index.js";
import type { TaskStore } from "../../library/kit/store.js";
import { aCard } from "./cards.js";

/** Events that each task has before its end. */
const chunksPerTask = 4;

/**
 * Length of leases in milliseconds. A task whose writes were refused is resumed after this time.
 */
const leaseMs = 8_000;

/** Time between two attempts of a caller whose call has failed, in milliseconds. */
const retryMs = 50;

/** The message and the events of a task that an agent has acknowledged to a caller. */
interface Acknowledged {
  readonly messageId: string;
  readonly taskId: string;
  /** Texts of the chunks that the caller has received. */
  readonly chunks: string[];
  isEnded: boolean;
}

/** Number of messages and events, and of their parts that a store has lost. */
export interface Losses {
  readonly messages: number;
  readonly events: number;
  readonly lostMessages: number;
  readonly lostEvents: number;
}

/**
 * Callers of an agent on a store. Each caller sends a message, reads the events of its task, and
 * then sends the next message. The callers record everything that the agent has acknowledged: a
 * message whose task they have received, and each event that they have received.
 */
export class FailoverLoad {
  readonly #service: ReturnType<typeof serviceOn>;
  readonly #client: ReturnType<typeof clientOf>;
  readonly #acknowledged: Acknowledged[] = [];
  readonly #callers: readonly Promise<void>[];
  #ended = 0;
  #refused = 0;
  #isOver = false;
  #onChange: () => void = () => undefined;

  /** Starts callers of an agent on a store. */
  constructor(store: TaskStore, callers: number) {
    this.#service = serviceOn(store);
    this.#client = clientOf(this.#service);
    this.#callers = Array.from({ length: callers }, () => this.#callAgain());
  }

  /** Resolves when this number of further tasks have ended. */
  async furtherTasks(count: number): Promise<void> {
    const expected = this.#ended + count;
    await this.#until(() => this.#ended >= expected);
  }

  /** Resolves when the agent has refused this number of further calls. */
  async refusals(count: number): Promise<void> {
    const expected = this.#refused + count;
    await this.#until(() => this.#refused >= expected);
  }

  async #until(isReached: () => boolean): Promise<void> {
    while (!isReached())
      await new Promise<void>((resolve) => {
        this.#onChange = resolve;
      });
  }

  /** Ends the callers after their current tasks, and returns what the store has lost. */
  async end(): Promise<Losses> {
    this.#isOver = true;
    await Promise.all(this.#callers);
    const client = await this.#client;
    const counts = { messages: 0, events: 0, lostMessages: 0, lostEvents: 0 };
    for (const { messageId, taskId, chunks, isEnded } of this.#acknowledged) {
      const task = await client.getTask({ id: taskId }).catch((error: unknown) => {
        if (error instanceof Error && error.name === "TaskNotFoundError") return undefined;
        throw error;
      });
      const texts = task?.artifacts?.flatMap(({ parts }) => parts.map(({ text = "" }) => text));
      const found = texts?.join("") ?? "";
      const isKept = task?.history?.some((message) => message.messageId === messageId) === true;
      counts.messages += 1;
      counts.lostMessages += isKept ? 0 : 1;
      counts.events += chunks.length + (isEnded ? 1 : 0);
      counts.lostEvents += chunks.filter((chunk) => !found.includes(chunk)).length;
      counts.lostEvents += isEnded && task?.status.state !== "TASK_STATE_COMPLETED" ? 1 : 0;
    }
    return counts;
  }

  /** Closes the agent. The store stays open. */
  async close(): Promise<void> {
    this.#isOver = true;
    (await this.#client).close();
    await this.#service.close();
  }

  async #callAgain(): Promise<void> {
    const client = await this.#client;
    while (!this.#isOver) {
      const messageId = crypto.randomUUID();
      const message = { messageId, role: Role.User, parts: [{ text: "begin" }] };
      let task: Acknowledged | undefined;
      try {
        for await (const event of client.sendStreamingMessage({ message })) {
          if (task === undefined && event.task !== undefined) {
            task = { messageId, taskId: event.task.id, chunks: [], isEnded: false };
            this.#acknowledged.push(task);
          }
          for (const { text = "" } of event.artifactUpdate?.artifact.parts ?? [])
            task?.chunks.push(text);
          if (event.statusUpdate?.status.state === "TASK_STATE_COMPLETED" && task !== undefined) {
            task.isEnded = true;
            this.#ended += 1;
            this.#onChange();
          }
        }
      } catch {
        // While the database fails over, calls fail. The caller sends another message.
        this.#refused += 1;
        this.#onChange();
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }
}

/** Ignores errors, which the agent reports while the database fails over. */
const onError = () => undefined;

function serviceOn(store: TaskStore) {
  return taskService({
    store,
    leaseMs,
    async *run() {
      // A resumed turn replaces an artifact with the same name, and with it the recorded chunks.
      const text = artifact(`${crypto.randomUUID()}.txt`, "text/plain");
      for (let at = 0; at < chunksPerTask; at += 1) {
        yield text.text(`${crypto.randomUUID()};`);
        // Each chunk is an append of its own.
        await new Promise((resolve) => setImmediate(resolve));
      }
      yield text.finish("");
      return completed();
    },
  });
}

function clientOf(service: ReturnType<typeof serviceOn>) {
  const handler = fetchHandler(
    createAgent({ card: aCard("https://agent.test/"), service, onError }),
  );
  return connect("https://agent.test", {
    fetch: (input, init) => handler(new Request(input, init)),
  });
}
