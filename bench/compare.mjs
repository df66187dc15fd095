import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Measures an area of two trees in one run and returns the results of both. Their processes take
 * turns: one round of the first tree, then one round of the second. Other load on the machine
 * therefore affects both.
 */
export async function measureBoth(trees, { area, effort }) {
  const sides = trees.map((tree) => ({
    tree,
    results: [],
    hasEnded: false,
    onReady: () => undefined,
  }));
  const rejected = [];
  for (const side of sides) {
    const ready = nextTurn(side);
    // Inside of its tree: programs find the files of their package by their own location.
    const out = join(side.tree, "bench", ".out", `${process.pid}`, area);
    mkdirSync(out, { recursive: true });
    const { startArea } = await import(pathToFileURL(join(side.tree, "bench", "program.mjs")).href);
    const { child, ended } = await startArea(
      { tree: side.tree, area, effort, out, isPaced: true },
      (message) => {
        if (message === "ready") side.onReady();
        else side.results.push(message);
      },
    );
    side.child = child;
    ended
      .catch((error) => rejected.push(error))
      .finally(() => {
        side.hasEnded = true;
        side.onReady();
      });
    await ready;
  }
  while (rejected.length === 0 && sides.some(({ hasEnded }) => !hasEnded)) {
    for (const side of sides.filter(({ hasEnded }) => !hasEnded)) {
      const ready = nextTurn(side);
      side.child.send("go");
      await ready;
    }
    sides.reverse();
  }
  for (const { child, hasEnded } of sides) if (!hasEnded) child.kill();
  if (rejected.length > 0) throw rejected[0];
  return trees.map((tree) => sides.find((side) => side.tree === tree).results);
}

/** Resolves when a process waits for its next turn, or has ended. */
function nextTurn(side) {
  return new Promise((resolve) => {
    side.onReady = resolve;
  });
}

/** Returns whether a text names a commit of the repository. */
export function isCommit(name, tree) {
  const args = ["rev-parse", "--quiet", "--verify", "--end-of-options", `${name}^{commit}`];
  return spawnSync("git", args, { cwd: tree }).status === 0;
}

/**
 * Checks a commit out into a folder, with the benchmarks of this tree, and builds it. A commit
 * whose files are elsewhere keeps its own benchmarks.
 */
export function checkOut(commit, folder, tree) {
  execFileSync("git", ["worktree", "add", "--quiet", "--detach", "--force", folder, commit], {
    cwd: tree,
    stdio: ["ignore", 2, 2],
  });
  linkPackages(tree, folder);
  if (existsSync(join(folder, "test", "tools", "library.mjs"))) {
    rmSync(join(folder, "bench"), { recursive: true });
    for (const name of readdirSync(join(tree, "bench")).filter((name) => name !== ".out"))
      cpSync(join(tree, "bench", name), join(folder, "bench", name), { recursive: true });
  }
  execFileSync(process.execPath, [join(folder, "build", "build.mjs")], {
    cwd: folder,
    stdio: ["ignore", 2, 2],
  });
}

/** Links the installed packages of a tree into a folder, with the folder's own library. */
function linkPackages(tree, folder) {
  const packages = join(folder, "node_modules");
  mkdirSync(packages);
  for (const name of readdirSync(join(tree, "node_modules"))) {
    const isLibrary = name === libraryName && existsSync(join(folder, "library"));
    const target = isLibrary ? join(folder, "library") : join(tree, "node_modules", name);
    symlinkSync(target, join(packages, name), "junction");
  }
}

/** The package in `library/`, which npm links into `node_modules/`. */
const libraryName = "a2a-codegen-runtime";

/** Removes the folder of a commit. */
export function remove(folder, tree) {
  execFileSync("git", ["worktree", "remove", "--force", folder], {
    cwd: tree,
    stdio: ["ignore", 2, 2],
  });
}

/**
 * Returns the changes of our results between two commits: how many times each result has become
 * better, with the spread of this factor. A change is certain if 1 is outside of the spread, or if
 * the result does not vary.
 */
export function changesOf(before, after, { ratioOf, spreadOf, median }) {
  const seen = new Set();
  return after.flatMap(({ name, unit, rounds }) => {
    const earlier = before.find((result) => result.name === name);
    if (rounds === undefined || earlier?.rounds === undefined || seen.has(name)) return [];
    seen.add(name);
    const factors = rounds.map((value, round) => ratioOf(value, earlier.rounds[round], unit));
    const spread = spreadOf(factors);
    const factor = median(factors);
    const { low, high } = spread ?? { low: factor, high: factor };
    const isCounted = rounds.length === 1 && unit === "B";
    const isCertain = spread === undefined ? isCounted && factor !== 1 : low > 1 || high < 1;
    return [
      {
        name,
        unit,
        before: median(earlier.rounds),
        after: median(rounds),
        factor,
        low,
        high,
        isCertain,
      },
    ];
  });
}
