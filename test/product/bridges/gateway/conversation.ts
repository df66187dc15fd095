import type { Message, Part, StreamResponse, Task } from "../../../../generated/1.0/models.js";
import type { A2AClient } from "../../../../generated/1.0/index.js";
import type { AdaptedOutput } from "../../../support/adapted.js";

/** Returns a message of a user. */
export function say(content: string | Part[], more: Partial<Message> = {}): Message {
  const parts = typeof content === "string" ? [{ text: content }] : content;
  return { messageId: crypto.randomUUID(), role: "ROLE_USER", parts, ...more };
}

/** Returns a service of the kit that takes part in the conversations. */
export function conversational({ own }: Pick<AdaptedOutput, "own">, canceled: string[] = []) {
  const {
    artifact,
    completed,
    failed,
    inputRequired,
    message: saying,
    taskService,
    textOf,
    working,
  } = own;
  return taskService<unknown, string>({
    anonymousLists: true,
    push: { allowPrivateAddresses: true },
    reply({ message }) {
      return textOf(message) === "ping" ? saying("pong") : undefined;
    },
    async *run({ message, state, task, signal, untilAborted }) {
      const text = textOf(message);
      if (state !== undefined) return completed(`Booked ${state} for ${text}`);
      if (text.includes("book")) return inputRequired("How many nights?", { state: "Oslo" });
      if (text.includes("fail")) return failed("Out of paper");
      yield working("Reading");
      if (text.includes("wait")) {
        signal.addEventListener("abort", () => canceled.push(task.id));
        await untilAborted(new Promise(() => undefined));
      }
      const hasFile = message.parts.some(({ raw }) => raw !== undefined);
      const pieces = ["# Tea", `\n\nYou said ${text}`, ...(hasFile ? [" with a file"] : []), "."];
      yield* artifact("report").from(pieces);
      const file = { raw: btoa("bytes"), filename: "a.txt", mediaType: "text/plain" };
      yield artifact("a.txt").finish([file]);
      return completed();
    },
  });
}

/** Services that do not reply without a task. */
export interface ConversationOptions {
  readonly replies?: boolean;
}

/**
 * Has the same conversation with an agent of {@link conversational} each time. Returns its events
 * and errors.
 */
export async function converse(
  client: A2AClient,
  { followTask }: Pick<AdaptedOutput["own"], "followTask">,
  { replies = true }: ConversationOptions = {},
): Promise<string[]> {
  const lines: string[] = [];
  const follow = async (
    message: Message,
    onEvent?: (event: StreamResponse, task: Task | undefined) => Promise<void> | undefined,
  ): Promise<Task | undefined> => {
    let last: Task | undefined;
    for await (const { event, task } of followTask(client, { message })) {
      lines.push(gistOf(event));
      last = task;
      await onEvent?.(event, task);
    }
    return last;
  };
  const refused = async (call: Promise<unknown>): Promise<void> => {
    const error = await call.then(
      () => new Error("The call succeeded"),
      (thrown: unknown) => thrown as Error & { readonly metadata?: Record<string, string> },
    );
    const metadata = "metadata" in error ? Object.keys(error.metadata ?? {}) : [];
    lines.push(JSON.stringify([error.name, ...metadata]));
  };
  await follow(say([{ text: "hello" }, { raw: "iVBORw0KGgo=", mediaType: "image/png" }]));
  const asked = await follow(say("book"));
  const answered = await follow(say("two", { taskId: asked?.id ?? "" }));
  await follow(say("fail"));
  if (replies) await follow(say("ping"));
  await refused(client.getTask({ id: "nowhere" }));
  await refused(client.cancelTask({ id: answered?.id ?? "" }));
  await follow(say("wait"), (event, task) =>
    event.statusUpdate?.status.state === "TASK_STATE_WORKING"
      ? client.cancelTask({ id: task?.id ?? "" }).then(() => undefined)
      : undefined,
  );
  return lines;
}

/**
 * Returns what a test compares of an event. Ids and times differ in each conversation. HTTP+JSON
 * before 1.0 has no names of files.
 */
function gistOf({ task, message, statusUpdate, artifactUpdate }: StreamResponse): string {
  const status = task?.status ?? statusUpdate?.status;
  const parts = (status?.message ?? message ?? artifactUpdate?.artifact)?.parts ?? [];
  return JSON.stringify([
    task && "task",
    message && "message",
    status?.state,
    artifactUpdate && "artifact",
    artifactUpdate?.append === true ? "append" : artifactUpdate?.artifact.name,
    artifactUpdate?.lastChunk === true ? "last" : undefined,
    ...parts.map(({ text, raw, mediaType }) => text ?? [raw, mediaType]),
  ]);
}
