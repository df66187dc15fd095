import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { packageFolder } from "../../../support/package-folder.js";
import { outFolder } from "../../support/output.js";

const run = promisify(execFile);

const fixtures = join(packageFolder, "test", "fixtures", "services");
const module = "a2a-codegen.test/gateway";
const gateway = "github.com/grpc-ecosystem/grpc-gateway/v2";
const versions = { [gateway]: "v2.33.0", "google.golang.org/grpc": "v1.84.0" };

/** The programs that write Go code from a proto, by their names. */
const plugins = {
  "protoc-gen-go": "google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12",
  "protoc-gen-go-grpc": "google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.0",
  "protoc-gen-grpc-gateway": `${gateway}/protoc-gen-grpc-gateway@${versions[gateway]}`,
};

/**
 * Builds a gateway for library.proto, with Go and buf. Returns the path of its program. Rejects if
 * Go, buf or the network is missing.
 */
export async function buildGateway(): Promise<string> {
  const folder = join(outFolder, "http-gateway");
  const bin = join(folder, "bin");
  mkdirSync(join(folder, "library"), { recursive: true });
  const env = { ...process.env, GOBIN: bin, GOFLAGS: "-mod=mod" };
  for (const [name, source] of Object.entries(plugins))
    if (!existsSync(join(bin, name))) await run("go", ["install", source], { env });
  await generateGo(folder, bin);
  const required = Object.entries(versions).map(([path, version]) => `require ${path} ${version}`);
  writeFileSync(join(folder, "go.mod"), [`module ${module}`, "go 1.26.0", ...required].join("\n"));
  const source = join(packageFolder, "test", "oracle", "http-gateway", "gateway.go");
  copyFileSync(source, join(folder, "gateway.go"));
  await run("go", ["mod", "tidy"], { env, cwd: folder });
  const program = join(folder, "gateway");
  await run("go", ["build", "-o", program, "."], { env, cwd: folder });
  return program;
}

async function generateGo(folder: string, bin: string): Promise<void> {
  const annotations = "google.golang.org/genproto/googleapis/api/annotations;annotations";
  const packages = [
    `Mlibrary.proto=${module}/library;library`,
    `Mgoogle/api/annotations.proto=${annotations}`,
    `Mgoogle/api/http.proto=${annotations}`,
  ];
  const template = {
    version: "v2",
    plugins: Object.keys(plugins).map((name) => ({
      local: join(bin, name),
      out: "library",
      // The gateway would otherwise set a field mask that the request does not contain.
      opt: [
        "paths=source_relative",
        ...(name === "protoc-gen-grpc-gateway" ? ["allow_patch_feature=false"] : []),
        ...packages,
      ],
    })),
  };
  // buf only reads files below its folder.
  for (const [from, to] of [
    [join(fixtures, "library.proto"), "library.proto"],
    ...["annotations", "http"].map((name) => {
      const path = join("google", "api", `${name}.proto`);
      return [join(packageFolder, "spec", path), path];
    }),
  ] as const) {
    const target = join(folder, "protos", to);
    mkdirSync(join(target, ".."), { recursive: true });
    copyFileSync(from, target);
  }
  const buf = join(packageFolder, "node_modules", ".bin", "buf");
  const paths = ["--path", join("protos", "library.proto")];
  const args = ["generate", "protos", "--template", JSON.stringify(template), ...paths];
  await run(buf, args, { cwd: folder });
}

/** A running gateway. */
export interface Gateway {
  readonly url: string;
  /** Stops the gateway, and waits for its end. */
  stop(): Promise<void>;
}

/** Starts a gateway in front of the server at `address`, a host with a port. */
export async function startGateway(program: string, address: string): Promise<Gateway> {
  const child = spawn(program, [address], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout);
  await once(child, "spawn");
  const [own] = (await once(lines, "line")) as [string];
  return {
    url: `http://${own}`,
    async stop() {
      const ended = once(child, "exit");
      child.stdin.end();
      await ended;
    },
  };
}
