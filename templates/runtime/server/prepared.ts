/** A value that may be sent to many: its JSON is written once. */
export class Prepared {
  readonly value: unknown;
  /** Whether it has been found to be an event that may be sent. */
  isAccepted = false;
  #json: string | undefined;

  constructor(value: unknown) {
    this.value = value;
  }

  get json(): string {
    return (this.#json ??= written(this.value));
  }
}

/** Stands for an event that may not be sent, and says why. */
export class Refused {
  readonly reason: unknown;

  constructor(reason: unknown) {
    this.reason = reason;
  }
}

/** Events of a service that may be there before somebody asks for them. */
export interface PreparedEvents extends AsyncIterator<unknown, unknown> {
  /** As `next`, but with an event that may be {@link Prepared}. */
  nextPrepared(): Promise<IteratorResult<unknown, unknown>>;
  /** Whether nothing comes after what has been taken; absent where nobody knows. */
  readonly isAtEnd?: boolean;
  /** Returns the next event if it is there, and `undefined` otherwise. */
  takePrepared(): unknown;
}

/** Whether events are {@link PreparedEvents}. */
export function isPrepared(events: AsyncIterator<unknown, unknown>): events is PreparedEvents {
  return "takePrepared" in events;
}

/** Returns the value of something that may be {@link Prepared}. */
export function preparedValue(value: unknown): unknown {
  return value instanceof Prepared ? value.value : value;
}

/** Returns the JSON of a value that may be {@link Prepared}. Throws what `JSON.stringify` throws, and for no JSON. */
export function jsonOf(value: unknown): string {
  return value instanceof Prepared ? value.json : written(value);
}

function written(value: unknown): string {
  const json: unknown = JSON.stringify(value);
  if (typeof json === "string") return json;
  throw new TypeError("JSON has nothing for such a value");
}
