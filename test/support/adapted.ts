import { existsSync } from "node:fs";
import { join } from "node:path";
import type * as grpcClient from "../../generated/1.0/client/grpc.js";
import type * as index from "../../generated/1.0/index.js";
import type * as kit from "../../generated/1.0/kit/index.js";
import type * as kitClient from "../../generated/1.0/kit/client/index.js";
import type { Gateway, GatewayOptions } from "../../library/bridges/gateway.js";
import type { ClientVersion } from "../../library/runtime/client/versions.js";
import type { TransportFactory } from "../../library/runtime/protocol/transport.js";
import type { ServedVersion } from "../../library/runtime/server/adapter.js";
import type * as grpcServer from "../../generated/1.0/server/grpc.js";
import type * as node from "../../generated/1.0/server/node.js";
import { defaultTargets } from "../../generator/targets/registry.js";
import { findSource, generateFrom, libraryOptions, writeTo } from "./output.js";

/** An output that speaks other versions besides its own, with the types of that for 1.0. */
export interface AdaptedOutput {
  readonly own: typeof index &
    typeof grpcClient &
    typeof grpcServer &
    typeof node &
    typeof kit &
    Pick<typeof kitClient, "followTask"> &
    GatewayModule;
  /** Server and client modules of each other version, by `Major.Minor`. */
  readonly adapters: Readonly<Record<string, Adapter>>;
  readonly folder: string;
}

interface GatewayModule {
  gateway(
    options: GatewayOptions<
      index.AgentCard,
      index.A2AClient,
      Omit<index.ConnectOptions, "versions">,
      index.HttpHandlerOptions
    >,
  ): Promise<Gateway<index.AgentCard>>;
}

interface Adapter {
  readonly served: ServedVersion;
  /** For all bindings. */
  readonly spoken: ClientVersion;
}

const outputs = new Map<string, Promise<AdaptedOutput>>();

/** The versions that 1.0 is adapted to in most tests. */
export const others = ["0.2.6", "0.3.0", "1.1-draft"] as const;

/**
 * Returns the output of a version with adapters for others, which is generated once in each
 * process.
 */
export function adaptedOutput(
  spec = "1.0",
  versions: readonly string[] = others,
): Promise<AdaptedOutput> {
  const name = `adapted-${[spec, ...versions].join("-")}-${String(process.pid)}`;
  const output = outputs.get(name) ?? load(name, spec, versions);
  outputs.set(name, output);
  return output;
}

async function load(
  name: string,
  spec: string,
  versions: readonly string[],
): Promise<AdaptedOutput> {
  const source = { ...findSource(spec), versions: versions.map((version) => findSource(version)) };
  const targets = [...defaultTargets(), "gateway"];
  const generated = await generateFrom(source, { ...libraryOptions, targets });
  const folder = writeTo(name, generated);
  const modules = async (...files: readonly string[]) => {
    const paths = files
      .map((file) => join(folder, `${file}.ts`))
      .filter((path) => existsSync(path));
    return Object.assign(
      {},
      ...(await Promise.all(paths.map((path) => import(path) as Promise<object>))),
    ) as object;
  };
  const adapters = generated.versions.map(async ({ folder: at }): Promise<[string, Adapter]> => {
    const version = at.replace("versions/", "");
    const called = `v${version.replace(".", "_")}`;
    const [served, spoken, { grpc }] = await Promise.all([
      modules(`${at}/server`),
      modules(`${at}/client`),
      modules(`${at}/grpc`) as Promise<{ readonly grpc?: () => TransportFactory }>,
    ]);
    const http = Reflect.get(spoken, called) as ClientVersion;
    const transports: ClientVersion["transports"] = (options) => [
      ...http.transports(options),
      ...(grpc === undefined ? [] : [grpc()]),
    ];
    return [
      version,
      { served: Reflect.get(served, called) as ServedVersion, spoken: { ...http, transports } },
    ];
  });
  const own = await modules(
    "index",
    "operations",
    "client/grpc",
    "server/grpc",
    "server/node",
    "server/gateway",
    "kit/index",
    "kit/client/index",
  );
  return {
    own: own as AdaptedOutput["own"],
    adapters: Object.fromEntries(await Promise.all(adapters)),
    folder,
  };
}
