import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type A2AClient, connect } from "../../generated/1.1-draft/index.js";
import type { Random } from "../support/random/random.js";
import type { History } from "./history.js";
import {
  type AgentSetting,
  clock,
  ownerHeader,
  owners,
  type Told,
  type WakeCall,
} from "./protocol.js";

/** A process of the agent. */
export interface Member {
  readonly child: ChildProcess;
  /** The client of each owner. */
  readonly clients: ReadonlyMap<string, A2AClient>;
  /** Waiting requests to wake tasks, by their numbers. */
  readonly wakes: Map<number, (error?: string) => void>;
  /** The tasks whose turns it has begun and not ended. */
  readonly working: Set<string>;
  isStopped: boolean;
}

/** The processes of an agent. Clients choose one for each call. */
export class Cluster {
  readonly #setting: AgentSetting;
  readonly #history: History;
  readonly #random: Random;
  members: readonly Member[] = [];
  #isClosing = false;
  #calls = 0;

  constructor(setting: AgentSetting, history: History, random: Random) {
    this.#setting = setting;
    this.#history = history;
    this.#random = random;
  }

  /** Starts a process; resolves when it takes calls. */
  async add(): Promise<Member> {
    const program = fileURLToPath(new URL("agent.js", import.meta.url));
    // Clocks of processes do not matter, so some are seconds ahead or behind.
    const setting = { ...this.#setting, skewMs: this.#random.below(7) * 1_000 - 3_000 };
    const child = fork(program, [JSON.stringify(setting)], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const working = new Set<string>();
    const wakes: Member["wakes"] = new Map();
    const url = await new Promise<string>((resolve, reject) => {
      child.once("exit", (code) => {
        reject(new Error(`An agent has ended with ${String(code)}`));
      });
      child.on("message", (told: Told) => {
        if (told.kind === "ready") resolve(told.url);
        else if (told.kind === "woken") wakes.get(told.call)?.(told.error);
        else this.#history.told(told, child.pid ?? 0, working);
      });
    });
    const clients = new Map<string, A2AClient>();
    for (const owner of owners)
      clients.set(owner, await connect(url, { headers: { [ownerHeader]: owner } }));
    const member: Member = { child, clients, wakes, working, isStopped: false };
    child.once("exit", (code) => {
      for (const end of wakes.values()) end("The process has ended");
      if (this.members.includes(member) && !this.#isClosing)
        this.#history.problem(`an agent ended by itself, with ${String(code)}`);
    });
    this.members = [...this.members, member];
    return member;
  }

  /** One of the processes. */
  any(): Member {
    const awake = this.members.filter(({ isStopped }) => !isStopped);
    return this.#random.pick(awake.length === 0 ? this.members : awake);
  }

  /** The client of an owner for one of the processes. */
  client(owner: string): A2AClient {
    return clientOf(this.any(), owner);
  }

  /** Wakes a task through one of the processes. Rejects if the process does not accept it. */
  async wake(task: string, owner: string, payload: number): Promise<void> {
    const { child, wakes } = this.any();
    const request: WakeCall = { call: (this.#calls += 1), task, owner, payload };
    const error = await new Promise<string | undefined>((resolve) => {
      wakes.set(request.call, resolve);
      if (child.exitCode !== null || child.signalCode !== null) resolve("The process has ended");
      else
        child.send(request, (failure) => {
          if (failure !== null) resolve(failure.message);
        });
    });
    wakes.delete(request.call);
    if (error !== undefined) throw new Error(error);
  }

  /** Returns a running process that has a turn, if any. */
  busy(): Member | undefined {
    const busy = this.members.filter(({ isStopped, working }) => !isStopped && working.size > 0);
    return busy.length === 0 ? undefined : this.#random.pick(busy);
  }

  /** Another process than the process with this number, if available. */
  other(pid: number): Member {
    const others = this.members.filter(({ child }) => child.pid !== pid);
    return this.#random.pick(others.length === 0 ? this.members : others);
  }

  /** Stops a process, with or without a graceful shutdown. */
  async end(member: Member, how: "kill" | "close"): Promise<void> {
    this.members = this.members.filter((other) => other !== member);
    const { child, clients, working } = member;
    const ended = once(child, "exit");
    if (how === "kill") {
      this.#history.killed(child.pid ?? 0, [...working], clock());
      child.kill("SIGKILL");
    } else child.send("close");
    for (const client of clients.values()) client.close();
    await ended;
  }

  /** Suspends a process for some time. */
  async hang(member: Member, ms: number): Promise<void> {
    member.isStopped = true;
    const from = clock();
    member.child.kill("SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, ms));
    member.child.kill("SIGCONT");
    member.isStopped = false;
    this.#history.hung(member.child.pid ?? 0, from, clock());
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.members.map((member) => this.end(member, "close")));
  }
}

/** Returns the client of an owner for a process. */
export function clientOf({ clients }: Member, owner: string): A2AClient {
  const client = clients.get(owner);
  if (client === undefined) throw new Error(`No client for the owner ${owner}`);
  return client;
}
