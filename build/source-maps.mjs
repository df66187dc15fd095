const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const closing = new Set([")", "]", "}"]);

/**
 * Keeps only the mappings at which a new line of the source starts, for each line of a module, and
 * not those of closing brackets. Stack traces and breakpoints need only these mappings, and the
 * source map is a third of the size.
 */
export function byLine(map, code) {
  const before = { source: 0, line: 0, column: 0 };
  const written = { source: 0, line: 0, column: 0 };
  const generated = code.split("\n");
  const lines = map.mappings
    .split(";")
    .map((text, at) => lineOf(text, generated[at] ?? "", before, written));
  return { ...map, names: [], mappings: lines.join(";") };
}

/**
 * Rewrites the mappings of a line. `before` and `written` are the last positions that were read and
 * written.
 */
function lineOf(text, generated, before, written) {
  let [column, writtenColumn, first] = [0, 0, true];
  const kept = [];
  for (const segment of text === "" ? [] : text.split(",")) {
    const [columns, source, line, sourceColumn] = decode(segment);
    column += columns;
    if (source === undefined) continue;
    before.source += source;
    before.line += line;
    before.column += sourceColumn;
    if (closing.has(generated[column])) continue;
    if (!first && before.line === written.line && before.source === written.source) continue;
    kept.push(
      encode([
        ...[column - writtenColumn, before.source - written.source],
        ...[before.line - written.line, before.column - written.column],
      ]),
    );
    [first, writtenColumn] = [false, column];
    Object.assign(written, before);
  }
  return kept.join(",");
}

/**
 * Reads numbers in base64 VLQ: five bits per digit, the lowest digit first, with the sign in the
 * lowest bit.
 */
function decode(segment) {
  const numbers = [];
  let [value, shift] = [0, 0];
  for (const digit of segment) {
    const bits = digits.indexOf(digit);
    value += (bits & 31) << shift;
    shift += 5;
    if (bits & 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}

function encode(numbers) {
  let text = "";
  for (const number of numbers) {
    let rest = number < 0 ? (-number << 1) | 1 : number << 1;
    do {
      const bits = rest & 31;
      rest >>>= 5;
      text += digits[rest > 0 ? bits | 32 : bits];
    } while (rest > 0);
  }
  return text;
}
