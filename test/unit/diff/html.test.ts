import { describe, expect, it } from "vitest";
import { htmlReport } from "../../../generator/diff/html.js";
import { style } from "../../../generator/diff/html-style.js";
import type { Change } from "../../../generator/diff/types.js";

const changes: readonly Change[] = [
  { subject: "fact", action: "changed", name: "version on the wire", from: "1", to: "2", breaks: {} },
  { subject: "type", action: "renamed", name: "Job", to: "Task", note: "Work, now.", breaks: { source: "gone" } },
  { subject: "field", action: "added", name: "Job.<b>", to: "optional string", breaks: {} },
  { subject: "type", action: "removed", name: "job", breaks: { source: "gone", json: "gone" } },
  { subject: "message", action: "added", name: "Job", breaks: {} },
];

const page = htmlReport({ from: "A <1>", to: 'B "2"', changes }).join("\n");

describe("the HTML report", () => {
  it("the report has an element for every link of its contents", () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    const links = new Set([...page.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(["protocol", "types", "types-Job", "types-job", "protobuf-Job"]));
    for (const id of links) expect(ids).toContain(id);
  });

  it("the report shows the changes of a type together, with badges for what they break", () => {
    const [, block = ""] = /<section id="types-Job">(.*?)<\/section>/s.exec(page) ?? [];
    expect(block).toContain('<span class="badge breaking">breaks TypeScript</span>');
    expect(block).not.toContain("breaks JSON");
    expect(block).toContain("<td>renamed → <code>Task</code></td>");
    expect(block).toContain('<p class="note">Work, now.</p>');
    expect(block).toContain("<td>added <code>&lt;b&gt;</code>: optional string</td>");
  });

  it("the report shows names as code and sentences as text", () => {
    const spans = [...page.matchAll(/<code>(.*?)<\/code>/g)].map(([, text]) => text);
    expect(spans.length).toBeGreaterThan(5);
    expect(spans.filter((text) => /\s/.test(text ?? ""))).toEqual([]);
  });

  it("the report closes every element that it opens, and escapes strings", () => {
    expect(page).toContain("<h1>A &lt;1&gt; → B &quot;2&quot;</h1>");
    const open: string[] = [];
    for (const [, slash, name = ""] of page.replace(/<!doctype html>|<meta [^>]*>/g, "").matchAll(/<(\/?)(\w+)[^>]*>/g))
      if (slash === "") open.push(name);
      else expect(open.pop()).toBe(name);
    expect(open).toEqual([]);
  });

  it("the report says that it has no differences if the versions are equal", () => {
    expect(htmlReport({ from: "a", to: "b", changes: [] })).toContain("<p>No differences.</p>");
  });
});

/** Relative luminance of a color, as defined in WCAG 2. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

describe("the colors of the HTML report", () => {
  const palettes = [...style.matchAll(/:root \{([^}]*)\}/g)].map(
    ([, text = ""]) =>
      new Map([...text.matchAll(/--(\w+): (#[0-9a-f]{6})/g)].map(([, name = "", value = ""]) => [name, value])),
  );

  it("the contrast is measured as in WCAG", () => {
    expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
    expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
  });

  it.each(["light", "dark", "paper"].map((name, index) => [name, index] as const))(
    "the colors have enough contrast on a page that is %s",
    (_, index) => {
      const colors = palettes[index] ?? new Map<string, string>();
      for (const text of ["text", "soft", "link", "breaking", "fine"])
        for (const ground of ["page", "box"])
          expect(contrast(colors.get(text) ?? "", colors.get(ground) ?? ""), `${text} on ${ground}`).toBeGreaterThan(
            4.5,
          );
    },
  );
});
