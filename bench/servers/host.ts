import { kinds, type Kind, type Order, type Ready } from "./work.js";

const hosts: Readonly<
  Record<string, () => Promise<{ readonly start: (kind: Kind) => Promise<Ready> }>>
> = {
  ours: () => import("./host-ours.js"),
  "grpc-js": () => import("./host-grpc-js.js"),
  kit: () => import("./host-kit.js"),
  sdk: () => import("./host-sdk.js"),
  bare: () => import("./host-bare.js"),
  web: () => import("./host-web.js"),
  orders: () => import("./host-orders.js"),
  "orders-grpc-js": () => import("./host-orders-grpc-js.js"),
  "orders-connect": () => import("./host-orders-connect.js"),
};

const [, , name = "", kind = ""] = process.argv;
const load = hosts[name];
if (load === undefined) throw new Error(`Unknown host ${name}`);
if (!isKind(kind)) throw new Error(`No agent answers with ${kind}`);
const { start } = await load();
const ready = await start(kind);
process.send?.(ready);
process.on("message", (order: Order) => {
  // Finalizers may need another collection.
  if (order === "settle") for (let left = 2; left > 0; left -= 1) globalThis.gc?.();
  process.send?.(process.cpuUsage());
});
// The parent process may end without a message.
process.on("disconnect", () => process.exit());

function isKind(name: string): name is Kind {
  return kinds.some((kind) => kind === name);
}
