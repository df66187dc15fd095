import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { AgentMessage, AgentReport } from "./protocol.js";

/** An agent in a separate process. */
export interface Child {
  readonly url: string;
  readonly grpcUrl: string;
  /** Address of the server for all transports. */
  readonly togetherUrl: string;
  /** Requests the state of the agent, immediately or after idle connections have closed. */
  report(when: "now" | "settle"): Promise<AgentReport>;
  close(): Promise<void>;
}

/** Starts the agent whose program is in a file. Rejects if the process ends before it is ready. */
export async function startChild(program: string): Promise<Child> {
  const child = fork(program, [], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const ready = await next(child, "ready");
  return {
    url: ready.url,
    grpcUrl: ready.grpcUrl,
    togetherUrl: ready.togetherUrl,
    async report(when) {
      const answer = next(child, "report");
      child.send(when);
      return (await answer).report;
    },
    async close() {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

type Told<Kind extends AgentMessage["kind"]> = Extract<AgentMessage, { readonly kind: Kind }>;

function next<Kind extends AgentMessage["kind"]>(
  child: ChildProcess,
  kind: Kind,
): Promise<Told<Kind>> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) =>
      reject(new Error(`the agent ended with ${String(code)}`));
    const onMessage = (message: AgentMessage) => {
      if (message.kind !== kind) return;
      child.off("exit", onExit).off("message", onMessage);
      resolve(message as Told<Kind>);
    };
    child.once("exit", onExit).on("message", onMessage);
  });
}
