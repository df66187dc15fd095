import { setTimeout as pause } from "node:timers/promises";
import type { Random } from "../support/random/random.js";
import type { Cluster } from "./cluster.js";
import type { Engine } from "./engines/engine.js";
import type { History } from "./history.js";
import { clock } from "./protocol.js";

/** What goes wrong, and how often it did. */
export interface FaultCounts {
  kills: number;
  shutdowns: number;
  hangs: number;
  cuts: number;
  restarts: number;
}

/** How often something goes wrong. */
const everyMs = 2_000;

/** Has things go wrong as long as there is work. */
export class Faults {
  readonly counts: FaultCounts = { kills: 0, shutdowns: 0, hangs: 0, cuts: 0, restarts: 0 };
  readonly #cluster: Cluster;
  readonly #engine: Engine;
  readonly #history: History;
  readonly #random: Random;
  readonly #leaseMs: number;
  readonly #rounds: number;
  readonly #hangs: number;
  readonly #hanging = new Set<Promise<void>>();

  constructor(
    cluster: Cluster,
    engine: Engine,
    history: History,
    random: Random,
    { lease, rounds, hangs }: { readonly lease: number; readonly rounds: number; readonly hangs: number },
  ) {
    this.#cluster = cluster;
    this.#rounds = rounds;
    this.#hangs = hangs;
    this.#engine = engine;
    this.#history = history;
    this.#random = random;
    this.#leaseMs = lease;
  }

  /** Goes on for some rounds, or until the work is done, of which `progress` returns how much is, from 0 to 1. */
  async run(progress: () => number): Promise<void> {
    for (let round = 1; progress() < 1 && round <= this.#rounds; round += 1) {
      await pause(everyMs);
      if (progress() >= 1) break;
      if (this.#engine.restart !== undefined && progress() > (this.counts.restarts + 1) / 3 && this.counts.restarts < 2)
        await this.#restart();
      await this.#end(round % 4 === 0 ? "close" : "kill");
      if (round % 2 === 0) for (let count = 0; count < this.#hangs; count += 1) this.#hang();
      if (round % 3 === 0) this.#cut();
    }
    await Promise.all(this.#hanging);
  }

  async #end(how: "kill" | "close"): Promise<void> {
    const member = this.#cluster.any();
    if (member.isStopped) return;
    this.counts[how === "kill" ? "kills" : "shutdowns"] += 1;
    await Promise.all([this.#cluster.end(member, how), this.#cluster.add()]);
  }

  #hang(): void {
    // Somebody has to be there who takes tasks over.
    if (this.#cluster.members.filter(({ isStopped }) => !isStopped).length < 3) return;
    const member = this.#cluster.any();
    this.counts.hangs += 1;
    const hanging = this.#cluster.hang(member, this.#random.below(2 * this.#leaseMs));
    this.#hanging.add(hanging);
    void hanging.finally(() => this.#hanging.delete(hanging));
  }

  #cut(): void {
    if (this.#engine.cut === undefined) return;
    this.counts.cuts += 1;
    this.#engine.cut();
  }

  async #restart(): Promise<void> {
    const from = clock();
    await this.#engine.restart?.(this.counts.restarts % 2 === 0 ? "crash" : "orderly");
    this.#history.outages.push({ from, to: clock() });
    this.counts.restarts += 1;
  }
}
