import { isObject } from "../../../runtime/base/json.js";

/** Returns a member of a value, and of its members in turn; `undefined` where one is missing. */
function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((found, name) => (isObject(found) ? found[name] : undefined), value);
}

/**
 * Throws a `TypeError` for settings of a client that leave calls without an answer for good: those of `ioredis`, of a
 * `Cluster` or of its nodes, and those of `redis`.
 */
export function checkSettings(client: unknown): void {
  for (const options of [at(client, "options"), at(client, "options", "redisOptions")])
    if (at(options, "autoResendUnfulfilledCommands") === false)
      throw new TypeError(
        "autoResendUnfulfilledCommands must not be false: calls without a response would wait forever after a reconnect",
      );
  for (const options of [at(client, "options"), at(client, "_options", "defaults")]) {
    const socket = at(options, "socket");
    if (at(socket, "socketTimeout") !== undefined && at(socket, "reconnectStrategy") === undefined)
      throw new TypeError(
        "socket.reconnectStrategy is required with socket.socketTimeout: by default, the client closes for good after a time-out",
      );
  }
}
