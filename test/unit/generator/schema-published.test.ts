import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../generator/support/package-folder.js";
import { readText } from "./schema-reading.js";

/** Definitions, operations and errors of each version. */
const counts: Readonly<Record<string, readonly [definitions: number, operations: number, errors: number]>> = {
  "0.1.0": [50, 7, 9],
  "0.2.0": [75, 7, 11],
  "0.2.1": [75, 7, 11],
  "0.2.2": [76, 7, 11],
  "0.2.3": [76, 7, 11],
  "0.2.4": [77, 7, 11],
  "0.2.5": [86, 9, 11],
  "0.2.6": [86, 9, 11],
  "0.3.0": [93, 10, 12],
};

/** The bundled versions, and every published one where they are there. */
const found = [join(packageFolder, "spec"), join(packageFolder, "..", "shared", "spec")].flatMap((folder) =>
  (existsSync(folder) ? readdirSync(folder) : []).flatMap((version) => {
    const file = join(folder, version, "a2a.json");
    return existsSync(file) ? [{ version: version.replace(/^v/, ""), file }] : [];
  }),
);

describe.each(found)("the schema of $version", ({ version, file }) => {
  const source = readFileSync(file, "utf8");
  const parts = readText(source);

  it("gives its definitions, operations and errors", () => {
    const definitions = parts.types.filter(({ fullName }) => !fullName.includes("."));
    expect([definitions.length, parts.operations.length, parts.errors.length]).toEqual(counts[version]);
  });

  it("invents no number", () => {
    const numbered = parts.types.map(({ name }) => name).filter((name) => /\d$/.test(name));
    expect(numbered).toEqual([]);
  });

  it("tells its parts apart by a constant", () => {
    const part = parts.types.find(({ name }) => name === "Part");
    expect(part).toMatchObject({ kind: "union", discriminator: version === "0.1.0" ? "type" : "kind" });
  });

  it("knows the answer to every request but that of a resubscription, which it does not declare", () => {
    const silent = parts.operations.filter(({ response }) => response === undefined).map(({ name }) => name);
    expect(silent).toEqual(["TaskResubscription"]);
  });

  it("knows the place of every type", () => {
    for (const { fullName } of parts.types) expect(parts.locationOf(fullName)?.line, fullName).toBeGreaterThan(1);
  });
});

describe("the schema of 0.3.0", () => {
  it("declares inline what has no name: params, results and nothing else", () => {
    const file = found.find(({ version }) => version === "0.3.0")?.file ?? "";
    const inline = readText(readFileSync(file, "utf8")).types.filter(({ fullName }) => fullName.includes("."));
    expect(inline.map(({ kind, name, fullName }) => [kind, name, fullName])).toEqual([
      ["union", "GetTaskPushNotificationConfigInput", "GetTaskPushNotificationConfigRequest.params"],
      ["alias", "ListTaskPushNotificationConfigResult", "ListTaskPushNotificationConfigSuccessResponse.result"],
      ["union", "SendMessageResult", "SendMessageSuccessResponse.result"],
      ["union", "SendStreamingMessageResult", "SendStreamingMessageSuccessResponse.result"],
    ]);
  });
});
