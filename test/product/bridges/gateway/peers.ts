import { Server as GrpcServer } from "@grpc/grpc-js";
import express from "express";
import { createServer } from "node:http";
import { AgentCard as SdkCard, Role, TaskState, type Message, type Part } from "@a2a-js/sdk";
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  type AgentExecutor,
  type ExecutionEventBus,
  type RequestContext,
} from "@a2a-js/sdk/server";
import { agentCardHandler, jsonRpcHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import { listen, stop } from "../../../../examples/shared/ports.js";
import type { AgentCard } from "../../../../generated/1.0/models.js";
import type { AdaptedOutput } from "../../../support/adapted.js";
import { aCard } from "../../../support/cards.js";
import { conversational } from "./conversation.js";

/** An agent that takes part in the conversations. */
export interface Peer {
  readonly card: AgentCard;
  /** Ids of the tasks that it was asked to cancel. */
  readonly canceled: readonly string[];
  close(): Promise<void>;
}

const modes = {
  defaultInputModes: ["text/plain", "image/png"],
  capabilities: { streaming: true, pushNotifications: true },
};

/** Starts an agent of the kit that only offers one version over one binding. */
export async function startKitPeer(
  output: AdaptedOutput,
  protocolVersion: string,
  protocolBinding: string,
): Promise<Peer> {
  const { own, adapters } = output;
  const [http, grpc] = [createServer(), new GrpcServer()];
  const { url, grpcUrl } = await listen(http, grpc, { host: "127.0.0.1" });
  const at = protocolBinding === "GRPC" ? grpcUrl : url;
  const card = aCard([{ url: at, protocolBinding, protocolVersion }], modes);
  const canceled: string[] = [];
  const service = conversational(output, canceled);
  const versions = Object.values(adapters).map(({ served }) => served);
  const agent = own.createAgent({ card, service, versions });
  const { definition, implementation } = own.grpcService(agent);
  grpc.addService(definition, implementation);
  http.on("request", own.nodeListener(agent));
  return {
    card,
    canceled,
    async close() {
      await service.close();
      await stop(http, grpc);
    },
  };
}

/** Starts the same agent on the official SDK. It does not reply without a task. */
export async function startSdkPeer(): Promise<Peer> {
  const [http, grpc] = [createServer(), new GrpcServer()];
  const { url } = await listen(http, grpc, { host: "127.0.0.1" });
  const interfaces = [{ url: `${url}rpc`, protocolBinding: "JSONRPC", protocolVersion: "1.0" }];
  const card = aCard(interfaces, { ...modes, capabilities: { streaming: true } });
  const sdkCard = SdkCard.fromJSON(card);
  const executor = new Executor();
  const requestHandler = new DefaultRequestHandler(sdkCard, new InMemoryTaskStore(), executor);
  const app = express();
  const agentCardProvider = requestHandler;
  app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider }));
  app.use("/rpc", jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  http.on("request", app);
  return { card, canceled: executor.canceled, close: () => stop(http, grpc) };
}

const text = (value: string): Part => ({
  content: { $case: "text", value },
  mediaType: "text/plain",
  filename: "",
  metadata: undefined,
});

class Executor implements AgentExecutor {
  readonly canceled: string[] = [];
  readonly #waiting = new Set<string>();
  readonly #contexts = new Map<string, string>();
  readonly #leave = new Map<string, () => void>();

  async execute(context: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const { userMessage, taskId, contextId, task } = context;
    this.#contexts.set(taskId, contextId);
    const said = textOf(userMessage);
    const status = (state: TaskState, words?: string) =>
      AgentEvent.statusUpdate({
        taskId,
        contextId,
        status: {
          state,
          message: words === undefined ? undefined : message(words, taskId, contextId),
          timestamp: new Date().toISOString(),
        },
        metadata: undefined,
      });
    const piece = (artifactId: string, part: Part, append: boolean, lastChunk: boolean) =>
      AgentEvent.artifactUpdate({
        taskId,
        contextId,
        artifact: {
          artifactId,
          name: artifactId,
          description: "",
          parts: [part],
          extensions: [],
          metadata: undefined,
        },
        append,
        lastChunk,
        metadata: undefined,
      });
    const submitted = {
      id: taskId,
      contextId,
      status: {
        state: TaskState.TASK_STATE_SUBMITTED,
        message: undefined,
        timestamp: new Date().toISOString(),
      },
      artifacts: [],
      history: [userMessage],
      metadata: undefined,
    };
    bus.publish(AgentEvent.task(task ?? submitted));
    if (this.#waiting.delete(taskId))
      bus.publish(status(TaskState.TASK_STATE_COMPLETED, `Booked Oslo for ${said}`));
    else if (said.includes("book")) {
      this.#waiting.add(taskId);
      bus.publish(status(TaskState.TASK_STATE_INPUT_REQUIRED, "How many nights?"));
    } else if (said.includes("fail"))
      bus.publish(status(TaskState.TASK_STATE_FAILED, "Out of paper"));
    else {
      bus.publish(status(TaskState.TASK_STATE_WORKING, "Reading"));
      if (said.includes("wait")) {
        await new Promise<void>((resolve) => this.#leave.set(taskId, resolve));
        return;
      }
      bus.publish(piece("report", text("# Tea"), false, false));
      bus.publish(piece("report", text(`\n\nYou said ${said}`), true, false));
      bus.publish(piece("report", text("."), true, true));
      bus.publish(status(TaskState.TASK_STATE_COMPLETED));
    }
    bus.finished();
  }

  async cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
    this.canceled.push(taskId);
    bus.publish(
      AgentEvent.statusUpdate({
        taskId,
        contextId: this.#contexts.get(taskId) ?? "",
        status: {
          state: TaskState.TASK_STATE_CANCELED,
          message: undefined,
          timestamp: new Date().toISOString(),
        },
        metadata: undefined,
      }),
    );
    bus.finished();
    this.#leave.get(taskId)?.();
    return Promise.resolve();
  }
}

function textOf({ parts }: Message): string {
  return parts.map(({ content }) => (content?.$case === "text" ? content.value : "")).join("");
}

function message(words: string, taskId: string, contextId: string): Message {
  return {
    messageId: crypto.randomUUID(),
    role: Role.ROLE_AGENT,
    parts: [text(words)],
    contextId,
    taskId,
    extensions: [],
    referenceTaskIds: [],
    metadata: undefined,
  };
}
