import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { libraryName } from "../../../../generator/core/package-names.js";
import { packageNeeds } from "../../../../generator/output/package.js";
import { findSource, generateFrom } from "../../../support/output.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const text =
  'import type { Client } from "@grpc/grpc-js";\nimport { send } from "a2a-codegen-runtime/internal/client";\n';

it.each([
  [{}, ["@grpc/grpc-js", "a2a-codegen-runtime"]],
  [{ dependencies: { "a2a-codegen-runtime": "1.0.0" } }, ["@grpc/grpc-js"]],
  [{ name: "a2a-codegen-runtime" }, ["@grpc/grpc-js", "a2a-codegen-runtime"]],
  [{ name: "a2a-codegen-runtime", exports: {} }, ["@grpc/grpc-js"]],
])("A project with the description %j does not have the packages %j", (description, missing) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "package.json"), JSON.stringify(description));
  expect(packageNeeds([{ path: "client.ts", text }], join(folder, "src")).missing).toEqual(missing);
});

it("A package that a project around the output lists or has installed is not missing", () => {
  const folder = temporaryFolder();
  const app = join(folder, "app");
  mkdirSync(join(folder, "node_modules", "a2a-codegen-runtime"), { recursive: true });
  mkdirSync(app);
  const dependencies = { "@grpc/grpc-js": "1" };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ dependencies }));
  writeFileSync(join(app, "package.json"), "{}");
  expect(packageNeeds([{ path: "client.ts", text }], join(app, "src")).missing).toEqual([]);
});

it.each([undefined, libraryName])(
  "the targets need the same packages with the modules of %s",
  async (runtimeImport) => {
    const targets = ["client", "server", "auth-jwt", "auth-oauth", "otel"];
    const options = { targets, ...(runtimeImport !== undefined && { runtimeImport }) };
    const { files, library } = await generateFrom(findSource("1.0"), options);
    const folder = temporaryFolder();
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({ dependencies: { [libraryName]: "1" } }),
    );
    const { missing } = packageNeeds([...files, ...library], folder);
    expect(missing).toEqual(["@opentelemetry/api", "jose", "oauth4webapi"]);
  },
);
