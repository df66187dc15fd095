import type { Server } from "node:http";
import { reasonOf } from "../../support/diagnostics.js";
import { CliError } from "./errors.js";

/** Opens a port on the loopback address, or a free port for 0, and returns its number. */
export async function opened(server: Server, port: number): Promise<number> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(port, "127.0.0.1", resolve);
    });
  } catch (error) {
    throw new CliError(
      "A2ACLI_ERR_INTERNAL",
      `Port ${port} cannot be opened: ${reasonOf(error)}`,
      "Choose another --port",
    );
  }
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}
