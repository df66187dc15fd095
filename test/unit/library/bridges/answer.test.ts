import { describe, expect, it } from "vitest";
import { fileArtifact } from "../../../../library/bridges/answer.js";

const file = { raw: "AAAA", mediaType: "image/png" };

describe("the artifact with a file of a model", () => {
  it("files with the same name, or with the name of the answer, replace no other artifact", () => {
    const names = ["answer", "a.png", "a.png"];
    const artifacts = names.map((filename, at) => fileArtifact({ ...file, filename }, at + 1));
    expect(artifacts.map(({ artifact }) => [artifact.artifactId, artifact.name])).toEqual([
      ["file-1.png", "answer"],
      ["file-2.png", "a.png"],
      ["file-3.png", "a.png"],
    ]);
  });

  it.each([
    ["../../etc/passwd", "passwd"],
    ["C:\\temp\\a.png", "a.png"],
    ["a\r\nb\u0000.png", "ab.png"],
    ["tmp/", "file-1.png"],
    ["", "file-1.png"],
  ])("the name %j contains no folder and no control characters", (filename, expected) => {
    const { artifact } = fileArtifact({ ...file, filename }, 1);
    expect([artifact.name, artifact.parts[0]?.filename]).toEqual([expected, expected]);
  });
});
