import {
  isInterrupted,
  isTerminal,
  shellWord,
  type Artifact,
  type Message,
  type Part,
  type StreamResponse,
  type Task,
} from "../agents/index.js";
import type { Output } from "./output.js";
import type { Settings } from "./settings.js";

/** Returns a state without its prefix. */
export function stateOf({ status }: Pick<Task, "status">): string {
  return status.state.replace(/^TASK_STATE_/, "");
}

/** Prints tasks, messages and events as text. */
export class Renderer {
  readonly #output: Output;
  readonly #settings: Settings;
  /** The id of the task whose events are printed. */
  #current: string | undefined;
  /** The artifact of the chunk that was printed last, unless something else was printed later. */
  #artifact: string | undefined;

  constructor(output: Output, settings: Settings) {
    this.#output = output;
    this.#settings = settings;
  }

  /**
   * Prints a task with its artifacts, and how to continue. With `withHistory`, also prints its
   * history.
   */
  async task(
    task: Task,
    { withHistory = false }: { readonly withHistory?: boolean } = {},
  ): Promise<void> {
    await this.identifiers(task);
    await this.#output.field("Updated", task.status.timestamp);
    await this.#content(task);
    if (withHistory || this.#settings.isSet("verbose"))
      for (const message of task.history ?? []) await this.message(message);
    await this.nextStep(task);
  }

  async identifiers(task: Task): Promise<void> {
    await this.#output.field("Task", task.id);
    await this.#output.field("Context", task.contextId);
    await this.#output.field("State", stateOf(task));
  }

  /** Prints the command that continues a task, and a warning if the task did not succeed. */
  async nextStep(task: Task): Promise<void> {
    const state = stateOf(task);
    const { program } = this.#output;
    const agent = this.#settings.text("agent-card") ?? "";
    const options = [`-a ${shellWord(agent)}`, ...this.repeatedOptions()].join(" ");
    if (isInterrupted(task.status.state)) {
      const id = shellWord(task.id);
      await this.#output.field("Resume", `${program} send ${options} --task-id ${id} "<reply>"`);
      this.#output.note(`Warning: The task waits for you (${state})`);
    } else if (!isTerminal(task.status.state))
      await this.#output.field(
        "Follow",
        `${program} task get ${options} --wait ${shellWord(task.id)}`,
      );
    else if (state !== "COMPLETED")
      this.#output.note(`Warning: The task has ended without success (${state})`);
  }

  /**
   * Returns the options that another command line must repeat to call the agent in the same way.
   */
  repeatedOptions(): string[] {
    return ["a2a-version", "extension"]
      .filter((name) => this.#settings.find(name).source === "flag")
      .flatMap((name) => this.#settings.list(name).map((value) => `--${name} ${shellWord(value)}`));
  }

  /** Prints a message. */
  async message(message: Message): Promise<void> {
    const { messageId, role, taskId, contextId, parts } = message;
    await this.#output.field("Message", messageId);
    await this.#output.field("Role", role.replace(/^ROLE_/, ""));
    await this.#output.field("Context", contextId);
    await this.#output.field("Task", taskId);
    await this.parts(parts);
  }

  async artifact({ artifactId, name, description, parts }: Artifact): Promise<void> {
    await this.#output.field(
      "Artifact",
      name === undefined || name === artifactId ? artifactId : `${name} (${artifactId})`,
    );
    if (this.#settings.isSet("verbose")) await this.#output.field("Description", description);
    await this.parts(this.#settings.isSet("verbose") ? parts : joined(parts));
  }

  /** Prints the artifacts and the message of the status, which may ask about the artifacts. */
  async #content({ artifacts = [], status }: Pick<Task, "artifacts" | "status">): Promise<void> {
    for (const artifact of artifacts) await this.artifact(artifact);
    if (status.message === undefined) return;
    await this.#output.field("Message", status.message.messageId);
    await this.parts(status.message.parts);
  }

  /** Prints an event of a stream. Text that arrives in chunks becomes one block. */
  async event({ task, message, statusUpdate, artifactUpdate }: StreamResponse): Promise<void> {
    if (message !== undefined) return this.message(message);
    if (artifactUpdate !== undefined) {
      const { taskId, contextId } = artifactUpdate;
      if (this.#current !== taskId) {
        await this.#output.field("Task", taskId);
        await this.#output.field("Context", contextId);
      }
      this.#current = taskId;
      return this.artifactChunk(artifactUpdate);
    }
    const status = task?.status ?? statusUpdate?.status;
    const id = task?.id ?? statusUpdate?.taskId;
    if (status === undefined || id === undefined) return;
    this.#artifact = undefined;
    const contextId = task?.contextId ?? statusUpdate?.contextId;
    if (this.#current === id) await this.#output.field("State", stateOf({ status }));
    else await this.identifiers({ id, status, ...(contextId !== undefined && { contextId }) });
    this.#current = id;
    await this.#content({ ...task, status });
  }

  /**
   * Prints an artifact, or a chunk of an artifact. The block of a text part stays open, because the
   * next event may append to the part. After anything else, a chunk names its artifact again.
   */
  async artifactChunk({
    taskId,
    artifact,
    append,
  }: NonNullable<StreamResponse["artifactUpdate"]>): Promise<void> {
    const { artifactId, parts } = artifact;
    const key = JSON.stringify([taskId, artifactId]);
    if (append !== true || this.#artifact !== key) await this.artifact({ ...artifact, parts: [] });
    for (const part of parts)
      if (part.text === undefined) await this.parts([part]);
      else await this.#output.append("Text", key, part.text);
    this.#artifact = key;
  }

  /** Prints the parts of a message or an artifact. No part is omitted. */
  async parts(parts: readonly Part[]): Promise<void> {
    this.#artifact = undefined;
    for (const part of parts) {
      const { text, data, raw, url, mediaType, filename } = part;
      if (text !== undefined) await this.#output.block("Text", text);
      else if (data !== undefined) await this.#output.block("Data", JSON.stringify(data, null, 2));
      else if (raw !== undefined) {
        const bytes = Math.floor((raw.replace(/=+$/, "").length * 3) / 4);
        const size = `${bytes.toLocaleString("en")} bytes`;
        await this.#output.field(
          "File",
          `${filename ?? "unnamed"} (${mediaType ?? "unknown type"}, ${size})`,
        );
      } else
        await this.#output.field(
          "File",
          `${filename ?? "unnamed"} (${mediaType ?? "unknown type"}) at ${url}`,
        );
      if (this.#settings.isSet("verbose") && (text !== undefined || data !== undefined))
        await this.#output.field("Media-Type", mediaType);
    }
  }
}

/** Joins consecutive text parts, such as the chunks of an artifact that an agent has streamed. */
function joined(parts: readonly Part[]): readonly Part[] {
  const all: Part[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    const isMore =
      last?.text !== undefined && part.text !== undefined && last.mediaType === part.mediaType;
    if (isMore) all[all.length - 1] = { ...last, text: last.text + part.text };
    else all.push(part);
  }
  return all;
}
