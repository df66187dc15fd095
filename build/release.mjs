#!/usr/bin/env node
// Prepares a release: npm run release -- VERSION. Without --write, only prints the steps and the
// notes. With it, dates the section of the changelog, sets the version, generates the outputs
// again, and creates a commit and a tag. Pushing the tag publishes the package: see
// .github/workflows/release.yml. `release.mjs notes VERSION` prints the notes of the release that
// is checked out.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

const libraryName = "a2a-codegen-runtime";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "boolean", default: false }, date: { type: "string" } },
});

try {
  if (positionals[0] === "notes") console.log(notesOf(positionals[1] ?? ""));
  else
    release(
      positionals[0] ?? "",
      values.date ?? new Date().toISOString().slice(0, 10),
      values.write,
    );
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

function release(version, date, write) {
  const [changelog, description] = ["CHANGELOG.md", "package.json"].map((file) =>
    readFileSync(file, "utf8"),
  );
  const { heading, notes, state } = sectionOf(changelog, version);
  const { scripts, ...facts } = JSON.parse(description);
  const problems = problemsOf(version, facts, state);
  if (problems.length > 0)
    throw new Error(
      `The release cannot be made:\n${problems.map((each) => `- ${each}`).join("\n")}`,
    );
  const tag = `v${version}`;
  console.log(
    `CHANGELOG.md: ## [${version}] - ${date}\npackage.json: version ${version}\ncommit and tag: ` +
      `${tag}\n\n${notes}`,
  );
  if (!write) return console.log("\nNothing was written: add --write");
  writeFileSync("CHANGELOG.md", changelog.replace(heading, `## [${version}] - ${date}`));
  setVersion(version);
  // Generated files contain the version of the generator, and a test compares them.
  if (scripts?.generate !== undefined) run("npm", "run", "--silent", "generate");
  run("git", "commit", "--all", "--quiet", "--message", `Release ${version}`);
  // Without this option, git would remove the headings of the notes as comments.
  run("git", "tag", "--annotate", "--cleanup=whitespace", tag, "--message", `${tag}\n\n${notes}`);
  // A tag whose commit is not on the branch would still publish the package. So push both, or none.
  console.log(`\nTo publish: git push --atomic origin main ${tag}`);
}

/**
 * Sets the version of the package and of its library, which have one version, in their descriptions
 * and in the lock file.
 */
function setVersion(version) {
  const described = (facts) => {
    const { dependencies } = facts;
    const isUser = dependencies !== undefined && libraryName in dependencies;
    const own = isUser && { dependencies: { ...dependencies, [libraryName]: version } };
    return { ...facts, version, ...own };
  };
  edit("package.json", described);
  edit("library/package.json", described);
  edit("package-lock.json", ({ packages, ...lock }) => {
    const own = ["", "library"].filter((path) => path in packages);
    const versioned = own.map((path) => [path, described(packages[path])]);
    return { ...lock, version, packages: { ...packages, ...Object.fromEntries(versioned) } };
  });
}

function edit(file, change) {
  if (!existsSync(file)) return;
  const changed = change(JSON.parse(readFileSync(file, "utf8")));
  writeFileSync(file, `${JSON.stringify(changed, null, 2)}\n`);
}

/** Returns the reasons why a version cannot be released. */
function problemsOf(version, { repository, version: current }, state) {
  const isVersion = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version);
  return [
    !isVersion && `"${version}" is not a version: use three numbers, such as 1.2.3`,
    isVersion && isLater(current, version) && `the version is already ${current}`,
    state === undefined &&
      `CHANGELOG.md has no section [${version}]: add it with the changes since the last release`,
    state !== undefined &&
      state !== "Unreleased" &&
      `CHANGELOG.md lists ${version} as released: ${state}`,
    repository === undefined &&
      "`repository` is missing in package.json: npm compares it with the provenance",
    run("git", "status", "--porcelain") !== "" && "the working tree has changes: commit them first",
    run("git", "branch", "--show-current") !== "main" &&
      "the branch is not main: releases are made from main",
    isVersion && run("git", "tag", "--list", `v${version}`) !== "" && `the tag v${version} exists`,
  ].filter((problem) => problem !== false);
}

/**
 * Returns whether a version is later than another version. A version is later than its prereleases.
 */
function isLater(first, second) {
  const [[core, prerelease], [otherCore, otherPrerelease]] = [first, second].map((each) =>
    each.split(/-(.*)/s),
  );
  const order = core.localeCompare(otherCore, "en", { numeric: true });
  if (order !== 0 || prerelease === otherPrerelease) return order > 0;
  if (prerelease === undefined || otherPrerelease === undefined) return prerelease === undefined;
  return prerelease.localeCompare(otherPrerelease, "en", { numeric: true }) > 0;
}

/**
 * Returns the notes of the release that is checked out. Throws if it is another version, or is not
 * prepared.
 */
function notesOf(version) {
  const { version: current } = JSON.parse(readFileSync("package.json", "utf8"));
  const { notes, state } = sectionOf(readFileSync("CHANGELOG.md", "utf8"), version);
  if (current !== version)
    throw new Error(`The tag is v${version}, but package.json has the version ${current}`);
  if (state === undefined || state === "Unreleased")
    throw new Error(
      `CHANGELOG.md lists no release ${version}: create the tag with \`npm run release\``,
    );
  return notes;
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
