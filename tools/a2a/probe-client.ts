import { once } from "node:events";
import { startClientProbe } from "../probe/client/server.js";
import type { Report } from "../probe/result.js";
import { InputError } from "../../support/diagnostics.js";

/** Arguments of `probe --client`. */
interface ClientArguments {
  readonly port?: number | undefined;
  /** Number of requests after which the probe ends. By default, it runs until Ctrl+C is pressed. */
  readonly count?: number | undefined;
}

/**
 * Serves an agent that checks the requests of its clients, until Ctrl+C is pressed or `count`
 * requests have arrived.
 */
export async function probeClient({ port, count }: ClientArguments): Promise<Report> {
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port < 65_536))
    throw new InputError({
      message: `--port cannot be "${port}"`,
      hint: "Use a number from 0 to 65535",
    });
  if (count !== undefined && !(Number.isInteger(count) && count > 0))
    throw new InputError({
      message: `--count cannot be "${count}"`,
      hint: "Use a number of requests above 0",
    });
  const enough = new AbortController();
  let requests = 0;
  const probe = await startClientProbe({
    port,
    onRequest() {
      requests += 1;
      if (requests === count) enough.abort();
    },
  }).catch((error: unknown) => {
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    throw new InputError({
      message: `port ${port ?? 0} is in use`,
      hint: "Choose another port, or leave --port out",
    });
  });
  // Standard output contains only the report.
  process.stderr.write(`Connect a client to ${probe.url}, then press Ctrl+C.\n`);
  const interrupted = [once(process, "SIGINT"), once(process, "SIGTERM")];
  await Promise.race([...interrupted, once(enough.signal, "abort")]);
  const report = await probe.report();
  await probe.close();
  return report;
}
