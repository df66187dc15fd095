import { expect, it } from "vitest";
import { progressOn } from "../../../../tools/a2a/probe-progress.js";
import { probeAgent } from "../../../../tools/probe/probe.js";
import { echoAgent } from "../inspector/command.js";
import { failure } from "./judged.js";

/** A stream that keeps what is written to it. */
function streamOf(isTTY: boolean) {
  const written: string[] = [];
  return { written, isTTY, write: (text: string | Uint8Array) => written.push(String(text)) > 0 };
}

it("a terminal displays the number of checks on one line, which is erased at the end", () => {
  const stream = streamOf(true);
  const { onResult, end } = progressOn(stream);
  onResult?.(failure({ state: "pass" }));
  onResult?.(failure({}));
  end();
  expect(stream.written).toEqual(["\r1 check, 0 failed", "\r2 checks, 1 failed", "\r\u001b[K"]);
});

it("a stream that is not a terminal displays nothing", () => {
  const stream = streamOf(false);
  const { onResult, end } = progressOn(stream);
  end();
  expect([onResult, stream.written]).toEqual([undefined, []]);
});

it("a probe reports each check on an interface as soon as the check ends", async () => {
  const seen: string[] = [];
  const only = ["get-unknown", "list-token-unknown"];
  const onResult = ({ id, lane }: { id: string; lane: string }) => seen.push(`${id} ${lane}`);
  const { results } = await probeAgent(await echoAgent(), { only, onResult });
  const checks = results.filter(({ lane }) => lane !== "card");
  expect(checks.length).toBeGreaterThan(0);
  expect(seen.toSorted()).toEqual(checks.map(({ id, lane }) => `${id} ${lane}`).toSorted());
});
