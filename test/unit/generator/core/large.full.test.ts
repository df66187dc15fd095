import { describe, expect, it } from "vitest";
import type { SpecSource } from "../../../../generator/input/source.js";
import { servicesSource } from "../../../behaviour/services/shop.js";
import { generateFrom, sourceOf } from "../../../support/output.js";
import { expectLinearTime } from "../../../support/linear-time.js";
import { processorTime } from "../../../support/processor-time.js";
import { largeProto } from "../../../product/types/large.js";
import { head, problemsOf } from "../input/proto/reading.js";

const fields = (count: number) =>
  Array.from({ length: count }, (_, index) => `  string field_${index} = ${index + 1};`).join("\n");

const rpcs = (count: number) => {
  const http = (index: number) => `option (google.api.http) = { get: "/v1/things${index}/{id}" };`;
  const rpc = (_: unknown, index: number) => `  rpc Do${index}(M) returns (M) { ${http(index)} }`;
  return Array.from({ length: count }, rpc).join("\n");
};

/** Protos with many parts: messages that refer to one another, or parts of one declaration. */
const protos = {
  messages: (count: number) => sourceOf(largeProto(count)),
  "fields of a message": (count: number) => sourceOf(`${head}message M {\n${fields(count)}\n}`),
  "members of a oneof": (count: number) =>
    sourceOf(`${head}message M {\n  string a = 20000;\n  oneof kind {\n${fields(count)}\n  }\n}`),
  "rpcs of a service": (count: number) =>
    servicesSource(
      `${head}import "google/api/annotations.proto";\n` +
        `service S {\n${rpcs(count)}\n}\nmessage M { string id = 1; }`,
    ),
} as const;

/**
 * The least processor time that generation takes of two times, in milliseconds: others collect
 * garbage, too.
 */
async function timeFor(source: SpecSource) {
  const times: number[] = [];
  for (let round = 0; round < 2; round += 1) {
    const start = processorTime();
    await generateFrom(source);
    times.push(processorTime() - start);
  }
  return Math.min(...times);
}

describe.each(Object.entries(protos))("a proto with hundreds of %s", (_, sourceFor) => {
  // With quadratic time, four times as many would take sixteen times as long.
  it(
    "four times as many take little more than four times as long",
    { timeout: 240_000 },
    async () => {
      const few = await timeFor(sourceFor(100));
      expect((await timeFor(sourceFor(400))) / few).toBeLessThan(9);
    },
  );

  it("the output grows linearly", { timeout: 240_000 }, async () => {
    const linesFor = async (count: number) => {
      const { files } = await generateFrom(sourceFor(count));
      return files
        .filter(({ path }) => !path.startsWith("runtime/"))
        .flatMap(({ text }) => text.split("\n")).length;
    };
    expect(await linesFor(400)).toBeLessThan(2.1 * (await linesFor(200)));
  });
});

describe("a proto that exceeds a limit", () => {
  it("a message with too many fields is reported in one line", () => {
    expect(problemsOf(sourceOf(`${head}message A {\n${fields(5002)}\n}`))).toEqual([
      'test.proto:5004:10: message "A" has more than 5000 fields. Split it into several messages.',
    ]);
  });

  const numbersTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
  const oneofsOf = (numbers: readonly number[]) =>
    numbers.map((number) => `oneof o${number} { bool b${number} = ${number}; }`).join("");
  const reservedOf = (numbers: readonly number[]) =>
    numbers.map((number) => `reserved ${number};`).join("");
  // With quadratic time, each of these took from ten seconds to minutes.
  it.each<[string, number, (count: number) => string]>([
    ["spaces in a comment", 160_000, (count) => `/*\n${" ".repeat(count)}x\n*/ message A {}`],
    ["lines in a comment", 160_000, (count) => `/*\n a${"\n".repeat(count)}x\n*/ message A {}`],
    ["parts of a name", 160_000, (count) => `message A { a${" . a".repeat(count)} b = 1; }`],
    ["nested messages", 20_000, (count) => "message A {".repeat(count) + "}".repeat(count)],
    [
      "capitals in a name",
      80_000,
      (count) => `message A {} service S { rpc ${"A".repeat(count)}(A) returns (A); }`,
    ],
    ["reserved numbers", 40_000, (count) => `message A { ${reservedOf(numbersTo(count))} }`],
    ["oneofs", 4000, (count) => `message A { ${oneofsOf(numbersTo(count))} }`],
  ])(
    "a proto is read in linear time if one element is very long: %s",
    { timeout: 240_000 },
    async (_, size, textOf) => {
      const sourceWith = (count: number) => sourceOf(head + textOf(count));
      await expectLinearTime(size, sourceWith, problemsOf);
    },
  );
});
