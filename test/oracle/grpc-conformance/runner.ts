import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { packageFolder } from "../../../support/package-folder.js";
import { outFolder } from "../../support/output.js";
import { buildOutput } from "./output.js";

const run = promisify(execFile);

const module = "connectrpc.com/conformance";
const release = "v1.0.7";

/** Features of our server and client, by which the suite selects its cases. */
const features = `features:
  versions: [HTTP_VERSION_2]
  protocols: [PROTOCOL_GRPC]
  codecs: [CODEC_PROTO]
  compressions: [COMPRESSION_IDENTITY, COMPRESSION_GZIP, COMPRESSION_DEFLATE]
  supportsH2c: true
  supportsTls: true
  supportsTlsClientCerts: true
  supportsMessageReceiveLimit: true
`;

/** An installed suite: its runner, and the folder with its protos. */
export interface Suite {
  readonly runner: string;
  readonly protos: string;
}

/** Installs the suite with Go. Rejects if Go or the network is missing. */
export async function install(): Promise<Suite> {
  const folder = join(outFolder, "grpc-conformance");
  mkdirSync(folder, { recursive: true });
  const runner = join(folder, "connectconformance");
  const env = { ...process.env, GOBIN: folder, GOFLAGS: "" };
  const source = `${module}@${release}`;
  if (!existsSync(runner))
    await run("go", ["install", `${module}/cmd/connectconformance@${release}`], { env });
  // Outside of the repository, where Go would look for a go.mod.
  const { stdout } = await run("go", ["mod", "download", "-json", source], { env, cwd: folder });
  const { Dir } = JSON.parse(stdout) as { readonly Dir: string };
  return { runner, protos: join(Dir, "proto") };
}

/** The output of a program. */
interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** Result of a run. */
export interface Score {
  readonly passed: number;
  readonly failed: number;
  /** The failed cases. */
  readonly report: string;
}

/**
 * The programs that the suite tests. The cases that are known to fail, always or sometimes, are in
 * files with the name of the mode.
 */
const programs = { server: "testee", client: "client-testee" } as const;

/** Runs the suite against the server or the client of the output. */
export async function runSuite(
  { runner, protos }: Suite,
  mode: keyof typeof programs,
): Promise<Score> {
  const folder = join(outFolder, "grpc-conformance");
  const output = await buildOutput(protos, folder);
  const sources = join(packageFolder, "test", "oracle", "grpc-conformance");
  const testee = join(folder, `${programs[mode]}.mjs`);
  await build({
    entryPoints: [join(sources, `${programs[mode]}.ts`)],
    outfile: testee,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
  const config = join(folder, "features.yaml");
  writeFileSync(config, features);
  const known = ["failing", "flaky"].flatMap((kind) => [
    `--known-${kind}`,
    `@${join(sources, `known-${kind}-${mode}.txt`)}`,
  ]);
  const command = [process.execPath, testee, protos, output];
  const args = ["--mode", mode, "--conf", config, ...known, "--", ...command];
  const report = await run(runner, args, { maxBuffer: 2 ** 26 }).then(
    ({ stdout, stderr }) => stdout + stderr,
    (error: unknown) => {
      const { stdout = "", stderr = String(error) } = error as Partial<Printed>;
      return stdout + stderr;
    },
  );
  const [, passed = "", failed = ""] = /^(\d+) passed, (\d+) failed/m.exec(report) ?? [];
  return { passed: Number(passed), failed: Number(failed), report };
}
