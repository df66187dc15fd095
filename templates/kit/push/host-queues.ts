/** How much goes on at the same time. */
export interface QueueLimits {
  /** Jobs that run at the same time. */
  readonly parallel: number;
  /** Jobs of one host that run at the same time. */
  readonly parallelPerHost: number;
  /** Jobs that wait at most. */
  readonly waiting: number;
}

interface Host<T> {
  running: number;
  readonly waiting: T[];
}

/** Runs jobs, a few of each host at the same time, so that one that does not answer holds up none but its own. */
export class HostQueues<T> {
  readonly #limits: QueueLimits;
  readonly #run: (job: T) => Promise<void>;
  readonly #onRoom: () => void;
  readonly #hosts = new Map<string, Host<T>>();
  readonly #busy = new Set<Promise<void>>();
  #waiting = 0;

  /** `run` never rejects. `onRoom` is called when a job has ended and none of its host waited. */
  constructor(limits: QueueLimits, run: (job: T) => Promise<void>, onRoom: () => void) {
    this.#limits = limits;
    this.#run = run;
    this.#onRoom = onRoom;
  }

  /** How many jobs may be added for now. */
  get room(): number {
    return Math.max(this.#limits.parallel - this.#busy.size, 0);
  }

  /** Settles when nothing runs any more that runs now. */
  async idle(): Promise<void> {
    await Promise.all(this.#busy);
  }

  /** Runs a job, or lets it wait for its host. Returns `false` where too many wait already, and the job is dropped. */
  add(name: string, job: T): boolean {
    const host = this.#hosts.get(name) ?? { running: 0, waiting: [] };
    this.#hosts.set(name, host);
    if (host.running < this.#limits.parallelPerHost) {
      this.#start(name, host, job);
      return true;
    }
    const { waiting } = this.#limits;
    // One host does not take all the places.
    const isFull = this.#waiting >= waiting || host.waiting.length >= waiting / 2;
    if (isFull) return false;
    host.waiting.push(job);
    this.#waiting += 1;
    return true;
  }

  /** Drops the jobs that wait. */
  clear(): void {
    for (const { waiting } of this.#hosts.values()) waiting.length = 0;
    this.#waiting = 0;
  }

  #start(name: string, host: Host<T>, job: T): void {
    host.running += 1;
    const done = this.#run(job).then(() => {
      this.#busy.delete(done);
      host.running -= 1;
      const next = host.waiting.shift();
      if (next !== undefined) {
        this.#waiting -= 1;
        this.#start(name, host, next);
        return;
      }
      if (host.running === 0) this.#hosts.delete(name);
      this.#onRoom();
    });
    this.#busy.add(done);
  }
}
