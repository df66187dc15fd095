import { Server as GrpcServer } from "@grpc/grpc-js";
import { createServer } from "node:http";
import { AgentCard as SdkCard, TaskState } from "@a2a-js/sdk";
import type { AgentExecutor, ExecutionEventBus, RequestContext } from "@a2a-js/sdk/server";
import { listen, stop } from "../../../../examples/shared/ports.js";
import type { AgentCard } from "../../../../generated/1.0/models.js";
import type { AdaptedOutput } from "../../../support/adapted.js";
import { aCard } from "../../../support/cards.js";
import { sdkApp, sdkArtifact, sdkPart, sdkText, SdkTurn } from "../../../support/sdk-agent.js";
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
  const executor = new Executor();
  http.on("request", sdkApp(SdkCard.fromJSON(card), executor));
  return { card, canceled: executor.canceled, close: () => stop(http, grpc) };
}

class Executor implements AgentExecutor {
  readonly canceled: string[] = [];
  readonly #waiting = new Set<string>();
  readonly #contexts = new Map<string, string>();
  readonly #leave = new Map<string, () => void>();

  async execute(context: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const { userMessage, taskId, contextId } = context;
    this.#contexts.set(taskId, contextId);
    const said = sdkText(userMessage);
    const turn = new SdkTurn(context, bus);
    const write = (text: string, append: boolean, lastChunk: boolean) => {
      turn.write(sdkArtifact("report", sdkPart(text)), append, lastChunk);
    };
    turn.begin(context);
    if (this.#waiting.delete(taskId))
      turn.status(TaskState.TASK_STATE_COMPLETED, `Booked Oslo for ${said}`);
    else if (said.includes("book")) {
      this.#waiting.add(taskId);
      turn.status(TaskState.TASK_STATE_INPUT_REQUIRED, "How many nights?");
    } else if (said.includes("fail")) turn.status(TaskState.TASK_STATE_FAILED, "Out of paper");
    else {
      turn.status(TaskState.TASK_STATE_WORKING, "Reading");
      if (said.includes("wait")) {
        await new Promise<void>((resolve) => this.#leave.set(taskId, resolve));
        return;
      }
      write("# Tea", false, false);
      write(`\n\nYou said ${said}`, true, false);
      write(".", true, true);
      turn.status(TaskState.TASK_STATE_COMPLETED);
    }
    bus.finished();
  }

  cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
    this.canceled.push(taskId);
    const contextId = this.#contexts.get(taskId) ?? "";
    new SdkTurn({ taskId, contextId }, bus).status(TaskState.TASK_STATE_CANCELED);
    bus.finished();
    this.#leave.get(taskId)?.();
    return Promise.resolve();
  }
}
