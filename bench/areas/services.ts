import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../support/package-folder.js";
import { writeModule } from "../../test/oracle/reflection.js";
import { bundleOutput } from "../../test/support/bundled-output.js";
import { findSource, generateFrom, libraryOptions } from "../../test/support/output.js";
import type { Effort } from "../clock.js";
import { outFolder } from "../folders.js";
import type { Result } from "../result.js";
import { compareAll, type Comparison, type Side } from "../servers/compare.js";
import { grpcWire } from "../servers/grpc-wire.js";
import { loadOutput, order, serviceName, specification } from "../servers/orders.js";

/**
 * Measures servers of a service without agents, over gRPC: responses per second of CPU time of
 * the server, as for servers of agents. All servers do the same work for the same bytes.
 */
export async function* measure(effort: Effort): AsyncGenerator<Result> {
  const folder = join(outFolder, "orders");
  await makeFiles(folder);
  // Hosts inherit the variable.
  process.env["BENCH_ORDERS"] = folder;
  yield* compareAll(await comparisons(), effort);
}

async function comparisons(): Promise<readonly Comparison[]> {
  const { decodeOrder, encodeOrder, encodeOrderRequest } = await loadOutput();
  const wire = (method: string, message: Uint8Array) =>
    grpcWire({ path: `/${serviceName}/${method}`, metadata: {}, message }, decodeOrder);
  const request = { id: order.id ?? "" };
  const tasks = [
    ["unary", "task", "requests/s", wire("PlaceOrder", encodeOrder(order))],
    ["stream", "stream", "events/s", wire("WatchOrder", encodeOrderRequest(request))],
  ] as const;
  const peers = [
    ["@grpc/grpc-js with proto-loader", "orders-grpc-js"],
    ["connect-node", "orders-connect"],
  ] as const;
  return tasks.flatMap(([what, kind, unit, calls]) =>
    peers.map(([name, host]): Comparison => {
      const side = (name: string, host: string): Side => ({ name, host, kind, ...calls });
      return {
        name: `gRPC service, ${what}, against ${name}`,
        unit,
        ours: side("ours", "orders"),
        peer: side(name, host),
      };
    }),
  );
}

/** Makes the files that hosts load: see `OrdersFiles`. */
async function makeFiles(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const source = findSource(specification);
  writeModule(folder, source);
  const buf = join(packageFolder, "node_modules", ".bin", "buf");
  execFileSync(buf, ["build", "-o", "image.binpb"], { cwd: folder, stdio: "ignore" });
  const generated = await generateFrom(source, libraryOptions);
  const modules = ["index", "protobuf", "server/http2"];
  await bundleOutput(generated, "orders", modules, join(folder, "output.mjs"));
}
