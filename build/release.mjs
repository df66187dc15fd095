#!/usr/bin/env node
// Prepares a release: npm run release -- VERSION. Without --write, only prints the steps and the notes. With it, dates
// the section of the changelog, sets the version, and creates a commit and a tag. Pushing the tag publishes the package:
// see .github/workflows/release.yml. `release.mjs notes VERSION` prints the notes of a release.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "boolean", default: false }, date: { type: "string" } },
});

try {
  if (positionals[0] === "notes")
    console.log(sectionOf(readFileSync("CHANGELOG.md", "utf8"), positionals[1] ?? "").notes);
  else release(positionals[0] ?? "", values.date ?? new Date().toISOString().slice(0, 10), values.write);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

function release(version, date, write) {
  const [changelog, description] = ["CHANGELOG.md", "package.json"].map((file) => readFileSync(file, "utf8"));
  const { heading, notes, state } = sectionOf(changelog, version);
  const problems = problemsOf(version, JSON.parse(description), state);
  if (problems.length > 0)
    throw new Error(`The release cannot be made:\n${problems.map((each) => `- ${each}`).join("\n")}`);
  const tag = `v${version}`;
  console.log(
    `CHANGELOG.md: ## [${version}] - ${date}\npackage.json: version ${version}\ncommit and tag: ${tag}\n\n${notes}`,
  );
  if (!write) return console.log("\nNothing was written: add --write");
  writeFileSync("CHANGELOG.md", changelog.replace(heading, `## [${version}] - ${date}`));
  run("npm", "version", version, "--no-git-tag-version", "--allow-same-version", "--ignore-scripts");
  run("git", "commit", "--all", "--quiet", "--message", `Release ${version}`);
  // Without this option, git would remove the headings of the notes as comments.
  run("git", "tag", "--annotate", "--cleanup=whitespace", tag, "--message", `${tag}\n\n${notes}`);
  console.log(`\nTo publish: git push --follow-tags`);
}

/** Returns the reasons why a version cannot be released. */
function problemsOf(version, { repository, version: current }, state) {
  const isVersion = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version);
  return [
    !isVersion && `"${version}" is not a version: use three numbers, such as 1.2.3`,
    isVersion && current.localeCompare(version, "en", { numeric: true }) > 0 && `the version is already ${current}`,
    state === undefined && `CHANGELOG.md has no section [${version}]: add it with the changes since the last release`,
    state !== undefined && state !== "Unreleased" && `CHANGELOG.md lists ${version} as released: ${state}`,
    repository === undefined && "`repository` is missing in package.json: npm compares it with the provenance",
    run("git", "status", "--porcelain") !== "" && "the working tree has changes: commit them first",
    run("git", "branch", "--show-current") !== "main" && "the branch is not main: releases are made from main",
    isVersion && run("git", "tag", "--list", `v${version}`) !== "" && `the tag v${version} exists`,
  ].filter((problem) => problem !== false);
}

/** Returns the section of a version in the changelog: its heading, its state, and its text. */
function sectionOf(changelog, version) {
  const sections = changelog.split(/^(?=## \[)/m).slice(1);
  const found = sections.find((section) => section.startsWith(`## [${version}] - `));
  if (found === undefined) return { heading: "", state: undefined, notes: "" };
  const [heading = ""] = found.split("\n", 1);
  return { heading, state: heading.split(" - ")[1], notes: found.slice(heading.length).trim() };
}

function run(program, ...args) {
  return execFileSync(program, args, { encoding: "utf8" }).trim();
}
