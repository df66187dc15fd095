import { Places } from "./places.js";
import { trim } from "./trim.js";

/** Limits of a {@link FairQueue}. */
export interface QueueLimits {
  /** Jobs that run at the same time. */
  readonly parallel: number;
  /** Jobs of one host that run at the same time; a site may run twice as many. */
  readonly parallelPerHost: number;
  /** Jobs that wait. */
  readonly waiting: number;
  /** Bytes of the jobs that wait. */
  readonly waitingBytes: number;
}

/** A job of a {@link FairQueue}. */
export interface QueueJob {
  readonly owner: string;
  /** The group of hosts that `host` belongs to: a registrable domain or a network. */
  readonly site: string;
  readonly host: string;
  readonly bytes: number;
  /** Returns whether the job is too old to be run. */
  isOver(): boolean;
}

/** How a job ended: the host did not respond in time, it did respond, or the job says nothing about the host. */
export type JobEnd = "silent" | "responded" | undefined;

/** Hosts that are remembered for not having responded. */
const maxSilent = 10_000;

/** The waiting jobs of an owner, by site and host. */
type Waiting<Job> = Map<string, Map<string, Job[]>>;

/**
 * Runs jobs by one rule: owner after owner, each job as soon as there is a place for its owner among all places and among
 * those of its site ({@link Places}), and for its host. A host that did not respond to an owner last time has a single
 * place for that owner, and all such hosts share a quarter of the places, so hosts that never respond cannot hold up the
 * other ones.
 */
export class FairQueue<Job extends QueueJob> {
  readonly #limits: QueueLimits;
  readonly #run: (job: Job) => Promise<JobEnd>;
  readonly #onRoom: () => void;
  readonly #all: Places;
  readonly #waiting: Places;
  readonly #waitingBytes: Places;
  readonly #sites = new Map<string, Places>();
  /** Running jobs of each host that has any. */
  readonly #hosts = new Map<string, number>();
  /** Owners and hosts that did not respond to them: one owner must not slow a host down for the other ones. */
  readonly #silent = new Set<string>();
  #silentRunning = 0;
  /** Owners with waiting jobs, in the order of their turns. */
  readonly #owners = new Map<string, Waiting<Job>>();
  readonly #busy = new Set<Promise<void>>();

  /** `run` never rejects. `onRoom` is called when a job has ended. */
  constructor(limits: QueueLimits, run: (job: Job) => Promise<JobEnd>, onRoom: () => void = () => undefined) {
    this.#limits = limits;
    this.#run = run;
    this.#onRoom = onRoom;
    this.#all = new Places(limits.parallel);
    this.#waiting = new Places(limits.waiting);
    this.#waitingBytes = new Places(limits.waitingBytes);
  }

  /**
   * The number of jobs to fetch next; 0 if all places are taken. It exceeds the number of free places if few are free:
   * most of what is fetched may belong to owners at their share, with the jobs of other owners behind.
   */
  get room(): number {
    const { free } = this.#all;
    return free === 0 ? 0 : Math.max(free, Math.ceil(this.#limits.parallel / 4));
  }

  /** Settles when all jobs that run now have ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#busy);
  }

  /** Runs a job or lets it wait. Returns `false` if too many jobs of its owner wait; the job is dropped then. */
  add(job: Job): boolean {
    const { owner, site, host } = job;
    // No waiting job has a place: each one started as soon as it had. So this one overtakes none.
    if (this.#all.hasRoom(owner) && this.#hasRoomAt(site, owner) && this.#isHostFree(owner, host)) {
      this.#start(job);
      return true;
    }
    const { bytes } = job;
    if (!this.#waiting.hasRoom(owner) || !this.#waitingBytes.hasRoom(owner, bytes)) return false;
    this.#waiting.take(owner);
    this.#waitingBytes.take(owner, bytes);
    const sites = getOrAdd(this.#owners, owner, () => new Map<string, Map<string, Job[]>>());
    const hosts = getOrAdd(sites, site, () => new Map<string, Job[]>());
    getOrAdd(hosts, host, () => []).push(job);
    return true;
  }

  /** Drops the jobs that wait. */
  clear(): void {
    this.#owners.clear();
    this.#waiting.clear();
    this.#waitingBytes.clear();
  }

  #hasRoomAt(site: string, owner: string): boolean {
    return this.#sites.get(site)?.hasRoom(owner) ?? true;
  }

  #isHostFree(owner: string, host: string): boolean {
    const running = this.#hosts.get(host) ?? 0;
    if (!this.#isSilent(owner, host)) return running < this.#limits.parallelPerHost;
    return running === 0 && this.#silentRunning < Math.ceil(this.#limits.parallel / 4);
  }

  #start(job: Job): void {
    const { owner, site, host } = job;
    const isSilent = this.#isSilent(owner, host);
    const places = getOrAdd(this.#sites, site, () => new Places(2 * this.#limits.parallelPerHost));
    this.#all.take(owner);
    places.take(owner);
    this.#hosts.set(host, (this.#hosts.get(host) ?? 0) + 1);
    if (isSilent) this.#silentRunning += 1;
    const done = this.#run(job).then((end) => {
      this.#busy.delete(done);
      this.#all.leave(owner);
      places.leave(owner);
      if (places.isUnused) this.#sites.delete(site);
      this.#leaveHost(host);
      if (isSilent) this.#silentRunning -= 1;
      if (end !== undefined) this.#remember(silentKey(owner, host), end);
      this.#fill();
      this.#onRoom();
    });
    this.#busy.add(done);
  }

  #leaveHost(host: string): void {
    const running = (this.#hosts.get(host) ?? 0) - 1;
    if (running > 0) this.#hosts.set(host, running);
    else this.#hosts.delete(host);
  }

  #isSilent(owner: string, host: string): boolean {
    // Most agents have no silent hosts at all.
    return this.#silent.size > 0 && this.#silent.has(silentKey(owner, host));
  }

  #remember(key: string, end: "silent" | "responded"): void {
    this.#silent.delete(key);
    if (end === "responded") return;
    this.#silent.add(key);
    trim(this.#silent, maxSilent);
  }

  /** Starts the waiting jobs that have places now. */
  #fill(): void {
    // An owner whose job starts goes to the end of the map, and so gets its next turn in this same loop.
    for (const [owner, sites] of this.#owners) {
      if (this.#all.free === 0) return;
      const job = this.#all.hasRoom(owner) ? this.#next(owner, sites) : undefined;
      if (job !== undefined) this.#start(job);
      if (job === undefined && sites.size > 0) continue;
      this.#owners.delete(owner);
      if (sites.size > 0) this.#owners.set(owner, sites);
    }
  }

  /** Removes and returns the next job of an owner that has a place, if any. */
  #next(owner: string, sites: Waiting<Job>): Job | undefined {
    for (const [site, hosts] of sites) {
      if (!this.#hasRoomAt(site, owner)) continue;
      const job = this.#nextAt(owner, hosts);
      if (job === undefined && hosts.size > 0) continue;
      // The other sites of the owner have their turn before this one again.
      sites.delete(site);
      if (hosts.size > 0) sites.set(site, hosts);
      if (job !== undefined) return job;
    }
    return undefined;
  }

  #nextAt(owner: string, hosts: Map<string, Job[]>): Job | undefined {
    for (const [host, jobs] of hosts) {
      if (!this.#isHostFree(owner, host)) continue;
      const job = this.#shift(jobs);
      hosts.delete(host);
      if (jobs.length > 0) hosts.set(host, jobs);
      if (job !== undefined) return job;
    }
    return undefined;
  }

  #shift(jobs: Job[]): Job | undefined {
    for (;;) {
      const job = jobs.shift();
      if (job === undefined) return undefined;
      this.#waiting.leave(job.owner);
      this.#waitingBytes.leave(job.owner, job.bytes);
      if (!job.isOver()) return job;
    }
  }
}

/** Returns the key of an owner and a host, which has no space. */
function silentKey(owner: string, host: string): string {
  return `${host} ${owner}`;
}

function getOrAdd<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
