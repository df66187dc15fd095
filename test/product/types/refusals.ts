// Values that the types of the output accept and refuse. This code never runs: each compiler checks
// it, and an expected error that does not occur is also an error.
import {
  connect,
  createAgent,
  createContextKey,
  fetchHandler,
  TaskState,
  isTask,
  parseTask,
  validatePart,
  type A2AClient,
  type A2AService,
  type Agent,
  type AgentCard,
  type Call,
  type CallContext,
  type Interceptor,
  type Message,
  type Part,
  type Role,
  type SendMessageResponse,
  type ServerCall,
  type ServerInterceptor,
  type StreamResponse,
  type Task,
} from "../../../generated/1.0/index.js";

const part: Part = { text: "hello" };

export const accepted = {
  part,
  data: { data: null, mediaType: "application/json" } satisfies Part,
  metadata: { text: "a", metadata: { deep: [1, { b: null }] } } satisfies Part,
  message: { messageId: "1", role: "ROLE_USER", parts: [part] } satisfies Message,
  task: { id: "1", status: { state: TaskState.InputRequired } } satisfies Task,
  state: TaskState.Completed satisfies "TASK_STATE_COMPLETED",
  response: {
    task: { id: "1", status: { state: "TASK_STATE_WORKING" } },
  } satisfies SendMessageResponse,
};

// @ts-expect-error two members of a oneof
export const twoMembers: Part = { text: "a", url: "b" };
// @ts-expect-error no member of a oneof that needs one
export const noMember: Part = { filename: "x" };
// @ts-expect-error undefined is not a member
export const undefinedMember: Part = { text: undefined };
// @ts-expect-error a member of another type
export const wrongMember: Part = { text: 1 };
// @ts-expect-error data is JSON
export const notJson: Part = { data: () => 1 };
// @ts-expect-error a function is not JSON at any depth
export const notJsonWithin: Part = { text: "a", metadata: { f: () => 1 } };
// @ts-expect-error an unknown property
export const unknownProperty: Part = { text: "a", nope: 1 };
// @ts-expect-error the name of the proto
export const protoName: Part = { text: "a", media_type: "b" };
// @ts-expect-error a required field is missing
export const missing: Message = { role: "ROLE_USER", parts: [part] };
// @ts-expect-error a required field is undefined
export const undefinedField: Message = { messageId: undefined, role: "ROLE_USER", parts: [part] };
// @ts-expect-error an optional field is undefined, which is not the same as absent
export const undefinedOption: Message = {
  messageId: "1",
  role: "ROLE_USER",
  parts: [part],
  contextId: undefined,
};
export const nullField: Message = {
  messageId: "1",
  role: "ROLE_USER",
  parts: [part],
  // @ts-expect-error null is not a value
  contextId: null,
};
// @ts-expect-error another value than the enum has
export const wrongRole: Role = "ROLE_ROBOT";
// @ts-expect-error the number of an enum value
export const enumNumber: Role = 1;
// @ts-expect-error the enum constant has no such key
export type WrongKey = (typeof TaskState)["Nope"];
// @ts-expect-error the enum constant cannot be changed
TaskState.Completed = "TASK_STATE_WORKING";
// @ts-expect-error two members at once in a response
export const both: SendMessageResponse = { ...accepted.response, message: accepted.message };
// @ts-expect-error a card needs more than a name
export const card: AgentCard = { name: "x" };

/** Each member is known once its presence is. */
export function textOf(value: Part): string {
  if (value.text !== undefined) {
    // @ts-expect-error the other members are absent
    const other: string = value.url;
    return value.text + other;
  }
  if (value.raw !== undefined) return value.raw;
  if (value.url !== undefined) return value.url;
  return JSON.stringify(value.data);
}

/** The switch distinguishes all members of a response. */
export function kindOf(event: StreamResponse): string {
  if (event.task) return event.task.id;
  if (event.message) return event.message.messageId;
  if (event.statusUpdate) return event.statusUpdate.taskId;
  return event.artifactUpdate.taskId;
}

/** An enum can be exhausted. */
export function isAgent(role: Role): boolean {
  switch (role) {
    case "ROLE_UNSPECIFIED":
    case "ROLE_USER":
      return false;
    case "ROLE_AGENT":
      return true;
  }
}

/** Guards and parsers give types to what has none. */
export function read(value: unknown): Task | undefined {
  // @ts-expect-error nothing is known yet
  const known: Task = value;
  if (isTask(value)) return value;
  const result = validatePart(value);
  if (result.issues === undefined) textOf(result.value);
  // @ts-expect-error a result with issues has no value
  else textOf(result.value);
  return value === undefined ? known : parseTask(value);
}

/** Every operation takes its request and gives its response. */
export async function call(client: A2AClient): Promise<string> {
  const task: Task = await client.getTask({ id: "1" });
  // @ts-expect-error a request without its required field
  await client.getTask({});
  // @ts-expect-error a stream is not a promise
  const streamed: Promise<unknown> = client.subscribeToTask({ id: "1" });
  for await (const event of client.subscribeToTask({ id: "1" })) kindOf(event);
  // @ts-expect-error the operation has no result
  const deleted: object = await client.deleteTaskPushNotificationConfig({ taskId: "1", id: "2" });
  return `${task.id} ${JSON.stringify([deleted, await streamed])}`;
}

// @ts-expect-error an unknown operation
export type UnknownOperation = A2AClient["fly"];

export const service: A2AService = {
  getTask: (request) => ({ id: request.id, status: { state: "TASK_STATE_WORKING" } }),
  // @ts-expect-error an answer of another type
  sendMessage: () => ({ id: "1" }),
  // @ts-expect-error a stream is asked for
  subscribeToTask: () => ({ task: accepted.task }),
};

// @ts-expect-error an unknown operation
export const unknownOperation: A2AService = { fly: () => undefined };

interface User {
  readonly name: string;
}

declare const agentCard: AgentCard;
declare const find: (token: string | undefined) => Promise<User>;

declare const anyUser: ServerInterceptor;
declare const logger: ServerInterceptor<User>;

/** A service that knows what its users are. */
export const ofUsers: A2AService<User> = {
  getTask: ({ id }, { user }) => ({
    id: `${user.name}-${id}`,
    status: { state: "TASK_STATE_WORKING" },
  }),
  cancelTask: ({ id }, { user }) => ({
    // @ts-expect-error a user has no such member
    id: `${user.age}-${id}`,
    status: { state: "TASK_STATE_CANCELED" },
  }),
};

/** The awaited result of authenticate is the user in the context, in hooks and in the service. */
export const agents: Agent[] = [
  createAgent({
    card: agentCard,
    authenticate: ({ headers }) => find(headers.get("authorization")),
    authorize: ({ context }) => context.user.name,
    interceptors: [{ unary: (made, next) => (made.context.user.name, next(made)) }],
    onError: (_, context) => context?.user.name,
    service: {
      getTask({ id }, { user }) {
        const { name }: User = user;
        // @ts-expect-error a user has no such member
        const age: unknown = user.age;
        return { id: `${name}-${id}-${String(age)}`, status: { state: "TASK_STATE_WORKING" } };
      },
    },
  }),
  createAgent({
    card: agentCard,
    service: ofUsers,
    authenticate: ({ headers }) => find(headers.get("authorization")),
    interceptors: [anyUser, logger],
  }),
  // @ts-expect-error the interceptor needs other users
  createAgent({ card: agentCard, service, authenticate: () => "ann", interceptors: [logger] }),
  // A service that does not use a user works with the users of any agent.
  createAgent({ card: agentCard, service, authenticate: () => "ann" }),
  createAgent({ card: agentCard, service }),
  // @ts-expect-error the service requires users, and the agent does not authenticate
  createAgent({ card: agentCard, service: ofUsers }),
  // @ts-expect-error the service needs other users
  createAgent({ card: agentCard, service: ofUsers, authenticate: () => "ann" }),
  // @ts-expect-error the operation is not known before the body has been read
  createAgent({ card: agentCard, service, authenticate: ({ operation }) => String(operation) }),
];

/** The name of a call tells its request, in hooks and interceptors of servers and clients. */
export const narrowed = {
  authorize(made: ServerCall<User>): string {
    // @ts-expect-error the operation is not known yet
    JSON.stringify(made.request.message);
    if (made.name !== "SendMessage") return "";
    const { message }: { readonly message: Message } = made.request;
    // @ts-expect-error a request of another operation
    JSON.stringify(made.request.id);
    return `${message.messageId} ${made.context.user.name}`;
  },
  // @ts-expect-error an unknown operation
  isUnknown: ({ name }: ServerCall): boolean => name === "Fly",
} as const;

export const shorter: ServerInterceptor = {
  unary: (made, next) =>
    next(
      made.name === "ListTasks" ? { ...made, request: { ...made.request, pageSize: 10 } } : made,
    ),
};

export const stamped: Interceptor = {
  async unary(made, next) {
    if (made.name !== "SendMessage") return next(made);
    const { message }: { readonly message: Message } = made.request;
    return next({
      ...made,
      request: { ...made.request, message: { ...message, metadata: { stamp: 1 } } },
    });
  },
};

/** An interceptor of any protocol stands in the place of one of this. */
declare const anyCall: {
  unary(made: Call, next: (made: Call) => Promise<unknown>): Promise<unknown>;
};

export const connected: Promise<A2AClient>[] = [
  connect("https://agent.example", { interceptors: [stamped, anyCall] }),
];

export const guarded: Agent = createAgent({
  card: agentCard,
  service,
  authenticate: ({ headers }) => find(headers.get("authorization")),
  authorize(made) {
    if (made.name === "CancelTask" && made.request.id !== made.context.user.name)
      throw new Error("not yours");
  },
  interceptors: [shorter],
});

// @ts-expect-error nothing is known of a user without authenticate
export const nameOf = ({ user }: CallContext): string => user;

export const tracer: ServerInterceptor<User> = {
  unary(made, next) {
    made.context.values.set(traceId, made.context.user.name);
    // @ts-expect-error the value of a key is of its type
    made.context.values.set(traceId, 7);
    return next(made);
  },
};

const traceId = createContextKey("");

export const opaque = (agent: Agent): unknown => {
  // @ts-expect-error an agent has no members
  return agent.options;
};

type Route = (
  request: Request,
  context: { params: Promise<Record<string, string[]>> },
) => Promise<Response>;

export const route = (agent: Agent): Route => fetchHandler(agent);

export const peers = (agent: Agent, request: Request): unknown => [
  fetchHandler(agent)(request, { peer: { address: "192.0.2.1", certificate: undefined } }),
  // @ts-expect-error a peer is an object
  fetchHandler(agent)(request, { peer: "192.0.2.1" }),
];
