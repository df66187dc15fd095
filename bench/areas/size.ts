import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { packageFolder } from "../../support/package-folder.js";
import { measures, thorough, type Effort } from "../clock.js";
import { outFolder } from "../folders.js";
import { bufGenerate, writeA2a } from "../peers.js";
import { runNode } from "../processes.js";
import { amount, type Result } from "../result.js";
import { libraryName } from "../../generator/core/package-names.js";
import { linkPackages } from "../../test/support/linked.js";

/**
 * Clients that send one message over JSON-RPC. Our client validates the response, the client of the
 * SDK does not.
 */
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

/** Measures the size of bundles for browsers, and the time of the compiler. */
export async function* measure({ rounds, quick }: Effort = thorough): AsyncGenerator<Result> {
  const [ours, sdk] = [await bundle(clients.ours), await bundle(clients.sdk)];
  const connected = await bundle(clients.oursConnected);
  yield amount(
    "client bundle, JSON-RPC at a known address, gzipped",
    ours,
    "SDK, JSON-RPC",
    sdk,
    "B",
  );
  yield amount(
    "client bundle with discovery, JSON-RPC and HTTP+JSON, gzipped",
    connected,
    "SDK, JSON-RPC",
    sdk,
    "B",
  );
  if (quick) return;
  yield* ofTypes(Math.min(rounds, 5));
}

/**
 * Returns the size of a program for browsers, minified and compressed with the best level of gzip.
 * Files that the program loads later, with a dynamic import, do not count.
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
  // A module that the program and a file for later both import is a file of its own, which is
  // loaded with the program.
  const all = Object.keys(metafile.outputs);
  const names = new Set(all.filter((name) => metafile.outputs[name]?.entryPoint === "<stdin>"));
  for (const name of names)
    for (const { kind, path } of metafile.outputs[name]?.imports ?? [])
      if (kind === "import-statement") names.add(path);
  const loaded = outputFiles.filter((_, index) => names.has(all[index] ?? ""));
  return loaded.reduce(
    (sum, { text }) => sum + gzipSync(withoutHashes(text), { level: 9 }).length,
    0,
  );
}

/** Replaces the hashes in names of files, which change with the folder of the checkout. */
function withoutHashes(code: string): string {
  return code.replace(/-[A-Z0-9]{8}\.js"/g, '-00000000.js"');
}

/**
 * Measures the time that the compiler takes, in a new process, for the output of `init --yes` and
 * for all targets.
 */
async function* ofTypes(rounds: number): AsyncGenerator<Result> {
  const folder = writeA2a("types");
  bufGenerate(folder, ["ts-proto", "protoc-gen-es"]);
  const created = join(outFolder, "init");
  linkPackages(created);
  const dependencies = { [libraryName]: "*" };
  writeFileSync(join(created, "package.json"), JSON.stringify({ type: "module", dependencies }));
  const cli = join(packageFolder, "dist", "generator", "cli", "main.cjs");
  await runNode([cli, "init", "--yes"], "", created);
  const copied = join(outFolder, "copies");
  mkdirSync(copied, { recursive: true });
  writeFileSync(join(copied, "package.json"), JSON.stringify({ type: "module" }));
  await runNode([cli, "generate", "--runtime", "copy"], "", copied);
  const projects = {
    init: project("init", join(created, "src")),
    ours: project("ours", join(copied, "src")),
    tsProto: project("ts-proto", join(folder, "ts-proto")),
    es: project("es", join(folder, "protobuf-es")),
  };
  const found = await measures(
    {
      init: () => check(projects.init),
      ours: () => check(projects.ours),
      tsProto: () => check(projects.tsProto),
      es: () => check(projects.es),
    },
    rounds,
  );
  const first = "type-check of the output of init --yes";
  yield amount(first, found.init, "ts-proto (messages, gRPC)", found.tsProto, "ms");
  yield amount(first, found.init, "protobuf-es (messages)", found.es, "ms");
  const name = "type-check of all targets for 1.0, with copies of the library";
  yield amount(name, found.ours, "ts-proto (messages, gRPC)", found.tsProto, "ms");
  yield amount(name, found.ours, "protobuf-es (messages)", found.es, "ms");
}

function project(name: string, sources: string): string {
  const file = join(outFolder, `tsconfig.${name}.json`);
  mkdirSync(outFolder, { recursive: true });
  const options = {
    target: "ES2022",
    module: "NodeNext",
    types: ["node"],
    strict: true,
    noEmit: true,
  };
  const compilerOptions = { ...options, skipLibCheck: true };
  if (!existsSync(sources)) throw new Error(`Missing ${sources}`);
  writeFileSync(file, JSON.stringify({ compilerOptions, include: [`${sources}/**/*.ts`] }));
  return file;
}

async function check(file: string): Promise<number> {
  const { ms } = await runNode([
    join(packageFolder, "node_modules", "typescript", "bin", "tsc"),
    "-p",
    file,
  ]);
  return ms;
}
