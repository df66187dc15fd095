import {
  isInterrupted,
  type Artifact,
  type Message,
  type SendMessageResponse,
  type StreamResponse,
  type Task,
} from "../agents/index.js";
import type { Output } from "./output.js";
import { type Renderer, stateOf } from "./render.js";

/**
 * Prints the responses in a chat on a terminal: messages and artifacts as they arrive, and states
 * that the user must know. The first event of a continued task contains its earlier artifacts,
 * which are not printed again.
 */
export class ChatView {
  readonly #output: Output;
  readonly #renderer: Renderer;
  /** Ids of the messages, and of the artifacts with their tasks, that have been printed. */
  readonly #printed = new Set<string>();
  #isSilent = true;

  constructor(output: Output, renderer: Renderer) {
    this.#output = output;
    this.#renderer = renderer;
  }

  /** Whether the response has printed nothing yet. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Prints an event. */
  async event(event: StreamResponse): Promise<void> {
    const { task, message, statusUpdate, artifactUpdate } = event;
    await this.#message(message ?? statusUpdate?.status.message);
    if (artifactUpdate !== undefined) {
      this.#recordNew(keyOf(artifactUpdate.taskId, artifactUpdate.artifact));
      await this.#renderer.artifactChunk(artifactUpdate);
    }
    if (task === undefined) return;
    for (const artifact of task.artifacts ?? [])
      if (this.#recordNew(keyOf(task.id, artifact))) await this.#renderer.artifact(artifact);
    await this.#message(task.status.message);
  }

  /**
   * Ends a response. Prints the state of a task that did not succeed, waits, or has printed nothing
   * else.
   */
  async end({ task }: SendMessageResponse): Promise<void> {
    await this.#output.close();
    if (task !== undefined && (this.#isSilent || isNotable(task)))
      await this.#output.field("State", stateOf(task));
    this.#isSilent = true;
  }

  async #message(message: Message | undefined): Promise<void> {
    // Some agents omit the id, which is then empty.
    if (message === undefined) return;
    const key = message.messageId || JSON.stringify(message.parts);
    if (this.#recordNew(key)) await this.#renderer.parts(message.parts);
  }

  /** Records that something is printed. Returns whether it has not been printed before. */
  #recordNew(key: string): boolean {
    if (this.#printed.has(key)) return false;
    this.#printed.add(key);
    this.#isSilent = false;
    return true;
  }
}

function isNotable(task: Task): boolean {
  return isInterrupted(task.status.state) || stateOf(task) !== "COMPLETED";
}

function keyOf(taskId: string, { artifactId }: Artifact): string {
  return JSON.stringify([taskId, artifactId]);
}
