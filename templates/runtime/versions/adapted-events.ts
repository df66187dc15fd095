import { isPrepared, Prepared, Refused, type PreparedEvents } from "../server/prepared.js";

/** What {@link AdaptedEvents} does with what it gets. */
export interface AdaptedEventsHooks {
  /** Returns the event, which may be {@link Prepared}, as it may be sent; throws where it may not. */
  readonly check: (event: unknown) => unknown;
  /**
   * Returns an event as callers of the other version read it. `isLast` says whether it ends the stream, and is only
   * called where that matters; it returns `undefined` as long as nobody knows.
   */
  readonly adapt: (event: unknown, isLast: () => boolean | undefined) => unknown;
}

type Result = IteratorResult<unknown, undefined>;

const end: Result = { done: true, value: undefined };

/** What events that many get are for callers of another version, by how they are adapted. */
const adaptedEvents = new WeakMap<Prepared, Map<unknown, Prepared>>();

/**
 * The events of a stream as callers of another version read them, or {@link Refused} for those that may not be sent. What
 * the service throws is thrown.
 */
export class AdaptedEvents implements PreparedEvents {
  readonly #source: AsyncIterator<unknown, unknown>;
  readonly #prepared: PreparedEvents | undefined;
  readonly #hooks: AdaptedEventsHooks;
  /** Tells events apart that are adapted in the same way for several streams. */
  readonly #key: unknown;
  #ahead: Promise<IteratorResult<unknown, unknown>> | undefined;

  constructor(source: AsyncIterator<unknown, unknown>, key: unknown, hooks: AdaptedEventsHooks) {
    this.#source = source;
    this.#prepared = isPrepared(source) ? source : undefined;
    this.#key = key;
    this.#hooks = hooks;
  }

  next(): Promise<Result> {
    return this.nextPrepared();
  }

  async nextPrepared(): Promise<Result> {
    const asked = this.#ahead ?? this.#ask();
    this.#ahead = undefined;
    const { done, value } = await asked;
    if (done === true) return end;
    const known = this.#prepared?.isAtEnd;
    if (known !== undefined) return { done: false, value: this.#known(value, known) };
    return { done: false, value: await this.#awaited(value).catch((thrown: unknown) => new Refused(thrown)) };
  }

  takePrepared(): unknown {
    const known = this.#ahead === undefined ? this.#prepared?.isAtEnd : undefined;
    if (known === undefined) return undefined;
    const event = this.#prepared?.takePrepared();
    return event === undefined ? undefined : this.#known(event, this.#prepared?.isAtEnd === true);
  }

  async return(): Promise<Result> {
    await this.#source.return?.();
    return end;
  }

  #ask(): Promise<IteratorResult<unknown, unknown>> {
    return this.#prepared?.nextPrepared() ?? this.#source.next();
  }

  /** Adapts an event of a service that says whether it is the last one. */
  #known(given: unknown, isLast: boolean): unknown {
    try {
      return this.#shared(this.#hooks.check(given), isLast);
    } catch (thrown) {
      return new Refused(thrown);
    }
  }

  /** Adapts an event that other streams may have, too. */
  #shared(event: unknown, isLast: boolean): unknown {
    if (!(event instanceof Prepared)) return this.#hooks.adapt(event, () => isLast);
    let forms = adaptedEvents.get(event);
    if (forms === undefined) adaptedEvents.set(event, (forms = new Map<unknown, Prepared>()));
    // An event that ends one stream may go on in another.
    const key = isLast ? undefined : this.#key;
    const known = key === undefined ? undefined : forms.get(key);
    if (known !== undefined) return known;
    const adapted = new Prepared(this.#hooks.adapt(event.value, () => isLast));
    if (key !== undefined) forms.set(key, adapted);
    return adapted;
  }

  /** Adapts an event of a service that does not say when it ends: where that matters, it is asked for the next one. */
  async #awaited(given: unknown): Promise<unknown> {
    const event = this.#hooks.check(given);
    const value = event instanceof Prepared ? event.value : event;
    const end = { matters: false };
    const adapted = this.#hooks.adapt(value, () => {
      end.matters = true;
      return undefined;
    });
    if (!end.matters) return adapted;
    const ahead = this.#ask();
    this.#ahead = ahead;
    const isLast = await Promise.race([
      ahead.then(
        ({ done }) => done === true,
        () => false,
      ),
      nextTurn(),
    ]);
    return this.#hooks.adapt(value, () => isLast);
  }
}

/** Resolves once everything has run that could do so at once. */
function nextTurn(): Promise<false> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0, false);
  });
}
