import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type A2AClient, connect } from "../../generated/1.1-draft/index.js";
import type { Random } from "../support/random/random.js";
import type { History } from "./history.js";
import { type AgentSetting, clock, type Told } from "./protocol.js";

/** A process of the agent. */
export interface Member {
  readonly child: ChildProcess;
  readonly client: A2AClient;
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
    const url = await new Promise<string>((resolve, reject) => {
      child.once("exit", (code) => {
        reject(new Error(`An agent has ended with ${String(code)}`));
      });
      child.on("message", (told: Told) => {
        if (told.kind === "ready") resolve(told.url);
        else this.#history.told(told, child.pid ?? 0, working);
      });
    });
    const member: Member = { child, client: await connect(url), working, isStopped: false };
    child.once("exit", (code) => {
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
    const { child, client, working } = member;
    const ended = once(child, "exit");
    if (how === "kill") {
      this.#history.killed(child.pid ?? 0, [...working], clock());
      child.kill("SIGKILL");
    } else child.send("close");
    client.close();
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
