import type { Claim, Claimed, TaskStore, UnreadableTaskError } from "../../kit/store.js";
import { Lane, lateError, type Reply } from "./lane.js";
import type { Member } from "./member.js";

/** Part of a lease for which a call waits for a store. */
const timeoutPart = 1 / 6;

/** Returns the time in milliseconds to wait for a store. */
export function timeoutOf({ ttlMs }: Claim): number {
  // Leases with the duration 0 are released, which the caller limits itself.
  return ttlMs === 0 ? Infinity : ttlMs * timeoutPart;
}

/** Claims rows of one store. */
type ClaimCall<Row> = (
  store: TaskStore,
  limit: number,
  everyMs: number | undefined,
) => Promise<Claimed<Row>>;

/** A row with the start of its lease, if the lease began before the call that returns the row. */
interface Timed {
  readonly since?: number;
}

/** Claims rows of several stores, so that each store gets an equal part of the limit. */
export class ShardClaims<Row extends Timed> {
  readonly #lanes: readonly ClaimLane<Row>[];
  readonly #check: (row: Row, member: Member) => void;
  #turn = 0;

  /**
   * Creates the claims of one kind.
   * @param check Throws an error if the store of a member must not contain a row.
   * @param onLate Called when a store responds after a claim has ended without its rows.
   */
  constructor(
    members: readonly Member[],
    check: (row: Row, member: Member) => void,
    onLate?: () => void,
  ) {
    this.#check = check;
    this.#lanes = members.map((member) => ({
      lane: new Lane<Claimed<Row>>(member, onLate),
      searchAt: -Infinity,
      waiting: [],
    }));
  }

  /**
   * Claims at most `limit` rows. Rejects if all stores fail.
   * @param everyMs Interval at which the process repeats its routine search.
   */
  async claim(
    claim: Claim,
    limit: number,
    call: ClaimCall<Row>,
    everyMs?: number,
  ): Promise<Claimed<Row>> {
    const now = performance.now();
    const found = new Found<Row>(limit, claim.ttlMs);
    for (const lane of this.#lanes) found.addKept(lane);
    const isDue = ({ searchAt }: ClaimLane<Row>): boolean =>
      everyMs === undefined || searchAt <= now;
    let open = this.#inTurn().filter((lane) => isDue(lane) && !found.skip(lane));
    const searched = new Set<ClaimLane<Row>>();
    while (found.room > 0 && open.length > 0) {
      const asked = open.slice(0, found.room);
      const share = Math.floor(found.room / asked.length);
      const timeoutMs = timeoutOf(claim);
      const replies = await Promise.all(
        asked.map((lane) => {
          const { member } = lane.lane;
          // Further calls continue the search.
          const pace = searched.has(lane) ? undefined : everyMs;
          searched.add(lane);
          return lane.lane.ask(async () => {
            const claimed = await member.call((store) => call(store, share, pace));
            for (const row of claimed.rows) this.#check(row, member);
            return claimed;
          }, timeoutMs);
        }),
      );
      const again = asked.filter((lane, at) => {
        const reply = replies.at(at);
        return reply !== undefined && found.add(lane, reply, share);
      });
      open = [...open.slice(asked.length), ...again];
    }
    return found.result(open.length > 0, this.#againIn(everyMs));
  }

  /** Returns the lanes. Each call begins with another lane, because a limit may be small. */
  #inTurn(): ClaimLane<Row>[] {
    this.#turn = (this.#turn + 1) % this.#lanes.length;
    return [...this.#lanes.slice(this.#turn), ...this.#lanes.slice(0, this.#turn)];
  }

  /** Returns the time until the first store expects the next routine search, if all of them do. */
  #againIn(everyMs: number | undefined): number | undefined {
    if (everyMs === undefined) return undefined;
    const now = performance.now();
    let first = Infinity;
    for (const { searchAt } of this.#lanes) first = Math.min(first, searchAt);
    return first > now + everyMs ? first - now : undefined;
  }
}

interface ClaimLane<Row> {
  readonly lane: Lane<Claimed<Row>>;
  /** Time of the next routine search, by the clock of `performance`. */
  searchAt: number;
  /** Rows of late responses for which a claim had no room. */
  waiting: Row[];
}

/** The result of a claim, while it is collected. */
class Found<Row extends Timed> {
  readonly #rows: Row[] = [];
  readonly #unreadable: UnreadableTaskError[] = [];
  readonly #errors: Error[] = [];
  readonly #ttlMs: number;
  #failure: Error | undefined;
  #hasResponse = false;
  #hasMore = false;
  /** Number of rows that may still be added. */
  room: number;

  constructor(limit: number, ttlMs: number) {
    this.room = limit;
    this.#ttlMs = ttlMs;
  }

  /** Adds the rows of a response that was too late for an earlier claim. */
  addKept(lane: ClaimLane<Row>): void {
    const kept = lane.lane.takeKept();
    if (kept?.outcome === "done") {
      this.#take(lane, kept.value);
      for (const row of kept.value.rows) lane.waiting.push({ ...row, since: kept.since });
    } else if (kept !== undefined) this.#fail(lane, kept);
    // Expired leases may already belong to another process.
    const oldest = performance.now() - this.#ttlMs;
    lane.waiting = lane.waiting.filter(({ since = oldest }) => since > oldest);
    const taken = lane.waiting.splice(0, Math.max(0, this.room));
    for (const row of taken) this.#rows.push(row);
    this.room -= taken.length;
    this.#hasMore ||= lane.waiting.length > 0;
  }

  /** Returns whether a store must not be called, because it has not responded to the last call. */
  skip(lane: ClaimLane<Row>): boolean {
    if (!lane.lane.isBusy) return false;
    this.#fail(lane, { outcome: "late" });
    return true;
  }

  /**
   * Adds the response to a call for at most `share` rows. Returns whether to call the store again:
   * it may have more rows, and the response was not limited by the size of its rows.
   */
  add(lane: ClaimLane<Row>, reply: Reply<Claimed<Row>>, share: number): boolean {
    if (reply.outcome !== "done") {
      this.#fail(lane, reply);
      return false;
    }
    const { rows, unreadable, hasMore } = reply.value;
    this.#take(lane, reply.value);
    for (const row of rows) this.#rows.push(row);
    const count = rows.length + unreadable.length;
    this.room -= count;
    if (!hasMore || count >= share) return hasMore;
    this.#hasMore = true;
    return false;
  }

  /** Takes the members of a response, except its rows. */
  #take(lane: ClaimLane<Row>, { unreadable, errors = [], againInMs }: Claimed<Row>): void {
    this.#hasResponse = true;
    for (const error of unreadable) this.#unreadable.push(error);
    for (const error of errors) this.#errors.push(error);
    lane.searchAt = againInMs === undefined ? -Infinity : performance.now() + againInMs;
  }

  #fail({ lane }: ClaimLane<Row>, reply: Exclude<Reply<unknown>, { outcome: "done" }>): void {
    const error = reply.outcome === "late" ? lateError(lane.member.name) : reply.error;
    // A store that only responds late is not a reason to reject, because it may have claimed rows.
    if (reply.outcome === "failed") this.#failure ??= error;
    else this.#hasResponse = true;
    if (lane.mayReport(this.#ttlMs)) this.#errors.push(error);
  }

  /** @throws The error of a store if no store has responded. */
  result(isOpen: boolean, againInMs: number | undefined): Claimed<Row> {
    if (!this.#hasResponse && this.#failure !== undefined) throw this.#failure;
    return {
      rows: this.#rows,
      unreadable: this.#unreadable,
      hasMore: this.#hasMore || isOpen,
      ...(this.#errors.length > 0 && { errors: this.#errors }),
      ...(againInMs !== undefined && { againInMs }),
    };
  }
}
