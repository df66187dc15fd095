import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { StreamResponse } from "../../../../generated/1.0/models.js";
import { a2a } from "./command.js";

/** Runs `a2a listen` for some events, and returns what it prints. */
async function heard(events: readonly StreamResponse[]): Promise<string> {
  const write = vi.spyOn(process.stderr, "write");
  onTestFinished(() => write.mockRestore());
  const running = a2a(`listen --token s3cret --count ${events.length}`);
  const url = await vi.waitFor(
    () => /Listening at (\S+)/.exec(write.mock.calls.join("\n"))?.[1] ?? expect.fail("not yet"),
  );
  const headers = { "content-type": "application/json", "x-a2a-notification-token": "s3cret" };
  for (const event of events) {
    const { ok } = await fetch(url, { method: "POST", headers, body: JSON.stringify(event) });
    expect(ok).toBe(true);
  }
  return (await running).stdout;
}

function chunk(taskId: string, artifactId: string, text: string): StreamResponse {
  const artifact = { artifactId, parts: [{ text }] };
  return { artifactUpdate: { taskId, contextId: "c", artifact, append: true } };
}

describe("a2a listen", () => {
  it("a2a listen prints a heading for each task and each artifact that is new to the reader, also if its first chunk is an addition", async () => {
    const working = { state: "TASK_STATE_WORKING" } as const;
    const printed = await heard([
      chunk("t", "report", "One "),
      chunk("t", "report", "two"),
      chunk("t", "notes", "three"),
      { statusUpdate: { taskId: "t", contextId: "c", status: working } },
      chunk("t", "notes", "four"),
      chunk("u", "notes", "five"),
    ]);
    expect(printed).toBe(
      [
        "Task: t\nContext: c\nArtifact: report\nText:\n  One two\n",
        "Artifact: notes\nText:\n  three\n",
        "State: WORKING\nArtifact: notes\nText:\n  four\n",
        "Task: u\nContext: c\nArtifact: notes\nText:\n  five\n\n",
      ].join("\n"),
    );
  });
});
