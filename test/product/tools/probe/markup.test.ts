import { describe, expect, it } from "vitest";
import { markup } from "../../../../tools/probe/report/markup.js";

describe("markup", () => {
  it("markup escapes text, also in attributes", () => {
    const text = `<b> & "it's"`;
    const escaped = "&lt;b&gt; &amp; &quot;it&#39;s&quot;";
    expect(String(markup`<p title="${text}">${text}</p>`)).toBe(
      `<p title="${escaped}">${escaped}</p>`,
    );
  });

  it("markup contains other markup, lists of markup and numbers unchanged", () => {
    const cells = ["&", "b"].map((name) => markup`<td>${name}</td>`);
    expect(String(markup`<tr>${markup`<th>${1}</th>`}${cells}</tr>`)).toBe(
      "<tr><th>1</th><td>&amp;</td><td>b</td></tr>",
    );
  });

  it("markup replaces characters that XML cannot contain, and keeps the others", () => {
    expect(String(markup`${"a\u0000b\u001bc\ud800d\uffffe"}`)).toBe(
      "a\ufffdb\ufffdc\ufffdd\ufffde",
    );
    expect(String(markup`${"tab\t, line\n, 😀"}`)).toBe("tab\t, line\n, 😀");
  });
});
