import type { Message } from "../model.js";
import type { Incoming } from "../turns/incoming.js";
import type { End, Update } from "../turns/updates.js";
import type { Responder } from "./extension.js";

/** Adds the values of extensions to an update from a turn, or to a message. */
export type Stamp = <T extends Update | End | Message>(value: T) => T;

/** Returns whether an extension adds values to messages and artifacts from turns. */
export function isResponder<T extends object>(extension: T): extension is T & Responder {
  return "responds" in extension && extension.responds === true;
}

/**
 * Returns a function that adds the values of the extensions that a caller requests. If the caller
 * does not request an extension with values, returns `undefined`, so that the turn has no overhead.
 * If an extension throws an error, the error is reported and the value is omitted, because a task
 * must not fail for this reason.
 */
export function stampFor(
  responders: readonly Responder[],
  incoming: Incoming,
  report: (error: unknown) => void,
): Stamp | undefined {
  if (responders.length === 0) return undefined;
  const requested = incoming.extensions;
  const active = responders.filter(({ uri }) => requested.includes(uri));
  if (active.length === 0) return undefined;
  return (value) =>
    active.reduce((stamped, extension) => {
      try {
        return extension.stamped(stamped, incoming);
      } catch (error) {
        report(error);
        return stamped;
      }
    }, value);
}
