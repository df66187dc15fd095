import { setTimeout as delay } from "node:timers/promises";
import type { Codecs } from "../../library/runtime/protocol/codec.js";
import { outputOf } from "../support/scripted.js";
import { v03 as traits03 } from "./traits-0.3.js";
import { v10 as traits10 } from "./traits-1.0.js";
import {
  routes,
  type Body,
  type Carrier,
  type Classes,
  type Methods,
  type OperationName,
  type Placed,
  type Served,
  type Subject,
  type Traits,
} from "./subject.js";

/** Output of a version, and the common API of all tests. */
interface Modules extends Classes {
  readonly codecs: Codecs;
  jsonRpcTransport(this: void, url: string): never;
  restTransport(this: void, url: string): never;
  grpcTransport(this: void, url: string): never;
  fetchHandler(agent: object, options: object): Served["fetch"];
  nodeListener(agent: object, options: object): Served["listener"];
  grpcService(agent: object): Served["grpc"];
  createAgentServer(agent: object, options: object): ReturnType<Served["together"]>;
}

/** A service that responds with what it was asked, and nothing else. */
function serviceOf({ samples, answers, webhooks }: Traits): Methods {
  const defined = (members: Body) => JSON.parse(JSON.stringify(members)) as Body;
  const methods: Readonly<Record<string, (request: Body) => unknown>> = {
    sendMessage: ({ message }) => answers.message(message as object),
    async *sendStreamingMessage({ message }) {
      const { taskId = "t1", parts = [] } = message as { taskId?: string; parts?: object[] };
      yield answers.task(samples.task(taskId));
      await delay(0);
      yield answers.artifact(parts);
      yield answers.completed;
    },
    getTask: ({ id, historyLength, tenant }) =>
      samples.task(String(id), defined({ historyLength, tenant })),
    listTasks: ({ pageSize = 50, ...request }) => ({
      tasks: [samples.task("t1", request)],
      nextPageToken: "",
      pageSize,
      totalSize: 1,
    }),
    cancelTask: ({ id, metadata, tenant }) =>
      samples.task(String(id), defined({ ...(metadata as object), tenant })),
    async *subscribeToTask({ id, tenant }) {
      yield answers.task(samples.task(String(id), defined({ tenant })));
      await delay(0);
      yield answers.completed;
    },
    deleteTaskPushNotificationConfig: () => undefined,
    getExtendedAgentCard: () => samples.card,
  };
  return { ...methods, ...webhooks };
}

async function subjectOf({ write, read, webhooks, cardPath, ...traits }: Traits): Promise<Subject> {
  const { base, samples, version } = traits;
  const output = await outputOf(version);
  const modules = output as unknown as Modules;
  const service = serviceOf({ write, read, webhooks, cardPath, ...traits });
  const place = (name: OperationName, request: Body): Placed => {
    const { body, ...placed } = { body: undefined, ...routes[name](request) };
    if (name === "GetExtendedAgentCard") return { ...placed, path: base + cardPath };
    const isSending = name === "SendMessage" || name === "SendStreamingMessage";
    const written = isSending ? write(request) : body;
    return { ...placed, path: base + placed.path, ...(written !== undefined && { body: written }) };
  };
  const carriers = (Object.keys(routes) as OperationName[]).map(
    (name): [OperationName, Carrier] => {
      const operation = output.operations.find(
        ({ method }) => method.toLowerCase() === name.toLowerCase(),
      );
      const codec = modules.codecs[operation?.name ?? ""];
      if (operation === undefined || codec === undefined)
        throw new Error(`${version} has no ${name}`);
      const { jsonRpc = "", grpc = "", streaming } = operation;
      return [
        name,
        {
          jsonRpc,
          grpc: grpc.slice(grpc.lastIndexOf("/") + 1),
          streams: streaming === "server",
          place: (request) => place(name, request),
          read: (response) => read(name, response),
          encode: (request) => codec.request.encode(request),
          decode: (bytes) => codec.response.decode(bytes),
        },
      ];
    },
  );
  return {
    ...traits,
    title: version,
    isTogether: false,
    grpcService: output.operations[0]?.grpc?.split("/")[1] ?? "",
    operations: Object.fromEntries(carriers) as Subject["operations"],
    classes: modules,
    transports: {
      jsonRpc: modules.jsonRpcTransport,
      rest: modules.restTransport,
      grpc: modules.grpcTransport,
    },
    connect: (url) => output.connect(url, {}),
    serve(
      methods,
      { agent: { card = samples.card, ...parts } = {}, limits = {}, cors, node = {} },
      onError,
    ) {
      const agent = output.createAgent({
        onError,
        ...parts,
        card,
        service: { ...service, ...methods },
      });
      const options = { jsonRpc: { path: "/rpc", ...limits }, rest: limits, ...(cors && { cors }) };
      const listener = modules.nodeListener(agent, { ...options, ...node });
      return {
        listener,
        fetch: modules.fetchHandler(agent, options),
        grpc: modules.grpcService(agent),
        together: (served, http) =>
          modules.createAgentServer(agent, { ...node, listener: served, http }),
      };
    },
  };
}

/** Version 1.0: ProtoJSON everywhere, and errors with details. */
export const v10: Subject = await subjectOf(traits10);

/** Version 0.3.0: a model with `kind`, ProtoJSON over HTTP+JSON, and plain errors. */
export const v03: Subject = await subjectOf(traits03);

/** Versions under attack. Tests for each version hold for every version. */
export const subjects: readonly Subject[] = [v10, v03];

/** Version 1.0 with one server for all transports. */
const together: Subject = { ...v10, title: "1.0 on one port", isTogether: true };

/** Like {@link subjects}, and all transports on one port. */
export const servedSubjects: readonly Subject[] = [...subjects, together];

/** Targets of random requests: each version on another server. */
export const variedSubjects: readonly Subject[] = [together, v03];
