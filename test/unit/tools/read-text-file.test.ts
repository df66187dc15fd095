import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readTextFile } from "../../../support/read-text-file.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

it("a file is read if it is not too large", () => {
  const path = join(temporaryFolder(), "text.txt");
  writeFileSync(path, "tea");
  expect(readTextFile(path, 3)).toBe("tea");
  expect(() => readTextFile(path, 2)).toThrow("it has more than 2 bytes");
});

it("a folder is not read, and neither is a device, which may never end", () => {
  expect(() => readTextFile(temporaryFolder(), 3)).toThrow("it is not a file");
  if (process.platform !== "win32")
    expect(() => readTextFile("/dev/zero", 3)).toThrow("it is not a file");
});
