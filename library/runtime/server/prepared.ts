/** An event for many subscribers, whose JSON is written only once. */
export class Prepared {
  readonly value: unknown;
  /** Whether the event has been checked and may be sent. */
  isAccepted = false;
  #json: string | undefined;

  constructor(value: unknown) {
    this.value = value;
  }

  get json(): string {
    return (this.#json ??= written(this.value));
  }
}

/** Replacement for an invalid event, with the reason why the event is invalid. */
export class Refused {
  readonly reason: unknown;

  constructor(reason: unknown) {
    this.reason = reason;
  }
}

/** Events of a service, some of which may be available before they are requested. */
export interface PreparedEvents extends AsyncIterator<unknown, unknown> {
  /** Like `next`, but the event may be {@link Prepared}. */
  nextPrepared(): Promise<IteratorResult<unknown, unknown>>;
  /** Whether the event that was returned last ends the stream. Absent if this is unknown. */
  readonly isAtEnd?: boolean;
  /** Returns the next event if it is available. Otherwise, returns `undefined`. */
  takePrepared(): unknown;
}

/** Returns whether events are {@link PreparedEvents}. */
export function isPrepared(events: AsyncIterator<unknown, unknown>): events is PreparedEvents {
  return "takePrepared" in events;
}

/** Returns the value of an event that may be {@link Prepared}. */
export function preparedValue(value: unknown): unknown {
  return value instanceof Prepared ? value.value : value;
}

/**
 * Returns the JSON of a value that may be {@link Prepared}. Throws if JSON cannot represent the
 * value.
 */
export function jsonOf(value: unknown): string {
  return value instanceof Prepared ? value.json : written(value);
}

function written(value: unknown): string {
  const json: unknown = JSON.stringify(value);
  if (typeof json === "string") return json;
  throw new TypeError("JSON cannot represent the value");
}
