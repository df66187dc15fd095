import type {
  AgentCard,
  Message,
  SendMessageRequest,
  StreamResponse,
} from "../../generated/1.1-draft/models.js";
import type { A2AService } from "../../generated/1.1-draft/server/service.js";
import type { CallContext } from "../../library/runtime/server/context.js";
import { taskService } from "./bound-kit.js";
import type { TaskServiceOptions } from "../../library/kit/options.js";
import { aCard } from "./cards.js";

/** The card of the agents that these tests make. */
export const card: AgentCard = aCard(
  [{ url: "http://localhost", protocolBinding: "JSONRPC", protocolVersion: "1.1" }],
  { capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true } },
);

/** A message of a user, with what a test says of it. */
export function message(text: string, rest: Partial<Message> = {}): SendMessageRequest {
  return { message: { messageId: `m-${text}`, role: "ROLE_USER", parts: [{ text }], ...rest } };
}

/**
 * Calls a task service as an agent does, without a transport: each method takes a request and the
 * name of a user.
 */
export function kitAgent<State>(options: TaskServiceOptions<string, State>) {
  const errors: unknown[] = [];
  const subjects: unknown[] = [];
  // Most tests have one caller, who is anonymous.
  const made = taskService<string, State>({ anonymousLists: true, ...options });
  // A task service has every method.
  const service = made({
    card: () => card,
    report: (error, subject) => {
      errors.push(error);
      subjects.push(subject);
    },
    webhookForm: () => undefined,
  }) as Required<A2AService<string>>;
  const context = (user = "", rest: Partial<CallContext<string>> = {}) =>
    // The rest of a context is for other tests.
    ({
      user,
      extensions: [],
      tenant: undefined,
      signal: new AbortController().signal,
      ...rest,
    }) as CallContext<string>;
  return {
    errors,
    /** The ids that each error was reported with. */
    subjects,
    service,
    context,
    close: made.close,
    deleteTasks: made.deleteTasks,
    wake: made.wake,
    async send(request: SendMessageRequest | string, user?: string) {
      const asked = typeof request === "string" ? message(request) : request;
      const { task } = await service.sendMessage(asked, context(user));
      if (task === undefined) throw new Error("The agent replied with a message");
      return task;
    },
    async stream(request: SendMessageRequest | string, user?: string) {
      const asked = typeof request === "string" ? message(request) : request;
      return service.sendStreamingMessage(asked, context(user));
    },
    get: async (id: string, user?: string) => service.getTask({ id }, context(user)),
    list: async (request = {}, user?: string) => service.listTasks(request, context(user)),
    cancel: async (id: string, user?: string) => service.cancelTask({ id }, context(user)),
    subscribe: async (id: string, user?: string) => service.subscribeToTask({ id }, context(user)),
  };
}

/** Returns what a test compares of an event: what kind it is, its state or text. */
export function gist(event: StreamResponse): string {
  if (event.task !== undefined) return `task ${stateOf(event.task.status.state)}`;
  if (event.message !== undefined) return `message ${event.message.parts[0]?.text ?? ""}`;
  if (event.statusUpdate !== undefined) {
    const { state, message: said } = event.statusUpdate.status;
    return [stateOf(state), said?.parts[0]?.text].filter((part) => part !== undefined).join(" ");
  }
  const { artifact, append, lastChunk } = event.artifactUpdate;
  return `${artifact.artifactId}${append === true ? "+" : ""} ${artifact.parts[0]?.text ?? ""}${lastChunk === true ? "." : ""}`;
}

function stateOf(state: string) {
  return state.replace("TASK_STATE_", "").toLowerCase();
}

/** Returns all events of a stream, as {@link gist} says them. */
export async function gists(events: AsyncIterable<StreamResponse>): Promise<string[]> {
  const found: string[] = [];
  for await (const event of events) found.push(gist(event));
  return found;
}
