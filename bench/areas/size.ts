import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { packageFolder } from "../../generator/support/package-folder.js";
import { medians, thorough, type Effort } from "../clock.js";
import { outFolder } from "../folders.js";
import { bufGenerate, writeA2a } from "../peers.js";
import { runNode } from "../processes.js";
import { amount, type Result } from "../result.js";

/** Each client sends one message over JSON-RPC; ours checks what comes back, that of the SDK does not. */
const clients = {
  ours: `
    import { A2AClient } from "${packageFolder}/generated/1.0/client/client.js";
    import { jsonRpcTransport } from "${packageFolder}/generated/1.0/client/jsonrpc.js";
    const client = new A2AClient({ transport: jsonRpcTransport(location.href) });
    client.sendMessage({ message: { messageId: "1", role: "ROLE_USER", parts: [{ text: "hi" }] } }).then(console.log);`,
  sdk: `
    import { ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory } from "@a2a-js/sdk/client";
    const factory = new ClientFactory({ ...ClientFactoryOptions.default, transports: [new JsonRpcTransportFactory()] });
    const message = { messageId: "1", role: 1, parts: [{ content: { $case: "text", value: "hi" } }] };
    factory.createFromUrl(location.href).then((client) => client.sendMessage({ message })).then(console.log);`,
  oursConnected: `
    import { connect } from "${packageFolder}/generated/1.0/index.js";
    connect(location.href)
      .then((client) => client.sendMessage({ message: { messageId: "1", role: "ROLE_USER", parts: [{ text: "hi" }] } }))
      .then(console.log);`,
};

/** Measures what reaches a browser, and what the compiler has to do. */
export async function* measure({ rounds, quick }: Effort = thorough): AsyncGenerator<Result> {
  const [ours, sdk] = [await bundle(clients.ours), await bundle(clients.sdk)];
  const connected = await bundle(clients.oursConnected);
  yield amount("client bundle, JSON-RPC at a known address, gzipped", ours, "SDK, JSON-RPC", sdk, "B");
  yield amount("client bundle with discovery, JSON-RPC and HTTP+JSON, gzipped", connected, "SDK, JSON-RPC", sdk, "B");
  if (quick) return;
  yield* ofTypes(Math.min(rounds, 3));
}

/**
 * The size of a program for browsers, minified and compressed as well as gzip can. Files that the program loads later, by
 * a dynamic import, do not count.
 */
export async function bundle(contents: string): Promise<number> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: packageFolder, loader: "ts" },
    bundle: true,
    splitting: true,
    metafile: true,
    outdir: "bundle",
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    write: false,
    logLevel: "error",
  });
  const [first, ...others] = Object.values(metafile.outputs);
  const loaded = first?.imports.filter(({ kind }) => kind === "import-statement") ?? [];
  if (loaded.length > 0) throw new Error(`The program is split into ${String(others.length + 1)} files`);
  return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
}

/** The time that the compiler takes for all of the output, gRPC and servers included, in a process of its own. */
async function* ofTypes(rounds: number): AsyncGenerator<Result> {
  const folder = writeA2a("types");
  bufGenerate(folder, ["ts-proto", "protoc-gen-es"]);
  const projects = {
    ours: project("ours", join(packageFolder, "generated", "1.0")),
    tsProto: project("ts-proto", join(folder, "ts-proto")),
    es: project("es", join(folder, "protobuf-es")),
  };
  const found = await medians(
    {
      ours: () => check(projects.ours),
      tsProto: () => check(projects.tsProto),
      es: () => check(projects.es),
    },
    rounds,
  );
  const name = "type-check of all that is generated for 1.0";
  yield amount(name, found.ours, "ts-proto (messages, gRPC)", found.tsProto, "ms");
  yield amount(name, found.ours, "protobuf-es (messages)", found.es, "ms");
}

function project(name: string, sources: string): string {
  const file = join(outFolder, `tsconfig.${name}.json`);
  mkdirSync(outFolder, { recursive: true });
  const options = { target: "ES2022", module: "NodeNext", types: ["node"], strict: true, noEmit: true };
  const compilerOptions = { ...options, skipLibCheck: true };
  if (!existsSync(sources)) throw new Error(`There is no ${sources}`);
  writeFileSync(file, JSON.stringify({ compilerOptions, include: [`${sources}/**/*.ts`] }));
  return file;
}

async function check(file: string): Promise<number> {
  const { ms } = await runNode([join(packageFolder, "node_modules", "typescript", "bin", "tsc"), "-p", file]);
  return ms;
}
