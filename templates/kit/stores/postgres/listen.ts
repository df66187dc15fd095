import { quietly } from "../../memory/quietly.js";
import type { Listen } from "../log/notifications.js";
import type { PostgresClient } from "./database.js";

/** Returns how to listen to a channel with a connection of its own. */
export function listenTo(channel: string, connect: () => Promise<PostgresClient>): Listen {
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
        await connected.query(`LISTEN ${channel}`);
        onListening();
      })
      .catch(onEnd);
    return () => {
      isClosed = true;
      // Nobody else may get notifications of this connection, so it is closed.
      quietly(() => client?.release(true));
    };
  };
}
