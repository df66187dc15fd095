import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { CodeGeneratorRequestSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { packageFolder } from "../../support/package-folder.js";
import { measures, median, thorough, type Effort } from "../clock.js";
import { outFolder } from "../folders.js";
import { madeUpProto } from "../made-up.js";
import { generateSchema } from "../ours.js";
import { bufGenerate, plugins, writeA2a } from "../peers.js";
import { runNode, type Taken } from "../processes.js";
import { amount, type Result } from "../result.js";

const cli = join(packageFolder, "dist", "generator", "cli", "main.cjs");
const modules = join(packageFolder, "node_modules");

/** The programs of the plugins, which run without buf. */
const programs = {
  "ts-proto": join(modules, "ts-proto", "protoc-gen-ts_proto"),
  "protoc-gen-es": join(modules, "@bufbuild", "protoc-gen-es", "bin", "protoc-gen-es"),
};

/** Measures whole runs, each in a new process. */
export async function* measure({ rounds, quick }: Effort = thorough): AsyncGenerator<Result> {
  mkdirSync(outFolder, { recursive: true });
  yield* ofStart(Math.min(rounds, 11));
  if (!quick) yield* ofA2a(Math.min(rounds, 5));
  yield* ofSizes(quick ? [10] : [10, 100, 1_000, 10_000], Math.min(rounds, 5));
}

/** Measures a run without changes, against an empty Node program. */
async function* ofStart(rounds: number): AsyncGenerator<Result> {
  const out = join(outFolder, "unchanged");
  const unchanged = [cli, "generate", "--spec", "1.0", "--out", out];
  await runNode(unchanged);
  const found = await measures(
    {
      unchanged: async () => (await runNode(unchanged)).ms,
      help: async () => (await runNode([cli, "--help"])).ms,
      node: async () => (await runNode(["-e", "0"])).ms,
    },
    rounds,
  );
  yield amount("generate with nothing to do", found.unchanged, "node -e 0", found.node, "ms");
  yield amount("--help", found.help, "node -e 0", found.node, "ms");
}

/**
 * Measures all targets of 1.0. ts-proto generates messages and gRPC, protoc-gen-es messages,
 * json-schema-to-typescript types.
 */
async function* ofA2a(rounds: number): AsyncGenerator<Result> {
  const folder = writeA2a("generation");
  const requests = {
    "ts-proto": requestOf(folder, plugins["ts-proto"].opt),
    "protoc-gen-es": requestOf(folder, plugins["protoc-gen-es"].opt),
  };
  const schema = join(outFolder, "schema.json");
  writeFileSync(schema, JSON.stringify(await generateSchema()));
  const json2ts = join(modules, "json-schema-to-typescript", "dist", "src", "cli.js");
  const found = await measures(
    {
      ours: async () => (await generate("1.0")).ms,
      "ts-proto, driven by buf": () => timed(() => bufGenerate(folder, ["ts-proto"])),
      "protoc-gen-es, driven by buf": () => timed(() => bufGenerate(folder, ["protoc-gen-es"])),
      "ts-proto alone": async () =>
        (await runNode([programs["ts-proto"]], requests["ts-proto"])).ms,
      "protoc-gen-es alone": async () =>
        (await runNode([programs["protoc-gen-es"]], requests["protoc-gen-es"])).ms,
      "json-schema-to-typescript": async () =>
        (await runNode([json2ts, "--unreachableDefinitions", "-i", schema])).ms,
    },
    rounds,
  );
  for (const [peer, ms] of Object.entries(found))
    if (peer !== "ours")
      yield amount(`generate all targets of 1.0${extentOf(peer)}`, found.ours, peer, ms, "ms");
}

/** Measures peers without buf. Their input is compiled in advance, or they only generate types. */
function extentOf(peer: string): string {
  if (peer.endsWith("alone")) return ", where the plugin gets a compiled proto";
  return peer.startsWith("json") ? ", where the peer makes types only" : "";
}

/**
 * Measures protos of growing size: all targets that only require a proto, against ts-proto without
 * buf. For 10,000 messages, ts-proto would run for most of an hour, and protoc-gen-es for more than
 * 15 minutes, so the result of the peer is ten times its result for 1,000. It shows if time and
 * memory grow linearly with the messages, or faster.
 */
async function* ofSizes(counts: readonly number[], rounds: number): AsyncGenerator<Result> {
  let before: Runs = { ms: [], bytes: 0 };
  for (const count of counts) {
    const folder = join(outFolder, `made-up-${count}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "main.proto"), madeUpProto(count));
    const isLast = count > 1_000;
    const run = (): Promise<Taken> => generate(join(folder, "main.proto"));
    const { mine, peer } = isLast
      ? {
          mine: runsOf(await run()),
          peer: { ms: [10 * median(before.ms)], bytes: 10 * before.bytes },
        }
      : await inTurns(run, tsProto(folder), rounds);
    const peerName = isLast ? "ten times 1,000 messages" : "ts-proto alone";
    const name = `generate ${count.toLocaleString("en")} messages`;
    yield amount(name, mine.ms, peerName, peer.ms, "ms");
    yield amount(`memory to ${name}`, mine.bytes / 2 ** 20, peerName, peer.bytes / 2 ** 20, "MiB");
    before = mine;
  }
}

/**
 * Returns a function that runs ts-proto on the proto of a folder, which buf compiles in advance.
 */
export function tsProto(folder: string): () => Promise<Taken> {
  writeFileSync(join(folder, "buf.yaml"), "version: v2\n");
  const request = requestOf(folder, plugins["ts-proto"].opt);
  return () => runNode([programs["ts-proto"]], request);
}

/** The times of several runs of a program, and the peak memory of all of them. */
interface Runs {
  readonly ms: readonly number[];
  readonly bytes: number;
}

function runsOf({ ms, bytes }: Taken): Runs {
  return { ms: [ms], bytes };
}

/** Runs two programs in turns. */
async function inTurns(
  mine: () => Promise<Taken>,
  peer: () => Promise<Taken>,
  rounds: number,
): Promise<{ readonly mine: Runs; readonly peer: Runs }> {
  const bytes = { mine: 0, peer: 0 };
  const timed = async (name: keyof typeof bytes, run: () => Promise<Taken>): Promise<number> => {
    const taken = await run();
    bytes[name] = Math.max(bytes[name], taken.bytes);
    return taken.ms;
  };
  const ms = await measures(
    { mine: () => timed("mine", mine), peer: () => timed("peer", peer) },
    rounds,
  );
  return { mine: { ms: ms.mine, bytes: bytes.mine }, peer: { ms: ms.peer, bytes: bytes.peer } };
}

/** Runs our command line into an empty folder. */
export async function generate(spec: string): Promise<Taken> {
  const out = join(outFolder, "ours");
  rmSync(out, { recursive: true, force: true });
  return await runNode([cli, "generate", "--spec", spec, "--out", out]);
}

function timed(run: () => void): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

/** Returns the request that buf would send to a plugin. */
function requestOf(folder: string, options: readonly string[]): Uint8Array {
  const image = join(folder, "image.binpb");
  execFileSync(join(modules, ".bin", "buf"), ["build", "-o", image], {
    cwd: folder,
    stdio: ["ignore", 2, "inherit"],
  });
  const { file } = fromBinary(FileDescriptorSetSchema, readFileSync(image));
  const message = { fileToGenerate: ["main.proto"], parameter: options.join(","), protoFile: file };
  return toBinary(CodeGeneratorRequestSchema, create(CodeGeneratorRequestSchema, message));
}
