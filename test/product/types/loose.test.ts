import { expect, it } from "vitest";
import { libraryName } from "../../../generator/core/package-names.js";
import { findSource, generateFrom, writeTo } from "../../support/output.js";
import { complaintsOf } from "./compile.js";

/** The options of projects that NestJS 10 creates, which older projects also have. */
const loose = {
  target: "ES2022",
  strict: false,
  strictNullChecks: false,
  noImplicitAny: false,
  strictBindCallApply: false,
  exactOptionalPropertyTypes: false,
  noUncheckedIndexedAccess: false,
  noPropertyAccessFromIndexSignature: false,
  noFallthroughCasesInSwitch: false,
  noImplicitOverride: false,
  verbatimModuleSyntax: false,
  isolatedModules: false,
  erasableSyntaxOnly: false,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  skipLibCheck: true,
};

it("the output that imports the package compiles without strictNullChecks", async () => {
  const targets = ["client", "server", "jsonrpc", "rest", "grpc", "tasks"];
  writeTo("loose", await generateFrom(findSource("1.0"), { targets, runtimeImport: libraryName }));
  const project = {
    name: "loose",
    include: ["loose/**/*"],
    surrounding: "node",
    options: loose,
  } as const;
  expect(await complaintsOf("typescript-7", project)).toEqual([]);
});
