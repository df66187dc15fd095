import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { a2a, echoAgent } from "./command.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

/** All transports of the example agents, as the option names them. */
const transports = ["JSONRPC", "HTTP+JSON", "GRPC"] as const;

describe("a2a --debug", () => {
  it("a2a --debug prints requests and responses of every transport to standard error (A2ACLI_OUT_007)", async () => {
    const url = await echoAgent();
    for (const binding of transports) {
      const { stdout, stderr } = await a2a([
        "send",
        "Hello",
        "-a",
        url,
        "--transport",
        binding,
        "--debug",
        "-o",
        "json",
      ]);
      expect(JSON.parse(stdout)).toHaveProperty("task");
      expect(stderr).toMatch(/→ .*"parts":\[\{"text":"Hello"\}\]/);
      expect(stderr).toMatch(/← .*TASK_STATE_COMPLETED/);
    }
  });
});

describe("a2a config show", () => {
  it("a2a config show prints each setting with its source: flag, environment, file, global file, default (A2ACLI_CONFIG_002)", async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, ".config", "a2a-cli"), { recursive: true });
    mkdirSync(join(cwd, "below"));
    writeFileSync(
      join(cwd, ".config", "a2a-cli", ".env"),
      "A2ACLI_TIMEOUT=1s\nA2ACLI_OUTPUT=text\n",
    );
    writeFileSync(
      join(cwd, ".env"),
      '# settings\nexport A2ACLI_TIMEOUT="2s"\nOTHER=1\nA2ACLI_TRANSPORT=GRPC # fast\n',
    );
    const options = {
      cwd: join(cwd, "below"),
      env: { HOME: cwd, A2ACLI_DEBUG: "true", A2ACLI_BEARER: "s3cret" },
    };
    const { stdout } = await a2a("config show --a2a-version 0.3", options);
    expect(stdout).toContain("a2a-version: 0.3 (flag)\n");
    expect(stdout).toContain("debug: true (environment)\n");
    expect(stdout).toContain(`timeout: 2s (file ${join(cwd, ".env")})\n`);
    expect(stdout).toContain("transport: GRPC (file");
    expect(stdout).toContain(
      `output: text (global file ${join(cwd, ".config", "a2a-cli", ".env")})\n`,
    );
    expect(stdout).toContain("poll-interval: 2s (default)\n");
    expect(stdout).not.toContain("s3cret");
  });
});

describe("a2a itself", () => {
  it.each([
    [["--version"]],
    [["--help"]],
    [["help"]],
    [["help", "send"]],
    [["send", "--help"]],
    [["task", "get", "-h"]],
  ])("a2a prints help or version with %j, and ends with 0 (A2ACLI_CLI_001)", async (args) => {
    const { code, stdout, stderr } = await a2a(args);
    expect([code, stdout.length > 3, stderr]).toEqual([0, true, ""]);
    expect(Math.max(...stdout.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  it("a2a suggests a similar command or option", async () => {
    expect((await a2a("snd")).stderr).toContain("Did you mean send?");
    expect((await a2a("send hi --straem")).stderr).toContain("Did you mean --stream?");
  });

  it("a2a stores nothing between runs (A2ACLI_INTERACT_005)", async () => {
    const cwd = temporaryFolder();
    await a2a(`send hi -a ${await echoAgent()}`, { cwd });
    expect(readdirSync(cwd)).toEqual([]);
    expect(existsSync(join(cwd, ".config"))).toBe(false);
  });
});
