import { describe, expect, it } from "vitest";
import { fetchFiles, withFetchedFiles } from "../../../../library/bridges/fetch-file.js";
import type { Fetch } from "../../../../library/runtime/http/client.js";

const { signal } = new AbortController();
const url = "https://files.example/a";

/** Returns a function that responds with files of a size, and the URLs that it gets. */
function serving(bytes: number) {
  const urls: string[] = [];
  const fetch: Fetch = (each) => {
    urls.push(each);
    return Promise.resolve(new Response(new Uint8Array(bytes)));
  };
  return { fetch, urls };
}

describe("files that callers name by URL", () => {
  it.each([
    "http://127.0.0.1:1/",
    "http://localhost:1/",
    "http://2130706433/",
    "http://[::ffff:127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://169.254.169.254/",
    "http:10.0.0.1",
  ])("%s is not fetched, because the address is not public", async (each) => {
    await expect(fetchFiles([each], {}, signal)).rejects.toThrow("is not public");
  });

  it.each(["data:text/plain,hi", "file:///etc/passwd", "", "javascript:1"])(
    "%j is not fetched, because it is not an HTTP address",
    async (each) => {
      await expect(fetchFiles([each], {}, signal)).rejects.toThrow("is not at an HTTP address");
    },
  );

  it("the files of a message have a maximum size together", async () => {
    const { fetch, urls } = serving(400);
    const content = Array.from({ length: 100 }, () => ({ file: { mediaType: "a/b", url } }));
    const fetched = withFetchedFiles(
      { role: "user", content },
      { fetch, maxFileBytes: 1_000 },
      signal,
    );
    await expect(fetched).rejects.toThrow("exceeds maxFileBytes, 1000 bytes");
    expect(urls).toHaveLength(3);
  });

  it("the content of a file replaces its URL, and other content stays", async () => {
    const { fetch } = serving(3);
    const file = { mediaType: "a/b", filename: "c" };
    const content = [{ text: "Look" }, { file: { ...file, url } }, { file: { ...file, data: "" } }];
    expect(await withFetchedFiles({ role: "user", content }, { fetch }, signal)).toEqual({
      role: "user",
      content: [{ text: "Look" }, { file: { ...file, data: "AAAA" } }, content[2]],
    });
  });

  it("a response that is refused is closed, so that it does not occupy a connection", async () => {
    let isClosed = false;
    const body = new ReadableStream({ cancel: () => void (isClosed = true) });
    const fetch: Fetch = () => Promise.resolve(new Response(body, { status: 404 }));
    await expect(fetchFiles([url], { fetch }, signal)).rejects.toThrow("has the HTTP status 404");
    expect(isClosed).toBe(true);
  });
});
