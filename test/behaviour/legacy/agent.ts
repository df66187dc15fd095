import {
  acceptLegacy,
  createAgent,
  fetchHandler,
  type A2AService,
  type AgentCard,
  type AgentOptions,
  type LegacyName,
  type Message,
  type SendMessageRequest,
  type StreamResponse,
  type TaskPushNotificationConfig,
} from "../../../generated/1.0/index.js";

const card: AgentCard = {
  name: "Ear",
  description: "Notes what it is asked.",
  version: "1.0.0",
  supportedInterfaces: [{ url: "http://ear.example/", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  capabilities: { streaming: true, pushNotifications: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
};

const reply: Message = { messageId: "r", role: "ROLE_AGENT", parts: [{ text: "ok" }] };

/** An answer over JSON-RPC. */
export interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** An agent of 1.0 that notes its requests, and what goes on around them. */
export class Ear {
  readonly requests: unknown[] = [];
  readonly used: LegacyName[] = [];
  readonly errors: unknown[] = [];
  readonly fetch: typeof fetch;

  constructor(options: Partial<AgentOptions> = { legacy: acceptLegacy({ onUse: (name) => this.used.push(name) }) }) {
    const onError = (error: unknown): number => this.errors.push(error);
    const handler = fetchHandler(createAgent({ card, service: this.#service(), onError, ...options }));
    this.fetch = async (input, init) => await handler(new Request(input, init));
  }

  /** Sends a request over JSON-RPC and gives the answer. */
  async call(method: string, params: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return await this.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), headers);
  }

  /** Sends text as a request, and gives the answer. */
  async send(body: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const init = { method: "POST", body, headers: { "content-type": "application/json", ...headers } };
    return (await (await this.fetch("http://ear.example/", init)).json()) as Answer;
  }

  #service(): A2AService {
    const note = <T>(request: T): T => {
      this.requests.push(request);
      return request;
    };
    const config = (request: { readonly taskId: string; readonly id: string }): TaskPushNotificationConfig => ({
      ...note(request),
      url: "http://hook.example/",
    });
    return {
      sendMessage: (request) => (note(request), { message: reply }),
      sendStreamingMessage: (request) => this.#stream(request),
      getTask: (request) => ({ id: note(request).id, status: { state: "TASK_STATE_WORKING" } }),
      listTasks: (request) => (note(request), { tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 }),
      createTaskPushNotificationConfig: note,
      getTaskPushNotificationConfig: config,
      listTaskPushNotificationConfigs: (request) => (note(request), { configs: [] }),
      deleteTaskPushNotificationConfig: (request) => void note(request),
    };
  }

  async *#stream(request: SendMessageRequest): AsyncGenerator<StreamResponse> {
    this.requests.push(request);
    yield await Promise.resolve({ message: reply });
  }
}
