import { describe, expect, it } from "vitest";
import { generateFrom, sourceOf } from "../../support/output.js";
import { head } from "./reading.js";

const fields = (count: number): string =>
  Array.from({ length: count }, (_, index) => `  string field_${index} = ${index + 1};`).join("\n");

/** Protos of one declaration with many parts. */
const protos = {
  "a message with fields": (count: number) => `${head}message M {\n${fields(count)}\n}`,
  "a oneof with members": (count: number) =>
    `${head}message M {\n  string a = 20000;\n  oneof kind {\n${fields(count)}\n  }\n}`,
} as const;

/** The processor time that generation takes, in seconds. */
async function secondsFor(proto: string): Promise<number> {
  const start = process.cpuUsage();
  await generateFrom(sourceOf(proto));
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000_000;
}

describe.each(Object.entries(protos))("%s by the thousand", (_, protoOf) => {
  // Where time grows with the square, four times as many take sixteen times as long.
  it(
    "takes not much more than four times as long where there are four times as many",
    { timeout: 240_000 },
    async () => {
      await secondsFor(protoOf(250));
      const least = async (count: number): Promise<number> =>
        Math.min(await secondsFor(protoOf(count)), await secondsFor(protoOf(count)));
      expect((await least(1000)) / (await least(250))).toBeLessThan(9);
    },
  );

  it("gives output that grows as they do", { timeout: 240_000 }, async () => {
    const linesFor = async (count: number): Promise<number> => {
      const { files } = await generateFrom(sourceOf(protoOf(count)));
      return files.filter(({ path }) => !path.startsWith("runtime/")).flatMap(({ text }) => text.split("\n")).length;
    };
    expect(await linesFor(2000)).toBeLessThan(2.1 * (await linesFor(1000)));
  });
});
