import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Returns a port that is free, for a process that takes it from its environment.
 *
 * Between this call and the start of that process, another process could take the port. Systems
 * give the ports from 32768 to connections and to servers that ask for any port, so this port is
 * below.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 32_000);
    if (await isFree(port)) return port;
  }
}

/** Resolves to whether no server listens on a port, on any address. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}
