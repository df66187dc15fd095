import { ignoringErrors } from "../../kit/memory/ignoring-errors.js";
import type { Listen } from "../log/notifications.js";
import type { PostgresClient } from "./database.js";

/** Returns a function that listens to channels on a dedicated connection. */
export function listenTo(
  channels: readonly string[],
  connect: () => Promise<PostgresClient>,
): Listen {
  return ({ onListening, onMessage, onEnd }) => {
    let client: PostgresClient | undefined;
    let isClosed = false;
    connect()
      .then(async (connected) => {
        if (isClosed) {
          connected.release(true);
          return;
        }
        client = connected;
        connected.on("error", onEnd);
        connected.on("end", onEnd);
        connected.on("notification", ({ payload = "" }) => {
          onMessage(payload);
        });
        await connected.query(channels.map((channel) => `LISTEN ${channel}`).join("; "));
        onListening();
      })
      .catch(onEnd);
    return () => {
      isClosed = true;
      // Close the connection, because it would still receive notifications if it were returned to
      // the pool.
      ignoringErrors(() => client?.release(true));
    };
  };
}
