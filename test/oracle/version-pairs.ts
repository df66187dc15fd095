import { sized } from "../support/size.js";

/** The versions in use come first. */
const allPairs = [
  ["0.3.0", "1.0"],
  ["1.0", "1.1-draft"],
  ["0.1.0", "0.2.1"],
  ["0.3.0", "0.4-draft"],
  ["0.3.0", "1.1-draft"],
  ["0.2.6", "0.3.0"],
  ["0.2.6", "1.0"],
  ["0.2.1", "0.2.6"],
  ["0.2.1", "1.0"],
  ["0.1.0", "1.0"],
  ["0.4-draft", "1.0"],
  ["0.1.0", "0.4-draft"],
] as const;

/** Pairs of bundled versions, with the earlier version first. */
export const versionPairs = allPairs.slice(0, sized(4, allPairs.length));
