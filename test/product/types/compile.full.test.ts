import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { libraryName } from "../../../generator/core/package-names.js";
import { findSource, generateFrom, sourceOf, writeTo } from "../../support/output.js";
import { complaintsOf } from "./compile.js";
import { largeProto } from "./large.js";

/** Choices of targets, each with what it needs. */
const subsets = [
  ["models"],
  ["validators"],
  ["errors"],
  ["operations"],
  ["protobuf"],
  ["client"],
  ["server"],
  ["client", "jsonrpc"],
  ["client", "rest"],
  ["client", "grpc"],
  ["server", "jsonrpc"],
  ["server", "rest"],
  ["server", "grpc"],
  ["client", "server", "jsonrpc", "rest"],
];

const everyOption = { allowUnusedLabels: false, allowUnreachableCode: false };

describe("the output for every choice of targets", () => {
  it("the output compiles for every choice of targets", async () => {
    for (const version of ["1.0", "0.3.0", "0.2.1"]) {
      // Copies are the same in each version.
      const library = version === "1.0" ? {} : { runtimeImport: libraryName };
      for (const targets of subsets) {
        const files = await generateFrom(findSource(version), { targets, ...library });
        writeTo(join("subsets", version, targets.join("-")), files);
      }
    }
    const project = {
      name: "subsets",
      include: ["subsets/**/*"],
      surrounding: "node",
      options: everyOption,
    } as const;
    expect(await complaintsOf("typescript-7", project)).toEqual([]);
  });
});

describe("a specification with a state, a kind of content and members of its own", () => {
  it("the task kit compiles, as copies and from the package", async () => {
    const source = findSource("1.0");
    const text = (source.proto?.text ?? "")
      .replace(/(TASK_STATE_REJECTED = \d+;)/, "$1 TASK_STATE_PAUSED = 20;")
      .replace(/(message Task \{)/, "$1 string priority = 90;")
      .replace(/(oneof content \{)/, "$1 string emoji = 91;");
    const own = { ...source, proto: { file: "own.proto", text } };
    for (const [folder, library] of [
      ["own-copies", {}],
      ["own-package", { runtimeImport: libraryName }],
    ] as const)
      writeTo(folder, await generateFrom(own, library));
    const project = {
      name: "own",
      include: ["own-*/**/*"],
      surrounding: "node",
      options: everyOption,
    } as const;
    expect(await complaintsOf("typescript-7", project)).toEqual([]);
  });
});

describe("a proto with a thousand messages", () => {
  it("the output of a thousand messages compiles", async () => {
    writeTo("large", await generateFrom(sourceOf(largeProto(1000))));
    const project = { name: "large", include: ["large/**/*"], surrounding: "node" } as const;
    expect(await complaintsOf("typescript-7", project)).toEqual([]);
  });
});
