import { Slots } from "./slots.js";
import { trim } from "./trim.js";

/** Limits of a {@link FairQueue}. */
export interface QueueLimits {
  /** Maximum number of concurrent jobs. */
  readonly parallel: number;
  /** Maximum number of concurrent jobs for one host. For a site, the limit is twice as high. */
  readonly parallelPerHost: number;
  /** Maximum number of waiting jobs. */
  readonly waiting: number;
  /** Maximum size of the waiting jobs in bytes. */
  readonly waitingBytes: number;
}

/** A job of a {@link FairQueue}. */
export interface QueueJob {
  readonly owner: string;
  /** Group of hosts that contains `host`: a registrable domain or a network. */
  readonly site: string;
  readonly host: string;
  readonly bytes: number;
  /** Returns whether the job is too old to run. */
  isOver(): boolean;
}

/** Result of a job: whether the host responded in time; `undefined` if this is unknown. */
export type JobEnd = "silent" | "responded" | undefined;

/** Maximum number of remembered pairs of an owner and a host that did not respond. */
const maxSilent = 10_000;

/** Waiting jobs of an owner, by site and host. */
type Waiting<Job> = Map<string, Map<string, Job[]>>;

/**
 * Runs jobs fairly. Owners take turns. A job starts as soon as its owner has a free slot in the
 * queue and a free slot for the job's site ({@link Slots}), and the host has a free slot. If a host
 * did not respond to an owner last time, the owner has only one slot for that host, and all such
 * hosts share a quarter of the slots. Hosts that never respond therefore cannot delay other hosts.
 */
export class FairQueue<Job extends QueueJob> {
  readonly #limits: QueueLimits;
  readonly #run: (job: Job) => Promise<JobEnd>;
  readonly #onRoom: () => void;
  readonly #all: Slots;
  readonly #waiting: Slots;
  readonly #waitingBytes: Slots;
  readonly #sites = new Map<string, Slots>();
  /** Number of running jobs of each host. */
  readonly #hosts = new Map<string, number>();
  /**
   * Pairs of an owner and a host that did not respond to a job of this owner. The pairs include the
   * owner, so that one owner cannot slow down a host for other owners.
   */
  readonly #silent = new Set<string>();
  #silentRunning = 0;
  /** Owners with waiting jobs, in the order in which they take turns. */
  readonly #owners = new Map<string, Waiting<Job>>();
  readonly #busy = new Set<Promise<void>>();

  /**
   * @param run Runs a job; must never reject.
   * @param onRoom Called when a job has ended.
   */
  constructor(
    limits: QueueLimits,
    run: (job: Job) => Promise<JobEnd>,
    onRoom: () => void = () => undefined,
  ) {
    this.#limits = limits;
    this.#run = run;
    this.#onRoom = onRoom;
    this.#all = new Slots(limits.parallel);
    this.#waiting = new Slots(limits.waiting);
    this.#waitingBytes = new Slots(limits.waitingBytes);
  }

  /**
   * Number of jobs to fetch next, or 0 if no slot is free. It may exceed the number of free slots,
   * because the first jobs may belong to owners that have used up their share.
   */
  get room(): number {
    const { free } = this.#all;
    return free === 0 ? 0 : Math.max(free, Math.ceil(this.#limits.parallel / 4));
  }

  /** Whether a job is running. */
  get isBusy(): boolean {
    return this.#busy.size > 0;
  }

  /** Waits until all running jobs have ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#busy);
  }

  /**
   * Starts or queues a job. Returns `false` and drops the job if its owner has too many waiting
   * jobs.
   */
  add(job: Job): boolean {
    const { owner, site, host } = job;
    // This job does not overtake a waiting job, because a waiting job would already have started if
    // it could use the slot.
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

  /** Drops all waiting jobs. */
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
    // Store the state at the start of the job, because it may change before the job ends, and the
    // counts must match.
    const isSilent = this.#isSilent(owner, host);
    const places = getOrAdd(this.#sites, site, () => new Slots(2 * this.#limits.parallelPerHost));
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
    // Check the size first. Most agents have no silent hosts, so this usually avoids creating a
    // key.
    return this.#silent.size > 0 && this.#silent.has(silentKey(owner, host));
  }

  #remember(key: string, end: "silent" | "responded"): void {
    this.#silent.delete(key);
    if (end === "responded") return;
    this.#silent.add(key);
    trim(this.#silent, maxSilent);
  }

  /** Starts the waiting jobs for which a slot is free. */
  #fill(): void {
    // When a job of an owner starts, the owner moves to the end of the map, so this loop visits the
    // owner again.
    for (const [owner, sites] of this.#owners) {
      if (this.#all.free === 0) return;
      const job = this.#all.hasRoom(owner) ? this.#next(owner, sites) : undefined;
      if (job !== undefined) this.#start(job);
      if (job === undefined && sites.size > 0) continue;
      this.#owners.delete(owner);
      if (sites.size > 0) this.#owners.set(owner, sites);
    }
  }

  /** Removes and returns the owner's next job whose site and host have a free slot, if any. */
  #next(owner: string, sites: Waiting<Job>): Job | undefined {
    for (const [site, hosts] of sites) {
      if (!this.#hasRoomAt(site, owner)) continue;
      const job = this.#nextAt(owner, hosts);
      if (job === undefined && hosts.size > 0) continue;
      // Move the site to the end, so that the owner's other sites come first next time.
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

/**
 * Returns the key for an owner and a host. Keys are unambiguous, because a host does not contain
 * spaces.
 */
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
