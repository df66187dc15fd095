import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { packageNeeds } from "../../../generator/output/package.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const text = 'import type { Client } from "@grpc/grpc-js";\nimport { send } from "a2a-codegen/runtime/http/client";\n';

it.each([
  [{}, ["@grpc/grpc-js", "a2a-codegen"]],
  [{ dependencies: { "a2a-codegen": "1.0.0" } }, ["@grpc/grpc-js"]],
  [{ name: "a2a-codegen" }, ["@grpc/grpc-js", "a2a-codegen"]],
  [{ name: "a2a-codegen", exports: {} }, ["@grpc/grpc-js"]],
])("A project with the description %j does not have the packages %j", (description, missing) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "package.json"), JSON.stringify(description));
  expect(packageNeeds([{ path: "client.ts", text }], join(folder, "src")).missing).toEqual(missing);
});
