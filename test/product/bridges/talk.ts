import { onTestFinished } from "vitest";
import { connect, createAgent, Role } from "../../../generated/1.0/index.js";
import { remoteAgent } from "../../../generated/1.0/kit/client/index.js";
import { taskService } from "../../../generated/1.0/kit/index.js";
import { fetchHandler } from "../../../generated/1.0/server/http.js";
import type { Behavior } from "../../../library/kit/turns/turn.js";
import type { TaskServiceOptions } from "../../../library/kit/options.js";
import type { Answer, AskOptions, Outcome, AnswerUpdate } from "../../../library/client/answer.js";
import { type Content, dataOf, partsOf, type Update } from "../../../library/kit/turns/updates.js";
import { aCard } from "../../support/cards.js";

/** Everything that an agent has answered. */
export interface Heard extends Outcome {
  readonly updates: readonly AnswerUpdate[];
  /** Texts of the progress messages, or their data. */
  readonly progress: readonly unknown[];
  /** The data parts of the question, if the task asks one. */
  readonly asked: readonly unknown[];
}

/** Serves a behavior in this process; `say` sends messages to it. */
export async function talkTo<State>(
  behavior: Behavior<unknown, State>,
  options: Partial<TaskServiceOptions<unknown, State>> = {},
) {
  const errors: unknown[] = [];
  const service = taskService<unknown, State>({ anonymousLists: true, ...options, ...behavior });
  const card = aCard("http://agent.test", { defaultInputModes: ["*/*"] });
  const onError = (error: unknown): void => void errors.push(error);
  const handler = fetchHandler(createAgent({ card, service, onError }));
  const client = await connect("http://agent.test", {
    fetch: (url, init) => handler(new Request(url, init)),
  });
  onTestFinished(async () => {
    client.close();
    await service.close();
  });
  const agent = remoteAgent(client);
  const ask = (content: Content, given: AskOptions = {}): Answer => agent.ask(content, given);
  const running = async (): Promise<string> => (await client.listTasks({})).tasks[0]?.id ?? "";
  return {
    client,
    /** Ends the process of the agent. */
    close: service.close,
    /** Sends an HTTP request to the agent. */
    send: handler,
    ask,
    /** Errors that the operator gets. */
    errors,
    /** Sends a message, and returns everything that the agent answers. */
    say: (content: Content, given: AskOptions = {}): Promise<Heard> => heard(ask(content, given)),
    /** Sends a message to the running task, and does not wait for its answer. */
    interject: async (content: Content): Promise<void> => {
      const parts = [...partsOf(content)];
      const message = { messageId: crypto.randomUUID(), role: Role.User, parts };
      const configuration = { returnImmediately: true };
      await client.sendMessage({ message: { ...message, taskId: await running() }, configuration });
    },
    /** Cancels the running task. */
    cancel: async (): Promise<void> => {
      await client.cancelTask({ id: await running() });
    },
    /** Answers the question of a task. */
    reply: ({ task }: Outcome, content: Content): Promise<Heard> =>
      heard(ask(content, { taskId: task?.id })),
  };
}

async function heard(answer: Answer): Promise<Heard> {
  const updates: AnswerUpdate[] = [];
  for await (const update of answer) updates.push(update);
  const progress = updates.flatMap((update) =>
    update.type === "progress" ? update.message.parts.map(({ text, data }) => text ?? data) : [],
  );
  const outcome = await answer.result();
  const { message } = outcome.task?.status ?? {};
  return { ...outcome, updates, progress, asked: message === undefined ? [] : dataOf(message) };
}

/** Returns the text that the updates of a turn have written since they last began an artifact. */
export function textOfAnswer(updates: readonly Update[]): string {
  const chunks = updates.flatMap((update) => ("artifact" in update ? [update] : []));
  const begin = chunks.findLastIndex(({ append }) => !append);
  const texts = chunks.slice(Math.max(0, begin)).flatMap(({ artifact }) => artifact.parts);
  return texts.map(({ text }) => text).join("");
}

/** Returns a promise, and the function that resolves it. */
export function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** Rejects when a signal aborts, as a model does that observes its signal. */
export function untilAbort(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = (): void => {
      reject(new DOMException("Aborted", "AbortError"));
    };
    if (signal?.aborted === true) abort();
    signal?.addEventListener("abort", abort, { once: true });
  });
}
