import { onTestFinished } from "vitest";
import { followTask } from "../../../../generated/1.0/kit/client/index.js";
import {
  connect,
  createAgent,
  fetchHandler,
  type A2AClient,
  type Message,
  type Part,
  type Task,
} from "../../../../generated/1.0/index.js";
import {
  dataOf,
  taskService,
  textOf,
  type TaskServiceOptions,
} from "../../../../generated/1.0/kit/index.js";
import { aCard } from "../../../support/cards.js";
import { aMessage } from "../../../support/messages.js";
import { gist } from "../../../support/kit.js";

/** An agent in this process, and its caller. */
export interface TestAgent {
  readonly client: A2AClient;
  /** Errors that the operator of the agent has seen. */
  readonly errors: unknown[];
  /** Sends a message, and returns the task when it has ended or waits. */
  say(content: string | readonly Part[], members?: Partial<Message>): Promise<Seen>;
  /** Sends a message, and returns the id of the task at once. */
  begin(text: string, members?: Partial<Message>): Promise<string>;
  /** Follows a task until it has ended or waits. */
  follow(id: string): Promise<Seen>;
}

/** A task, as its caller has seen it. */
export interface Seen {
  readonly task: Task;
  /** All events, as `gist` says them. */
  readonly events: readonly string[];
  readonly state: string;
  readonly text: string;
  readonly said: string;
  readonly data: readonly unknown[];
}

const modes = { defaultInputModes: ["text/plain", "application/json", "image/png"] };

/** Makes an agent in this process, which is closed after the test. */
export async function testAgent<State>(
  options: TaskServiceOptions<unknown, State>,
): Promise<TestAgent> {
  const errors: unknown[] = [];
  const service = taskService<unknown, State>(options);
  onTestFinished(() => service.close());
  const url = "http://agent.test";
  const onError = (error: unknown): void => void errors.push(error);
  const handler = fetchHandler(createAgent({ card: aCard(url, modes), service, onError }));
  const client = await connect(url, { fetch: (to, init) => handler(new Request(to, init)) });
  return {
    client,
    errors,
    async begin(text, members) {
      const configuration = { returnImmediately: true };
      const { task } = await client.sendMessage({
        message: aMessage(text, members),
        configuration,
      });
      return task?.id ?? "";
    },
    follow: (id) => seenOf(followTask(client, { id }, { untilEnded: false })),
    async say(content, members = {}) {
      const parts = typeof content === "string" ? [{ text: content }] : [...content];
      const message = aMessage("", { parts, ...members });
      return seenOf(followTask(client, { message }));
    },
  };
}

/** Reads what a caller sees of a task. */
export async function seenOf(following: ReturnType<typeof followTask>): Promise<Seen> {
  const events: string[] = [];
  let last: Task | undefined;
  for await (const { event, task } of following) {
    events.push(gist(event));
    last = task;
  }
  if (last === undefined) throw new Error("The agent has replied without a task");
  const { message } = last.status;
  return {
    task: last,
    events,
    state: last.status.state.replace("TASK_STATE_", "").toLowerCase(),
    text: (last.artifacts ?? []).map(textOf).join("\n\n"),
    said: message === undefined ? "" : textOf(message),
    data: message === undefined ? [] : dataOf(message),
  };
}

/** Returns the operator's error as a text. */
export function textsOf(errors: readonly unknown[]): string {
  return errors.map(String).join("\n");
}
