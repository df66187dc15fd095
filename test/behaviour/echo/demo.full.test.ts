import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";

function demo(...args: string[]) {
  const script = join(packageFolder, "examples", "demo.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    encoding: "utf8",
  });
  return { status, output: stdout + stderr };
}

describe("npm run demo", () => {
  it("the demo calls every operation of 0.3.0 over every transport", () => {
    const { status, output } = demo("--spec", "0.3.0");
    expect(status, output).toBe(0);
    expect(output).toContain("A2A 0.3.0");
    expect(output).toMatch(/checks, all as expected/);
    for (const binding of ["JSONRPC", "HTTP+JSON", "GRPC"])
      expect(output).toContain(`✓ ${binding}`);
  });

  it.each([
    [["--spec", "0.9"], "No examples exist for A2A"],
    [["--spec"], "--spec"],
    [["--version", "1.0"], "--version"],
  ])("the demo refuses %j and lists the valid values", (args, message) => {
    const { status, output } = demo(...args);
    expect(status).toBe(2);
    expect(output).toContain(message);
    expect(output).toContain("The versions are 1.0 and 0.3.0");
    expect(output).not.toContain("    at ");
  });
});
