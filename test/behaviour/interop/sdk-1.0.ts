import express from "express";
import { Server as GrpcServer } from "@grpc/grpc-js";
import {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTasksRequest,
  Message,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  TaskPushNotificationConfig,
} from "@a2a-js/sdk";
import { duplicateInterfacesForLegacy } from "@a2a-js/sdk/compat/v0_3";
import { V03PushNotificationSerializer } from "@a2a-js/sdk/compat/v0_3/server";
import { LegacyA2AService, legacyGrpcService } from "@a2a-js/sdk/compat/v0_3/server/grpc";
import {
  AgentEvent,
  DefaultPushNotificationSender,
  DefaultRequestHandler,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
  type AgentExecutor,
  type ServerCallContext,
} from "@a2a-js/sdk/server";
import { A2AService, grpcService, UserBuilder as GrpcUsers } from "@a2a-js/sdk/server/grpc";
import { createServer } from "node:http";
import { listen, stop } from "../../../examples/shared/ports.js";
import { cardOf, extendedCard, extension } from "./card.js";
import { v1 } from "./dialect.js";
import { isObject, type Json } from "./json.js";
import { Gate, type Asked, type Host, type HostOptions } from "./peers.js";
import { actsFor } from "./play.js";
import { canceled } from "./scenes.js";

interface Codec {
  toJSON(value: never): unknown;
}

/** The methods of a request handler: what we call them, and how requests are written as JSON. */
const methods: Readonly<Record<string, readonly [string, Codec]>> = {
  sendMessage: ["sendMessage", SendMessageRequest],
  sendMessageStream: ["sendStreamingMessage", SendMessageRequest],
  getTask: ["getTask", GetTaskRequest],
  listTasks: ["listTasks", ListTasksRequest],
  cancelTask: ["cancelTask", CancelTaskRequest],
  resubscribe: ["subscribeToTask", SubscribeToTaskRequest],
  createTaskPushNotificationConfig: [
    "createTaskPushNotificationConfig",
    TaskPushNotificationConfig,
  ],
  getTaskPushNotificationConfig: [
    "getTaskPushNotificationConfig",
    GetTaskPushNotificationConfigRequest,
  ],
  listTaskPushNotificationConfigs: [
    "listTaskPushNotificationConfigs",
    ListTaskPushNotificationConfigsRequest,
  ],
  deleteTaskPushNotificationConfig: [
    "deleteTaskPushNotificationConfig",
    DeleteTaskPushNotificationConfigRequest,
  ],
  getAuthenticatedExtendedAgentCard: ["getExtendedAgentCard", GetExtendedAgentCardRequest],
};

/** Starts a server of the SDK for 1.0. */
export function startSdk(options: HostOptions = {}): Promise<Host> {
  return start(options, false);
}

/** Starts a server of the SDK for 1.0 that also serves clients of 0.3. */
export function startSdkForBoth(options: HostOptions = {}): Promise<Host> {
  return start(options, true);
}

async function start(options: HostOptions, enabled: boolean): Promise<Host> {
  const [http, grpc] = [createServer(), new GrpcServer()];
  const addresses = await listen(http, grpc, { host: "127.0.0.1" });
  const card = cardOf(addresses, "1.0", options);
  const sdkCard = AgentCard.fromJSON(card);
  if (enabled) {
    const all = ["JSONRPC", "HTTP+JSON", "GRPC"];
    sdkCard.supportedInterfaces = duplicateInterfacesForLegacy(sdkCard.supportedInterfaces, all);
  }
  const gate = new Gate();
  const asked: Asked[] = [];
  const more = { ...sdkCard, skills: AgentCard.fromJSON(extendedCard(card)).skills };
  const store = new InMemoryPushNotificationStore();
  const serializers = enabled
    ? { serializers: { "0.3": new V03PushNotificationSerializer() } }
    : {};
  const sender = new DefaultPushNotificationSender(store, serializers);
  const tasks = new InMemoryTaskStore();
  const handler = new DefaultRequestHandler(
    sdkCard,
    tasks,
    executorOf(gate),
    undefined,
    store,
    sender,
    async () => more,
  );
  const requestHandler = recording(handler, asked);
  const app = express();
  const { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } =
    await import("@a2a-js/sdk/server/express");
  const legacyCompat = { enabled };
  const user = { requestHandler, userBuilder: UserBuilder.noAuthentication, legacyCompat };
  app.use(
    "/.well-known/agent-card.json",
    agentCardHandler({ agentCardProvider: requestHandler, legacyCompat }),
  );
  app.use("/rpc", jsonRpcHandler(user));
  app.use("/rest", restHandler(user));
  http.on("request", app);
  const forGrpc = { requestHandler, userBuilder: GrpcUsers.noAuthentication };
  grpc.addService(A2AService, grpcService(forGrpc));
  if (enabled) grpc.addService(LegacyA2AService, { ...legacyGrpcService(forGrpc) });
  return {
    dialect: v1,
    card,
    url: addresses.url,
    asked,
    release: () => gate.release(),
    close: () => stop(http, grpc),
  };
}

/** A handler that remembers what it is asked, as JSON. */
function recording(handler: DefaultRequestHandler, asked: Asked[]) {
  return new Proxy(handler, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      const method = methods[String(name)];
      if (typeof found !== "function" || method === undefined) return found;
      return (params: never, context: ServerCallContext): unknown => {
        const extensions = [...(context.requestedExtensions ?? [])];
        asked.push({ method: method[0], request: method[1].toJSON(params), extensions });
        return Reflect.apply(found, target, [params, context]);
      };
    },
  });
}

function executorOf(gate: Gate): AgentExecutor {
  const contexts = new Map<string, string>();
  return {
    async execute({ userMessage, taskId, contextId, context }, bus) {
      contexts.set(taskId, contextId);
      const message = Message.toJSON(userMessage);
      if (!isObject(message)) throw new Error("The SDK writes messages as objects");
      if (context.requestedExtensions?.includes(extension) === true)
        context.addActivatedExtension(extension);
      for (const act of actsFor(message, { taskId, contextId }, v1)) {
        if (act !== "wait") bus.publish(eventOf(act));
        else if (!(await gate.wait(taskId))) return;
      }
    },
    async cancelTask(taskId, bus) {
      gate.cancel(taskId);
      bus.publish(eventOf({ ...canceled({ taskId, contextId: contexts.get(taskId) ?? "" }) }));
    },
  };
}

function eventOf(json: Json) {
  const { payload } = StreamResponse.fromJSON(json);
  switch (payload?.$case) {
    case "task":
      return AgentEvent.task(payload.value);
    case "message":
      return AgentEvent.message(payload.value);
    case "statusUpdate":
      return AgentEvent.statusUpdate(payload.value);
    case "artifactUpdate":
      return AgentEvent.artifactUpdate(payload.value);
    default:
      throw new Error("The SDK reads every event");
  }
}
