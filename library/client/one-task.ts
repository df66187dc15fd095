import { InvalidAgentResponseError } from "../errors.js";
import type {
  GetTaskRequest,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from "../kit/model.js";
import type { CallOptions } from "../runtime/protocol/transport.js";
import type { TaskClient } from "./options.js";

/** A client for one question. A response about another task than the question is an error. */
export class OneTask implements TaskClient {
  readonly #client: TaskClient;
  /** Id of the task in the question, or in the first response that contains one. */
  #id: string;
  #note: ((task: Task) => void) | undefined;
  #fault: Error | undefined;

  /** Calls `note` with the first task that is read. */
  constructor(client: TaskClient, id: string = "", note?: (task: Task) => void) {
    this.#client = client;
    this.#id = id;
    this.#note = note;
  }

  get card(): TaskClient["card"] {
    return this.#client.card;
  }

  /** After a response about another task, no call is repeated. */
  get isClosed(): boolean {
    return this.#fault !== undefined || this.#client.isClosed === true;
  }

  /** Throws the error about another task, if there was such an error. */
  throwIfMixed(): void {
    if (this.#fault !== undefined) throw this.#fault;
  }

  async getTask(request: GetTaskRequest, options?: CallOptions): Promise<Task> {
    const task = await this.#client.getTask(request, options);
    this.#check({ task });
    this.#note?.(task);
    this.#note = undefined;
    return task;
  }

  async sendMessage(
    request: SendMessageRequest,
    options?: CallOptions,
  ): Promise<SendMessageResponse> {
    const response = await this.#client.sendMessage(request, options);
    this.#check(response);
    return response;
  }

  sendStreamingMessage(
    request: SendMessageRequest,
    options?: CallOptions,
  ): AsyncIterable<StreamResponse> {
    return this.#checked(this.#client.sendStreamingMessage(request, options));
  }

  subscribeToTask(
    request: SubscribeToTaskRequest,
    options?: CallOptions,
  ): AsyncIterable<StreamResponse> {
    return this.#checked(this.#client.subscribeToTask(request, options));
  }

  async *#checked(events: AsyncIterable<StreamResponse>): AsyncIterable<StreamResponse> {
    for await (const event of events) {
      this.#check(event);
      yield event;
    }
  }

  #check({ task, message, statusUpdate, artifactUpdate }: StreamResponse): void {
    const id = task?.id ?? (message ?? statusUpdate ?? artifactUpdate)?.taskId ?? "";
    if (this.#id === "") this.#id = id;
    if (id === this.#id || id === "") return;
    this.#fault = new InvalidAgentResponseError(
      `The agent is at fault: its response about the task ${shown(this.#id)} contains the task ${shown(id)}`,
    );
    throw this.#fault;
  }
}

/** Returns an id for a text. The agent determines the length of its ids. */
function shown(id: string): string {
  return JSON.stringify(id.slice(0, 100));
}
