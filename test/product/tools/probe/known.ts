import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { sdkListOf } from "../../../../tools/probe/sdks.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";
import { runInProcess } from "../../cli/in-process.js";

/**
 * Probes an agent on an official SDK, and expects that it breaks exactly the rules in the list of
 * this SDK. The first line of the list contains the release.
 */
export async function expectKnownFailures(
  name: string,
  release: string,
  url: string,
): Promise<void> {
  const path = sdkListOf(name) ?? name;
  expect(readFileSync(path, "utf8").split("\n")[0]).toContain(` ${release} `);
  for (const list of [path, `sdk:${name}`]) {
    const { code, stdout } = await runInProcess(
      [
        ...["probe", url, "--allow-send", "--message", "work", "--timeout", "5"],
        ...["--fail-on", "may", "--expected-failures", list],
      ],
      temporaryFolder(),
    );
    expect(code, stdout).toBe(0);
    expect(stdout).not.toContain("Note: ");
  }
}
