/** The maximum line width of the output. */
export const lineWidth = 100;

/**
 * A layout of code: strings, and positions at which a line may break. A group only breaks if it
 * does not fit on its line.
 */
export type Layout =
  | string
  | readonly Layout[]
  /** A line break, or the string `flat` if the line does not break. A hard break has no `flat`. */
  | { readonly kind: "break"; readonly flat: string | undefined }
  | { readonly kind: "indent"; readonly of: Layout }
  | { readonly kind: "group"; readonly of: Layout; readonly broken: boolean }
  | { readonly kind: "either"; readonly broken: string; readonly flat: string }
  | { readonly kind: "choice"; readonly from: readonly Layout[] };

/** A line break, or a space if the line does not break. */
export const line: Layout = { kind: "break", flat: " " };

/** A line break, or nothing if the line does not break. */
export const softLine: Layout = { kind: "break", flat: "" };

/** A line break that also breaks all groups around it. */
export const hardLine: Layout = { kind: "break", flat: undefined };

/**
 * Returns a layout in which either all or none of its direct line breaks are used. With `broken`,
 * all of them are used even if the layout fits on one line.
 */
export function group(of: Layout, broken = false): Layout {
  return { kind: "group", of, broken };
}

/** Returns a layout in which all lines except the first are indented by one step. */
export function indented(of: Layout): Layout {
  return { kind: "indent", of };
}

/** Returns a string that is only printed if the group around it breaks. */
export function ifBroken(broken: string): Layout {
  return { kind: "either", broken, flat: "" };
}

/** Returns the first layout whose first line fits. If none fits, returns the last layout. */
export function choice(...from: readonly Layout[]): Layout {
  return { kind: "choice", from };
}

/** Returns layouts with a separator between them. */
export function joined(separator: Layout, items: readonly Layout[]): Layout {
  return items.flatMap((item, index) => (index === 0 ? [item] : [separator, item]));
}

/**
 * Returns items in brackets, on one line or one item per line. `space` is the layout between
 * brackets and items.
 */
export function bracketed(
  open: string,
  items: readonly Layout[],
  close: string,
  { space = softLine, broken = false }: { readonly space?: Layout; readonly broken?: boolean } = {},
): Layout {
  if (items.length === 0) return open + close;
  return group(
    [open, indented([space, joined([",", line], items)]), ifBroken(","), space, close],
    broken,
  );
}

/** Returns lines in braces after a head. */
export function braced(head: string, lines: readonly Layout[], tail = ""): Layout {
  return [head, "{", indented(lines.map((text) => [hardLine, text])), hardLine, `}${tail}`];
}

/**
 * Returns the lines of a layout. Lines are shorter than the maximum by `columns` characters, the
 * width of the indentation that the caller adds.
 */
export function print(layout: Layout, columns = 0): string[] {
  return new Printer(lineWidth - columns).print(layout);
}

interface Command {
  readonly layout: Layout;
  readonly indent: number;
  readonly isFlat: boolean;
}

/**
 * Prints layouts with Wadler's algorithm, like the formatter. A stack contains the remaining
 * layouts.
 */
class Printer {
  readonly #width: number;
  readonly #lines: string[] = [];
  #line = "";

  constructor(width: number) {
    this.#width = width;
  }

  print(layout: Layout): string[] {
    const rest: Command[] = [{ layout, indent: 0, isFlat: false }];
    for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
      // Not `push(...)`: a long list has more parts than a call can have arguments.
      for (const command of this.#step(next, rest)) rest.push(command);
    }
    return [...this.#lines, this.#line];
  }

  /**
   * Prints a string or a break. For any other layout, returns the layouts that replace it, in
   * reverse order.
   */
  #step(command: Command, rest: readonly Command[]): Command[] {
    const { layout, indent, isFlat } = command;
    if (typeof layout === "string") return this.#add(layout);
    if ("length" in layout) return layout.map((part) => ({ ...command, layout: part })).reverse();
    switch (layout.kind) {
      case "indent":
        return [{ ...command, layout: layout.of, indent: indent + 2 }];
      case "either":
        return this.#add(isFlat ? layout.flat : layout.broken);
      case "group": {
        const flat = { ...command, layout: layout.of, isFlat: true };
        const staysFlat = isFlat || (!layout.broken && this.#fits(flat, rest));
        return [{ ...flat, isFlat: staysFlat }];
      }
      case "choice": {
        const choices = layout.from.map((part) => ({ ...command, layout: part }));
        const chosen = choices.find((choice) => this.#fits(choice, rest)) ?? choices.at(-1);
        return chosen === undefined ? [] : [chosen];
      }
      case "break":
        return isFlat && layout.flat !== undefined ? this.#add(layout.flat) : this.#break(indent);
    }
  }

  #add(text: string): [] {
    this.#line += text;
    return [];
  }

  #break(indent: number): [] {
    this.#lines.push(this.#line);
    this.#line = " ".repeat(indent);
    return [];
  }

  /** Returns whether all content up to the next break fits on the line. */
  #fits(first: Command, rest: readonly Command[]): boolean {
    let left = this.#width - this.#line.length;
    const stack = [first];
    for (let at = rest.length; left >= 0;) {
      // Subsequent layouts also count, because they may share the last line of this layout.
      const next = stack.pop() ?? rest[(at -= 1)];
      if (next === undefined) return true;
      const { layout, isFlat } = next;
      if (typeof layout === "string") left -= layout.length;
      else if ("length" in layout)
        for (let index = layout.length - 1; index >= 0; index -= 1)
          stack.push({ ...next, layout: layout[index] ?? "" });
      else if (layout.kind === "indent") stack.push({ ...next, layout: layout.of });
      else if (layout.kind === "either") left -= (isFlat ? layout.flat : layout.broken).length;
      else if (layout.kind === "choice") stack.push({ ...next, layout: layout.from[0] ?? "" });
      else if (layout.kind === "group") {
        if (isFlat && layout.broken) return false;
        stack.push({ ...next, layout: layout.of });
      } else if (!isFlat) return true;
      else if (layout.flat === undefined) return false;
      else left -= layout.flat.length;
    }
    return false;
  }
}
