import { setTimeout as pause } from "node:timers/promises";
import type { Random } from "../support/random/random.js";
import type { Cluster, Member } from "./cluster.js";
import type { Engine } from "./engines/engine.js";
import type { History } from "./history.js";
import { clock } from "./protocol.js";

/** The faults and how often they occurred. */
export interface FaultCounts {
  kills: number;
  shutdowns: number;
  hangs: number;
  cuts: number;
  wires: number;
  restarts: number;
}

/** How much goes wrong. */
export interface FaultOptions {
  readonly lease: number;
  readonly rounds: number;
  /** Milliseconds between two rounds. */
  readonly every: number;
  readonly hangs: number;
  /**
   * Whether responses of the engine are swallowed, late, or followed by silence, and connections
   * refused.
   */
  readonly wire: boolean;
}

/** Has things go wrong as long as there is work. */
export class Faults {
  readonly counts: FaultCounts = {
    kills: 0,
    shutdowns: 0,
    hangs: 0,
    cuts: 0,
    wires: 0,
    restarts: 0,
  };
  readonly #cluster: Cluster;
  readonly #engine: Engine;
  readonly #history: History;
  readonly #random: Random;
  readonly #leaseMs: number;
  readonly #rounds: number;
  readonly #everyMs: number;
  readonly #hangs: number;
  readonly #harms: boolean;
  readonly #hanging = new Set<Promise<void>>();
  #isHarmed = false;

  constructor(
    cluster: Cluster,
    engine: Engine,
    history: History,
    random: Random,
    { lease, rounds, every, hangs, wire }: FaultOptions,
  ) {
    this.#cluster = cluster;
    this.#rounds = rounds;
    this.#everyMs = every;
    this.#hangs = hangs;
    this.#harms = wire;
    this.#engine = engine;
    this.#history = history;
    this.#random = random;
    this.#leaseMs = lease;
  }

  /**
   * Causes faults for some rounds, or until the work is done. `progress` returns the finished
   * share, from 0 to 1.
   */
  async run(progress: () => number): Promise<void> {
    for (let round = 1; progress() < 1 && round <= this.#rounds; round += 1) {
      await pause(this.#everyMs);
      if (progress() >= 1) break;
      if (
        this.#engine.restart !== undefined &&
        progress() > (this.counts.restarts + 1) / 3 &&
        this.counts.restarts < 2
      )
        await this.#restart();
      if (round % 4 === 0) await this.#end(this.#cluster.any(), "close");
      else await this.#end(await this.#busy(progress), "kill");
      if (round % 2 === 0) for (let count = 0; count < this.#hangs; count += 1) this.#hang();
      if (round % 3 === 0) this.#cut();
      if (this.#harms && round % 2 === 1) this.#later(this.#harm());
    }
    await Promise.all(this.#hanging);
  }

  /**
   * Waits for a process with a turn, because only such a process leaves a task behind that others
   * must resume.
   */
  async #busy(progress: () => number): Promise<Member | undefined> {
    for (;;) {
      const member = this.#cluster.busy();
      if (member !== undefined || progress() >= 1) return member;
      await pause(1);
    }
  }

  async #end(member: Member | undefined, how: "kill" | "close"): Promise<void> {
    if (member === undefined || member.isStopped) return;
    this.counts[how === "kill" ? "kills" : "shutdowns"] += 1;
    await Promise.all([this.#cluster.end(member, how), this.#cluster.add()]);
  }

  #hang(): void {
    // At least one other process must be available to claim tasks.
    if (this.#cluster.members.filter(({ isStopped }) => !isStopped).length < 3) return;
    const member = this.#cluster.any();
    this.counts.hangs += 1;
    this.#later(this.#cluster.hang(member, this.#random.below(2 * this.#leaseMs)));
  }

  #later(fault: Promise<void>): void {
    this.#hanging.add(fault);
    void fault.finally(() => this.#hanging.delete(fault));
  }

  /** Harms the connections to the engine for a while: the engine is then as good as away. */
  async #harm(): Promise<void> {
    const { proxy } = this.#engine;
    if (proxy === undefined || this.#isHarmed) return;
    this.#isHarmed = true;
    this.counts.wires += 1;
    const [from, ms] = [clock(), this.#random.below(this.#leaseMs)];
    const what = this.#random.pick(["cut", "reset", "silence", "delay", "refuse"] as const);
    if (what === "refuse") await proxy.refuse(ms);
    else {
      if (what === "delay") proxy.delay(ms / 4);
      else void proxy.swallow(what);
      await pause(ms);
      proxy.mend();
    }
    this.#history.outages.push({ from, to: clock() });
    this.#isHarmed = false;
  }

  #cut(): void {
    if (this.#engine.proxy === undefined) return;
    this.counts.cuts += 1;
    this.#engine.proxy.cut();
  }

  async #restart(): Promise<void> {
    const from = clock();
    await this.#engine.restart?.(this.counts.restarts % 2 === 0 ? "crash" : "orderly");
    this.#history.outages.push({ from, to: clock() });
    this.counts.restarts += 1;
  }
}
