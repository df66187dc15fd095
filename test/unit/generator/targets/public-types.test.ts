import { describe, expect, it } from "vitest";
import { findSource, generateFrom, moduleText, textOf } from "../../../support/output.js";

/** The output for 1.0 with further messages in its proto. */
async function outputWith(messages: string): Promise<(path: string) => string> {
  const source = findSource("1.0");
  const { proto } = source;
  if (proto === undefined) throw new Error("1.0 has no proto");
  const generated = await generateFrom({
    ...source,
    proto: { ...proto, text: `${proto.text}\n${messages}` },
  });
  return (path) =>
    path === "models.ts" ? moduleText(generated, "models") : textOf(generated, path);
}

describe("types of the runtime in public signatures", () => {
  it("runtime types in public signatures are exported, including the errors of the codec", async () => {
    const textIn = await outputWith("");
    expect(textIn("client/index.ts")).toContain("export type { Fetch, HttpOptions }");
    for (const name of ["A2AErrorOptions", "ErrorDetail", "ErrorRow", "GrpcStatus"])
      expect(textIn("errors.ts")).toMatch(
        new RegExp(`export \\{[^}]*\\btype ${name}\\b[^}]*\\} from`),
      );
    expect(textIn("protobuf.ts")).toContain("export { DecodeError, EncodeError }");
    expect(textIn("index.ts")).not.toContain("protobuf");
  });

  it("runtime types keep their names if messages have the same names, which are escaped", async () => {
    const textIn = await outputWith(
      "message Fetch {}\nmessage ErrorDetail {}\nenum GrpcStatus { GRPC_STATUS_UNKNOWN = 0; }",
    );
    expect(textIn("client/index.ts")).toContain("export type { Fetch, HttpOptions }");
    for (const name of ["Fetch_", "ErrorDetail_", "GrpcStatus_"])
      expect(textIn("models.ts")).toContain(`export type ${name} =`);
  });
});
