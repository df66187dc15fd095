import express from "express";
import { Server as GrpcServer } from "@grpc/grpc-js";
import {
  DefaultRequestHandler,
  InMemoryTaskStore,
  type AgentExecutionEvent,
  type AgentExecutor,
  type ServerCallContext,
} from "a2a-sdk-0.3/server";
import { A2AService, grpcService } from "a2a-sdk-0.3/server/grpc";
import type { AgentCard } from "a2a-sdk-0.3";
import { createServer } from "node:http";
import { listen, stop } from "../../../examples/shared/ports.js";
import { cardOf, extendedCard, extension } from "./card.js";
import { v03 } from "./dialect.js";
import { asJson, type Json } from "./json.js";
import { Gate, type Asked, type Host, type HostOptions } from "./peers.js";
import { actsFor } from "./play.js";
import { canceled } from "./scenes.js";

/** The methods of a request handler, and what we call them. */
const methods: Readonly<Record<string, string>> = {
  sendMessage: "sendMessage",
  sendMessageStream: "sendStreamingMessage",
  getTask: "getTask",
  cancelTask: "cancelTask",
  resubscribe: "subscribeToTask",
  setTaskPushNotificationConfig: "createTaskPushNotificationConfig",
  getTaskPushNotificationConfig: "getTaskPushNotificationConfig",
  listTaskPushNotificationConfigs: "listTaskPushNotificationConfigs",
  deleteTaskPushNotificationConfig: "deleteTaskPushNotificationConfig",
  getAuthenticatedExtendedAgentCard: "getExtendedAgentCard",
};

/** Starts a server of the SDK for 0.3. */
export async function startOldSdk(options: HostOptions = {}): Promise<Host> {
  const [http, grpc] = [createServer(), new GrpcServer()];
  const addresses = await listen(http, grpc, { host: "127.0.0.1" });
  const card = cardOf(addresses, "0.3.0", options);
  const [sdkCard, more] = [v03.card(card), v03.card(extendedCard(card))] as unknown as [
    AgentCard,
    AgentCard,
  ];
  const gate = new Gate();
  const asked: Asked[] = [];
  const tasks = new InMemoryTaskStore();
  const executor = executorOf(gate);
  const handler = new DefaultRequestHandler(
    sdkCard,
    tasks,
    executor,
    undefined,
    undefined,
    undefined,
    async () => more,
  );
  const requestHandler = recording(handler, asked);
  const app = express();
  const { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } =
    await import("a2a-sdk-0.3/server/express");
  const user = { requestHandler, userBuilder: UserBuilder.noAuthentication };
  app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: requestHandler }));
  app.use("/rpc", jsonRpcHandler(user));
  app.use("/rest", restHandler(user));
  http.on("request", app);
  grpc.addService(A2AService, { ...grpcService(user) });
  return {
    dialect: v03,
    card,
    url: addresses.url,
    asked,
    release: () => gate.release(),
    close: () => stop(http, grpc),
  };
}

/** A handler that remembers what it is asked. */
function recording(handler: DefaultRequestHandler, asked: Asked[]) {
  return new Proxy(handler, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      const method = methods[String(name)];
      if (typeof found !== "function" || method === undefined) return found;
      return (...given: readonly unknown[]): unknown => {
        const [request, context] = given.length > 1 ? given : [{}, given[0]];
        const extensions = [
          ...((context as ServerCallContext | undefined)?.requestedExtensions ?? []),
        ];
        asked.push({ method, request: asJson(request), extensions });
        return Reflect.apply(found, target, given);
      };
    },
  });
}

function executorOf(gate: Gate): AgentExecutor {
  const contexts = new Map<string, string>();
  return {
    async execute({ userMessage, taskId, contextId, context, task }, bus) {
      contexts.set(taskId, contextId);
      if (context?.requestedExtensions?.includes(extension) === true)
        context.addActivatedExtension(extension);
      for (const act of actsFor({ ...userMessage }, { taskId, contextId }, v03)) {
        // An agent of the SDK for 0.3 must include the previous state of the task.
        if (act !== "wait")
          bus.publish(eventOf(act["kind"] === "task" ? { ...task, ...withHistory(act) } : act));
        else if (!(await gate.wait(taskId))) return;
      }
      bus.finished();
    },
    async cancelTask(taskId, bus) {
      gate.cancel(taskId);
      bus.publish(eventOf(v03.event(canceled({ taskId, contextId: contexts.get(taskId) ?? "" }))));
    },
  };
}

function withHistory({ history, artifacts, ...task }: Json): Json {
  const has = (list: unknown) => Array.isArray(list) && list.length > 0;
  return {
    ...task,
    ...(has(history) ? { history } : {}),
    ...(has(artifacts) ? { artifacts } : {}),
  };
}

function eventOf(json: Json) {
  return asJson(json) as AgentExecutionEvent;
}
