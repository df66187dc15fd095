import { describe, expect, it } from "vitest";
import { specRegistry } from "../../../../../generator/input/registry.js";
import { findSource } from "../../../../support/output.js";
import { packageFolder } from "../../../../../support/package-folder.js";
import { readText } from "./schema-reading.js";

const found = specRegistry(packageFolder)
  .list()
  .flatMap(({ id, sources }) => (sources.includes("schema") ? [{ version: id }] : []));

describe.each(found)("the schema of $version", ({ version }) => {
  const parts = readText(findSource(version).schema?.text ?? "");

  it("the names of types do not end in a digit", () => {
    const numbered = parts.types.map(({ name }) => name).filter((name) => /\d$/.test(name));
    expect(numbered).toEqual([]);
  });

  it("each type of the schema has a location", () => {
    for (const { fullName } of parts.types)
      expect(parts.locationOf(fullName)?.line, fullName).toBeGreaterThan(1);
  });
});

describe("the schema of 0.3.0", () => {
  it("the schema only declares params and results inline", () => {
    const inline = readText(findSource("0.3.0").schema?.text ?? "").types.filter(({ fullName }) =>
      fullName.includes("."),
    );
    expect(inline.map(({ kind, name, fullName }) => [kind, name, fullName])).toEqual([
      [
        "union",
        "GetTaskPushNotificationConfigInput",
        "GetTaskPushNotificationConfigRequest.params",
      ],
      [
        "alias",
        "ListTaskPushNotificationConfigResult",
        "ListTaskPushNotificationConfigSuccessResponse.result",
      ],
      ["union", "SendMessageResult", "SendMessageSuccessResponse.result"],
      ["union", "SendStreamingMessageResult", "SendStreamingMessageSuccessResponse.result"],
    ]);
  });
});
