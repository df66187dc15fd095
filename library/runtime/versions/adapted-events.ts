import { isPrepared, Prepared, Refused, type PreparedEvents } from "../server/prepared.js";

/** Callbacks of {@link AdaptedEvents}. */
export interface AdaptedEventsHooks {
  /**
   * Returns the event, which may be {@link Prepared}, in the form that may be sent. Throws if the
   * event is invalid.
   */
  readonly check: (event: unknown) => unknown;
  /**
   * Converts an event to the other version. `isLast` returns whether the event ends the stream, or
   * `undefined` if this is not known yet. `isLast` is only called if the result of the conversion
   * depends on the end of the stream.
   */
  readonly adapt: (event: unknown, isLast: () => boolean | undefined) => unknown;
}

type Result = IteratorResult<unknown, undefined>;

const end: Result = { done: true, value: undefined };

/** The converted forms of events with many subscribers, by adapter. */
const adaptedEvents = new WeakMap<Prepared, Map<unknown, Prepared>>();

/**
 * The events of a stream, converted to another version. Invalid events become {@link Refused}.
 * Errors of the service are thrown.
 */
export class AdaptedEvents implements PreparedEvents {
  readonly #source: AsyncIterator<unknown, unknown>;
  readonly #prepared: PreparedEvents | undefined;
  readonly #hooks: AdaptedEventsHooks;
  /** Key of the converted form of an event. Streams with the same key share the converted form. */
  readonly #key: unknown;
  /**
   * The next result of the source, if it was requested to determine whether an event is the last
   * event.
   */
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
    const requested = this.#ahead ?? this.#request();
    this.#ahead = undefined;
    const { done, value } = await requested;
    if (done === true) return end;
    const isLast = this.#prepared?.isAtEnd;
    if (isLast !== undefined) return { done: false, value: this.#convert(value, isLast) };
    const converted = this.#convertByNext(value).catch((thrown: unknown) => new Refused(thrown));
    return { done: false, value: await converted };
  }

  takePrepared(): unknown {
    // An event that was requested ahead must be returned first.
    if (this.#ahead !== undefined || this.#prepared?.isAtEnd === undefined) return undefined;
    const event = this.#prepared.takePrepared();
    return event === undefined ? undefined : this.#convert(event, this.#prepared.isAtEnd);
  }

  async return(): Promise<Result> {
    await this.#source.return?.();
    return end;
  }

  #request(): Promise<IteratorResult<unknown, unknown>> {
    return this.#prepared?.nextPrepared() ?? this.#source.next();
  }

  /** Converts an event of a service that reports whether the event is the last event. */
  #convert(given: unknown, isLast: boolean): unknown {
    try {
      return this.#shared(this.#hooks.check(given), isLast);
    } catch (thrown) {
      return new Refused(thrown);
    }
  }

  /** Converts an event. If the event is prepared, streams with the same key share the result. */
  #shared(event: unknown, isLast: boolean): unknown {
    if (!(event instanceof Prepared)) return this.#hooks.adapt(event, () => isLast);
    let forms = adaptedEvents.get(event);
    if (forms === undefined) adaptedEvents.set(event, (forms = new Map<unknown, Prepared>()));
    // The last event of one stream may not be the last event of another stream, so its result is
    // not shared.
    const key = isLast ? undefined : this.#key;
    const known = key === undefined ? undefined : forms.get(key);
    if (known !== undefined) return known;
    const adapted = new Prepared(this.#hooks.adapt(event.value, () => isLast));
    if (key !== undefined) forms.set(key, adapted);
    return adapted;
  }

  /**
   * Converts an event of a service that does not report the end of its stream. If the result
   * depends on the end, requests the next event.
   */
  async #convertByNext(given: unknown): Promise<unknown> {
    const event = this.#hooks.check(given);
    const value = event instanceof Prepared ? event.value : event;
    const end = { matters: false };
    // The first conversion only determines whether the result depends on the end of the stream.
    const adapted = this.#hooks.adapt(value, () => {
      end.matters = true;
      return undefined;
    });
    if (!end.matters) return adapted;
    const ahead = this.#request();
    this.#ahead = ahead;
    // If the next event is not available immediately, do not treat this event as the last event.
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

/** Resolves after all other work that is already ready to run. */
function nextTurn(): Promise<false> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0, false);
  });
}
