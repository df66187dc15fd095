import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../generator/support/package-folder.js";
import { specRegistry } from "../../../generator/input/registry.js";
import { findSource, generateFrom, sourceOf, writeTo } from "../../support/output.js";
import { processorTime } from "../../support/processor-time.js";
import { complaintsOf } from "./compile.js";
import { largeProto } from "./large.js";

/** The folder with every published interface, where it is there. */
const published = join(packageFolder, "..", "shared", "spec");
const isPublished = existsSync(published);
const publishedProtos = isPublished
  ? readdirSync(published).filter((version) => existsSync(join(published, version, "a2a.proto")))
  : [];

/** What only the fastest compiler looks at, because it differs little from the others. */
const relatives = [
  ...publishedProtos.flatMap((version) => {
    const schema = join(published, version, "a2a.json");
    const proto = join(published, version, "a2a.proto");
    const both = () => specRegistry(packageFolder).find(proto, { schema, manifest: "0.2.6" });
    return existsSync(schema) && version.startsWith("v0.2") ? [[`both-${version}`, both] as const] : [];
  }),
  ...publishedProtos.map(
    (version) => [`published-${version}`, () => findSource(join(published, version, "a2a.proto"))] as const,
  ),
] as const;

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

describe("the output for every version and every choice of targets", () => {
  it.skipIf(isPublished)("leaves out the published protos here: ../shared/spec is not there", () => {
    expect(publishedProtos).toEqual([]);
  });

  it("compiles", async () => {
    for (const [name, find] of relatives) writeTo(join("relatives", name), await generateFrom(find()));
    for (const version of ["1.0", "0.3.0", "0.2.1"]) {
      for (const targets of subsets) {
        const files = await generateFrom(findSource(version), { targets });
        writeTo(join("relatives", version, targets.join("-")), files);
      }
    }
    const project = {
      name: "relatives",
      include: ["relatives/**/*"],
      surrounding: "node",
      options: everyOption,
    } as const;
    expect(await complaintsOf("typescript-7", project)).toEqual([]);
  });
});

describe("a proto with a thousand messages", () => {
  const timeOf = async (messages: number): Promise<number> => {
    const start = processorTime();
    await generateFrom(sourceOf(largeProto(messages)));
    return processorTime() - start;
  };

  it("takes four times as long as one with 250, and not sixteen times", async () => {
    await timeOf(100);
    const small = Math.min(await timeOf(250), await timeOf(250));
    const large = await timeOf(1000);
    expect(large / small).toBeLessThan(8);
  });

  it("compiles", async () => {
    writeTo("large", await generateFrom(sourceOf(largeProto(1000))));
    const project = { name: "large", include: ["large/**/*"], surrounding: "node" } as const;
    expect(await complaintsOf("typescript-7", project)).toEqual([]);
  });
});
