import { AgentCard, TaskState } from "@a2a-js/sdk";
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  type AgentExecutor,
  type ExecutionEventBus,
  type RequestContext,
} from "@a2a-js/sdk/server";
import { jsonRpcHandler, restHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import { A2AService, grpcService, UserBuilder as GrpcUsers } from "@a2a-js/sdk/server/grpc";
import { Server as GrpcServer } from "@grpc/grpc-js";
import express from "express";
import { createServer } from "node:http";
import { listen } from "../../examples/shared/ports.js";
import {
  sdkArtifact,
  sdkMessage,
  sdkPart,
  sdkStatus,
  sdkTask,
  sdkText,
} from "../../test/support/sdk-agent.js";
import {
  answer,
  card,
  cardFor03,
  Gate,
  gated,
  names,
  paths,
  talks,
  textsFor,
  wishIn,
  type Kind,
  type Ready,
  type Talk,
} from "./work.js";

/**
 * Serves an SDK agent with the same behavior as ours, written as in the README and the samples of
 * the SDK.
 */
export async function start(kind: Kind): Promise<Ready> {
  const requestHandler = new DefaultRequestHandler(
    AgentCard.fromJSON(kind === "askedBy03" ? cardFor03 : card),
    new InMemoryTaskStore(),
    executors[kind],
  );
  const app = express();
  const legacyCompat = { enabled: kind === "askedBy03" };
  const options = { requestHandler, userBuilder: UserBuilder.noAuthentication, legacyCompat };
  app.use(paths.jsonRpc, jsonRpcHandler(options));
  app.use(paths.rest, restHandler(options));
  const [http, grpc] = [createServer(gated(gate, app)), new GrpcServer()];
  grpc.addService(
    A2AService,
    grpcService({ requestHandler, userBuilder: GrpcUsers.noAuthentication }),
  );
  const { url, grpcUrl } = await listen(http, grpc, { host: "127.0.0.1" });
  return { httpPort: Number(new URL(url).port), grpcPort: Number(grpcUrl.split(":")[1]) };
}

/** The gate of the agents of this process. */
const gate = new Gate();

type Execute = (context: RequestContext, bus: ExecutionEventBus) => void | Promise<void>;

/** Does what the message asks for. */
const asked = executor(async (context, bus) => {
  const { taskId, contextId, userMessage } = context;
  const wish = wishIn(sdkText(userMessage));
  if (wish === "message") {
    bus.publish(AgentEvent.message(sdkMessage(sdkPart(answer, ""))));
    return;
  }
  const update = (state: TaskState): void => {
    const status = sdkStatus(state);
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
  };
  bus.publish(AgentEvent.task(sdkTask(context, TaskState.TASK_STATE_SUBMITTED)));
  update(TaskState.TASK_STATE_WORKING);
  if (wish === "wait") await new Promise(() => undefined);
  const texts = [...textsFor(wish)];
  for (const [index, text] of texts.entries()) {
    const place = { append: index > 0, lastChunk: index === texts.length - 1 };
    const piece = { artifact: artifactOf(text), ...place, metadata: undefined };
    bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, ...piece }));
  }
  update(TaskState.TASK_STATE_COMPLETED);
});

const executors: Readonly<Record<Kind, AgentExecutor>> = {
  task: executor((context, bus) => {
    const artifacts = [artifactOf(answer)];
    bus.publish(
      AgentEvent.task({ ...sdkTask(context, TaskState.TASK_STATE_COMPLETED), artifacts }),
    );
  }),
  message: executor((_context, bus) => {
    bus.publish(AgentEvent.message(sdkMessage(sdkPart(answer, ""))));
  }),
  stream: words(talks.stream, () => undefined),
  fanOut: words(talks.fanOut, () => gate.opened()),
  slowFanOut: words(talks.slowFanOut, () => gate.opened()),
  shortFanOut: words(talks.shortFanOut, () => gate.opened()),
  timedFanOut: words(talks.timedFanOut, () => gate.opened()),
  asked,
  askedBy03: asked,
};

function words({ count, word }: Talk, ready: () => Promise<void> | undefined): AgentExecutor {
  return executor(async (context, bus) => {
    const { taskId, contextId } = context;
    bus.publish(AgentEvent.task(sdkTask(context, TaskState.TASK_STATE_WORKING)));
    await ready();
    for (let index = 0; index < count; index += 1) {
      const piece = {
        artifact: artifactOf(await word(index), index === 0 ? names.artifactName : ""),
        append: index > 0,
        lastChunk: index === count - 1,
        metadata: undefined,
      };
      bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, ...piece }));
    }
    const status = sdkStatus(TaskState.TASK_STATE_COMPLETED);
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
  });
}

function executor(execute: Execute): AgentExecutor {
  return {
    async execute(context, bus) {
      await execute(context, bus);
      bus.finished();
    },
    cancelTask: () => Promise.resolve(),
  };
}

function artifactOf(text: string, name?: string) {
  return sdkArtifact(names.artifactId, sdkPart(text, ""), name ?? names.artifactName);
}
