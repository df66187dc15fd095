import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageFolder } from "../../support/package-folder.js";
import { v03, v1 } from "../../test/behaviour/interop/dialect.js";
import { at, textAt } from "../../test/behaviour/interop/json.js";
import { Peer, type Command } from "../../test/behaviour/interop/sdks/peer.js";
import type { Programs } from "../servers/children.js";
import { answer, card, chunks, paths } from "../servers/work.js";
import type { Version } from "./calls.js";

/** An agent that runs in a process of its own. */
export interface Running {
  readonly pid: number;
  readonly port: number;
  /** The path of JSON-RPC. */
  readonly path: string;
  /** Makes the process return memory that it does not use, if its language can. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

/** An agent that takes part in the comparison. All agents do the same. */
export interface Contestant {
  /** Name in the results. */
  readonly name: string;
  /** Whether it is our agent. */
  readonly isOurs: boolean;
  /** Node that runs it, if it is written in JavaScript. */
  readonly node?: string;
  /** Versions of A2A that it serves. */
  readonly versions: readonly Version[];
  /** Reason why it does not serve the other versions. */
  readonly omits?: string;
  /** Starts the agent. It must be able to keep some streams open. */
  start(version: Version, openStreams: number): Promise<Running>;
}

/** An SDK that cannot take part. */
export interface Missing {
  readonly name: string;
  readonly reason: string;
}

/** An SDK of another language, and how to install it. */
interface Sdk {
  readonly name: string;
  readonly serves: Readonly<Partial<Record<Version, readonly string[]>>>;
  readonly model: Version;
  readonly omits?: string;
}

/** The modules of `npm run interop` that install SDKs. They find their files by their location. */
interface Installer {
  install(sdk: Sdk): Promise<Command>;
  installNodeRuntime(version: string): Promise<string>;
}

/** Flags of Node that docs/node.md recommends for agents under load, and one to measure memory. */
const flags = ["--max-semi-space-size=64", "--expose-gc"];

/** The version of Node that is measured in addition, if this Node is older. */
const laterNode = 22;

/**
 * Returns our agent and the agent of the JavaScript SDK on this Node. With `others`, also returns
 * them on a later Node, and the agents of SDKs of other languages, which are built if necessary.
 */
export async function contestantsOf(
  programs: Programs,
  others: boolean,
): Promise<{ readonly contestants: readonly Contestant[]; readonly missing: readonly Missing[] }> {
  const contestants = onNode(programs, `Node ${process.versions.node.split(".")[0] ?? ""}`);
  const missing: Missing[] = [];
  if (!others) return { contestants, missing };
  const add = async (name: string, load: () => Promise<readonly Contestant[]>): Promise<void> => {
    console.error(`  prepares ${name}`);
    try {
      contestants.push(...(await load()));
    } catch (error) {
      missing.push({ name, reason: error instanceof Error ? error.message : String(error) });
    }
  };
  const installer = await load<Installer>("install");
  if (Number(process.versions.node.split(".")[0]) < laterNode) {
    const name = `Node ${laterNode}`;
    await add(name, async () =>
      onNode(programs, name, await installer.installNodeRuntime(String(laterNode))),
    );
  }
  const { releases } = await load<{ readonly releases: readonly Sdk[] }>("sdks");
  for (const sdk of releases)
    await add(sdk.name, async () => [inOtherLanguage(sdk, await installer.install(sdk))]);
  return { contestants, missing };
}

async function load<T>(name: string): Promise<T> {
  const file = join(packageFolder, "test", "tools", "interop", `${name}.mjs`);
  return (await import(pathToFileURL(file).href)) as T;
}

/** The agents that are written in JavaScript, on one Node. */
function onNode(programs: Programs, node: string, program?: string): Contestant[] {
  const runtime = { flags, ...(program !== undefined && { program }) };
  const manifest = join(packageFolder, "node_modules", "@a2a-js", "sdk", "package.json");
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string };
  const contestant = (host: string, name: string): Contestant => ({
    name,
    node,
    isOurs: host === "kit",
    versions: ["1.0", "0.3.0"],
    async start(served) {
      const kind = served === "1.0" ? "asked" : "askedBy03";
      const { httpPort: port, ...running } = await programs.start(host, kind, runtime);
      return { port, path: paths.jsonRpc, ...running };
    },
  });
  return [contestant("kit", "a2a-codegen"), contestant("sdk", `JavaScript SDK ${version}`)];
}

function inOtherLanguage({ name, serves, model, omits }: Sdk, command: Command): Contestant {
  return {
    name,
    isOurs: false,
    versions: Object.keys(serves) as Version[],
    ...(omits !== undefined && { omits }),
    async start(version, openStreams) {
      const peer = new Peer({ ...command, args: [...command.args, ...(serves[version] ?? [])] });
      try {
        const { result } = await peer.request("listen");
        const url = textAt(result, "url");
        const path = at(result, "path") === undefined ? paths.jsonRpc : textAt(result, "path");
        const own = { ...card, supportedInterfaces: [interfaceAt(`${url}rpc`, version, model)] };
        const written = model === "1.0" ? v1.card(own) : v03.card(own);
        const bench = { answer, chunks, openStreams };
        await peer.request("serve", { card: written, extendedCard: written, bench });
        return {
          pid: peer.pid,
          port: Number(new URL(url).port),
          path,
          settle: async () => {
            await peer.request("settle");
          },
          stop: () => peer.close(),
        };
      } catch (error) {
        await peer.close();
        throw error;
      }
    },
  };
}

/** Returns the interface of an agent. A card of 1.0 names 0.3 without a patch version. */
function interfaceAt(url: string, version: Version, model: Version) {
  const protocolVersion = model === "1.0" && version === "0.3.0" ? "0.3" : version;
  return { url, protocolBinding: "JSONRPC", protocolVersion };
}
