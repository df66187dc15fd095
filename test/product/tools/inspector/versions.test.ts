import { describe, expect, it } from "vitest";
import { draftAgent } from "../probe/draft-agent.js";
import { a2a, a2aJson, earlierAgent, echoAgent } from "./command.js";

/** All transports of the example agents, as the option names them. */
const transports = ["JSONRPC", "HTTP+JSON", "GRPC"] as const;

/** Agents of both versions, and the options that a run needs for them. */
const agents = [
  ["1.0", () => echoAgent(), []],
  ["0.3", () => earlierAgent(), ["--a2a-version", "0.3"]],
] as const;

describe.each(agents)("a2a with an agent of %s", (version, start, options) => {
  it.each(transports)(
    "sends, reads and cancels over %s with the same results (A2ACLI_TX_004, TX_005)",
    async (binding) => {
      const more = ["-a", await start(), "--transport", binding, ...options];
      const sent = await a2aJson(["send", "ask Who are you?", ...more]);
      expect(sent).toMatchObject({
        code: 0,
        json: { task: { status: { state: "TASK_STATE_INPUT_REQUIRED" } } },
      });
      const id = sent.json.task?.id ?? "";
      const answered = await a2aJson(["send", "Ada", "--task-id", id, ...more]);
      expect(answered.json.task).toMatchObject({ id, status: { state: "TASK_STATE_COMPLETED" } });
      expect(await a2aJson(["task", "get", id, ...more])).toMatchObject({ code: 0, json: { id } });
      const refused = await a2aJson(["task", "cancel", id, ...more]);
      expect(refused).toMatchObject({
        code: 1,
        json: { error: { code: "TaskNotCancelableError" } },
      });
      const missing = await a2aJson(["task", "get", "nowhere", ...more]);
      expect(missing).toMatchObject({
        code: 1,
        json: { error: { code: "TaskNotFoundError", a2aCode: -32001 } },
      });
    },
  );

  it.each(transports)(
    "a2a streams over %s as JSON Lines that end with the final state (A2ACLI_OUT_003)",
    async (binding) => {
      const args = [
        "send",
        "Hello there",
        "--stream",
        "-o",
        "json",
        "-a",
        await start(),
        "--transport",
        binding,
      ];
      const { code, stdout } = await a2a([...args, ...options]);
      const events = stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(code).toBe(0);
      expect(events[0]).toHaveProperty("task");
      expect(events.at(-1)).toMatchObject({
        statusUpdate: { status: { state: "TASK_STATE_COMPLETED" } },
      });
      expect(events.filter((event) => "artifactUpdate" in event).length).toBeGreaterThan(0);
    },
  );

  it("a2a shows the card, with all interfaces and their states (A2ACLI_CARD_GET_001)", async () => {
    const { code, stdout } = await a2a(`card get -a ${await start()} --probe`);
    expect(code).toBe(0);
    for (const binding of transports) {
      expect(stdout).toContain(`Interface: ${binding} ${version}`);
      expect(stdout).toMatch(
        new RegExp(`Probe: ${binding.replace("+", "\\+")} ${version}\\S* responds in \\d+ ms`),
      );
    }
  });
});

describe("a2a versions", () => {
  it.each(transports)("a2a calls an agent that only serves 1.1 over %s", async (binding) => {
    const { code, stdout } = await a2a([
      "send",
      "hi",
      "-a",
      await draftAgent({ isAlone: true }),
      "--transport",
      binding,
    ]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("State: COMPLETED")]);
  });

  it("a2a calls an agent that only serves 0.3 with this version, and prints a note", async () => {
    const { code, stdout, stderr } = await a2a(`send hi -a ${await earlierAgent()}`);
    expect([code, stdout]).toEqual([0, expect.stringContaining("State: COMPLETED")]);
    expect(stderr).toContain("Note: The agent only supports 0.3, so the call has this version");
  });

  it("a2a only calls the version in --a2a-version (A2ACLI_VER_001)", async () => {
    const { code, json } = await a2aJson(`send hi -a ${await earlierAgent()} --a2a-version 1.0`);
    expect([code, json.error]).toMatchObject([
      2,
      { code: "A2ACLI_ERR_USAGE", hint: "Add --a2a-version 0.3" },
    ]);
  });

  it("a2a prefers transports in the order of the options, and skips transports that the agent does not have (A2ACLI_TX_001, TX_002)", async () => {
    const url = await echoAgent();
    const { stderr } = await a2a(
      `send hi -a ${url} --transport soap --transport http+json --debug`,
    );
    expect(stderr).toContain("Interface: HTTP+JSON 1.0 at");
    expect((await a2a(`send hi -a ${url} --debug`)).stderr).toContain("Interface: JSONRPC 1.0 at");
  });
});
