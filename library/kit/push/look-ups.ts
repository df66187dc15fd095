import { openScope } from "../../runtime/client/scope.js";
import { within } from "../timer.js";
import { FairQueue, type JobEnd, type QueueJob } from "./fair-queue.js";
import type { Address, NodeResolver, NodeModules } from "./node-modules.js";
import { LookupError } from "./push-transport.js";
import { siteOf } from "./sites.js";
import { trim } from "./trim.js";

/** Time-out of a query, number of attempts of a query, and time-out of a whole look-up. */
const queryMs = 2_000;
const tries = 2;
const lookupMs = 5_000;

/**
 * Time in milliseconds to wait for the addresses of the second family after the addresses of the
 * first family have arrived.
 */
const otherFamilyMs = 250;

/**
 * Pause after the first failed look-up of a name, and the maximum pause. The pause doubles with
 * each further failure.
 */
const firstPauseMs = 10_000;
const maxPauseMs = 300_000;

/** Maximum number of names whose failure is remembered, and maximum number of waiting look-ups. */
const maxFailed = 1_000;
const maxWaiting = 1_000;

/** End and length of a pause, in milliseconds. */
interface Pause {
  readonly until: number;
  readonly ms: number;
}

/** A look-up, with the callbacks of its promise. */
class LookUp implements QueueJob {
  readonly owner: string;
  readonly host: string;
  readonly site: string;
  readonly bytes = 0;
  readonly signal: AbortSignal;
  readonly resolve: (addresses: readonly Address[]) => void;
  readonly reject: (error: Error) => void;

  constructor(
    name: string,
    { owner, signal }: LookUpCaller,
    resolve: LookUp["resolve"],
    reject: LookUp["reject"],
  ) {
    this.owner = owner;
    this.host = name;
    this.site = siteOf(name);
    this.signal = signal;
    this.resolve = resolve;
    this.reject = reject;
  }

  isOver(): boolean {
    return this.signal.aborted;
  }
}

/** Owner of a look-up, and the signal that ends it. */
export interface LookUpCaller {
  readonly owner: string;
  readonly signal: AbortSignal;
}

/**
 * Looks up the names of webhooks with a separate resolver. `lookup` of `node:dns` only runs two
 * look-ups at a time for the whole process, and these look-ups cannot be canceled. A few names with
 * unresponsive name servers would therefore block all other look-ups, for example for database
 * connections.
 */
export class LookUps {
  readonly #Resolver: NodeModules["Resolver"];
  readonly #queue: FairQueue<LookUp>;
  readonly #failed = new Map<string, Pause>();

  constructor(Resolver: NodeModules["Resolver"], parallel: number) {
    this.#Resolver = Resolver;
    const limits = { parallel, parallelPerHost: 2, waiting: maxWaiting, waitingBytes: 0 };
    this.#queue = new FairQueue(limits, (look) => this.#run(look));
  }

  /**
   * Returns the addresses of a name. Never settles if the signal aborts while the look-up is
   * waiting.
   * @throws A {@link LookupError} if the name has no addresses or has failed recently, or if too
   *   many look-ups are waiting.
   */
  find(name: string, caller: LookUpCaller): Promise<readonly Address[]> {
    const error = this.#pauseOf(name);
    if (error !== undefined) return Promise.reject(error);
    return new Promise((resolve, reject) => {
      if (!this.#queue.add(new LookUp(name, caller, resolve, reject)))
        reject(
          new LookupError(name, 0, "was refused, because too many other look-ups are waiting"),
        );
    });
  }

  async #run({ host, signal, resolve, reject }: LookUp): Promise<JobEnd> {
    // The name may have failed while this look-up was waiting.
    const error = this.#pauseOf(host);
    if (error !== undefined) {
      reject(error);
      return undefined;
    }
    const scope = openScope(signal, lookupMs);
    const resolver = new this.#Resolver({ timeout: queryMs, tries });
    try {
      resolve(await scope.race(addressesOf(resolver, host)));
      this.#failed.delete(host);
      return "responded";
    } catch (cause) {
      // If the post ended before the look-up, the failure was not caused by the name.
      if (signal.aborted) {
        reject(new LookupError(host, 0, "was aborted", { cause }));
        return undefined;
      }
      reject(new LookupError(host, this.#pause(host), "failed", { cause }));
      return "silent";
    } finally {
      scope.end();
      cancel(resolver);
    }
  }

  #pauseOf(name: string): LookupError | undefined {
    const ms = (this.#failed.get(name)?.until ?? 0) - performance.now();
    return ms > 0 ? new LookupError(name, ms, "failed recently") : undefined;
  }

  /** Begins a pause for a name, and returns the length of the pause in milliseconds. */
  #pause(name: string): number {
    const ms = Math.min(2 * (this.#failed.get(name)?.ms ?? firstPauseMs / 2), maxPauseMs);
    this.#failed.delete(name);
    this.#failed.set(name, { until: performance.now() + ms, ms });
    trim(this.#failed, maxFailed);
    return ms;
  }
}

/**
 * Returns the addresses of both families, IPv4 first.
 * @throws If the name has no addresses.
 */
async function addressesOf(resolver: NodeResolver, name: string): Promise<Address[]> {
  const found: Address[] = [];
  const collect = (family: number) => (addresses: readonly string[]) => {
    for (const address of addresses) found.push({ address, family });
  };
  const families = [
    resolver.resolve4(name).then(collect(4)),
    resolver.resolve6(name).then(collect(6)),
  ];
  await Promise.any(families);
  // Some name servers never respond to queries for one of the address families.
  await within(Promise.allSettled(families), otherFamilyMs);
  return found.sort((first, second) => first.family - second.family);
}

/** Cancels the queries of a resolver. On some platforms the method exists, but throws. */
function cancel(resolver: NodeResolver): void {
  try {
    resolver.cancel();
  } catch {
    // The queries still end with their own time-out.
  }
}
