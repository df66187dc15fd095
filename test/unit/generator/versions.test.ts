import { expect, it } from "vitest";
import type { Generated } from "../../../generator/core/contract.js";
import { findSource, generateFrom, textOf } from "../../support/output.js";

/** Generates 1.0 with adapters for other versions. */
function generated(versions: readonly string[], targets: readonly string[]): Promise<Generated> {
  return generateFrom({ ...findSource("1.0"), versions: versions.map((one) => findSource(one)) }, { targets });
}

it.each([
  [["0.3.0", "0.3.0"], ["models"], "A2A 0.3.0 is 0.3 on the wire, as is A2A 0.3.0. Leave one of them out."],
  [["1.0.0"], ["models"], "A2A 1.0.0 is 1.0 on the wire, as is A2A 1.0.1. Leave one of them out."],
  [["0.3.0"], ["schema"], "versions are converted by their models. Add models, client or server to the targets."],
])("the versions %j with the targets %j are refused", async (versions, targets, message) => {
  await expect(generated(versions, targets)).rejects.toThrow(message);
});

it("the adapter of a client that only speaks gRPC names no options that it does not use", async () => {
  const output = await generated(["0.3.0"], ["client", "grpc"]);
  expect(textOf(output, "versions/0.3/client.ts")).toContain("transports: () => [],");
});
