import { isObject } from "../../runtime/base/json.js";

/** Returns the value at a path of members, or `undefined` if a member is missing. */
function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((found, name) => (isObject(found) ? found[name] : undefined), value);
}

/**
 * Checks the settings of a client.
 * @throws A `TypeError` if settings of `ioredis` (client, cluster or node) allow a call to wait
 *   forever, or if settings of `redis` close the client permanently after a time-out.
 */
export function checkSettings(client: unknown): void {
  for (const options of [at(client, "options"), at(client, "options", "redisOptions")])
    if (at(options, "autoResendUnfulfilledCommands") === false)
      throw new TypeError(
        "autoResendUnfulfilledCommands must not be false: calls without a response would wait " +
          "forever after a reconnect",
      );
  for (const options of [at(client, "options"), at(client, "_options", "defaults")]) {
    const socket = at(options, "socket");
    if (at(socket, "socketTimeout") !== undefined && at(socket, "reconnectStrategy") === undefined)
      throw new TypeError(
        "socket.reconnectStrategy is required with socket.socketTimeout: by default, the client " +
          "closes permanently after a time-out",
      );
  }
}
