import { expect, it } from "vitest";
import { findSource, generateFrom, textOf } from "../../../support/output.js";

/** Generates 1.0 with adapters for other versions. */
function generated(versions: readonly string[], targets: readonly string[]) {
  return generateFrom(
    { ...findSource("1.0"), versions: versions.map((one) => findSource(one)) },
    { targets },
  );
}

it.each([
  [
    ["0.3.0", "0.3.0"],
    ["models"],
    "the versions contain A2A 0.3.0 and A2A 0.3.0, which both have the wire version 0.3. Remove one of them.",
  ],
  [
    ["1.0.0"],
    ["models"],
    "the versions contain 1.0, which the output supports without an adapter. Remove 1.0 from the versions.",
  ],
  [
    ["0.3.0"],
    ["schema"],
    "adapters for other versions require models. Add models, client or server to the targets.",
  ],
])("the versions %j with the targets %j are refused", async (versions, targets, message) => {
  await expect(generated(versions, targets)).rejects.toThrow(message);
});

it("the adapter of a client that only supports gRPC names no options that it does not use", async () => {
  const output = await generated(["0.3.0"], ["client", "grpc"]);
  expect(textOf(output, "versions/0.3/client.ts")).toContain("transports: () => [],");
});

it("a server converts messages, tasks and events of another version without tables, and a client only has the tables", async () => {
  const server = await generated(["0.3.0"], ["server", "jsonrpc"]);
  const direct = textOf(server, "versions/0.3/direct.ts");
  for (const type of ["MessageSendParams~SendMessageRequest", "StreamResponse", "Task"])
    expect(direct).toMatch(new RegExp(`^    "?${type}"?: \\w+,$`, "m"));
  const client = await generated(["0.3.0"], ["client", "jsonrpc"]);
  expect(client.files.map(({ path }) => path)).not.toContain("versions/0.3/direct.ts");
});
