import { loadSync } from "@grpc/proto-loader";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bundledFolder } from "../../../../generator/input/registry.js";

const protos = readdirSync(bundledFolder)
  .map((version) => join(version, "a2a.proto"))
  .filter((path) => existsSync(join(bundledFolder, path)));

it.each(protos)("%s and its imports are complete, so that tools for gRPC can read them", (path) => {
  const found = loadSync(path, { includeDirs: [bundledFolder], keepCase: true });
  expect(Object.keys(found).filter((name) => name.endsWith(".A2AService"))).toHaveLength(1);
});
