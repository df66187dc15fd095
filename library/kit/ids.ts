/** Number of ids that are created together, and their length. */
const batchSize = 64;
const idLength = 36;
const randomBytes = 16;

/** Positions of the bytes in an id. Hyphens are in between. */
const positions = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

const digits = new TextEncoder().encode("0123456789abcdef");
const hyphen = 45;
const decoder = new TextDecoder();

const random = new Uint8Array(batchSize * randomBytes);
const codes = new Uint8Array(batchSize * idLength).fill(hyphen);
let batch = "";
let used = 0;

/**
 * Returns a random UUID (version 4), like `crypto.randomUUID()`. Ids are created in batches and are
 * parts of one string: V8 concatenates the string of `randomUUID` from twenty strings, which takes
 * several times as long when the string is used as a key for the first time.
 */
export function newId(): string {
  if (used === batch.length) {
    batch = newBatch();
    used = 0;
  }
  return batch.slice(used, (used += idLength));
}

function newBatch(): string {
  crypto.getRandomValues(random);
  for (let id = 0; id < batchSize; id += 1) {
    const from = id * randomBytes;
    // The version and the variant (RFC 9562, section 5.4).
    random[from + 6] = ((random[from + 6] ?? 0) & 0x0f) | 0x40;
    random[from + 8] = ((random[from + 8] ?? 0) & 0x3f) | 0x80;
    for (let at = 0; at < randomBytes; at += 1) {
      const byte = random[from + at] ?? 0;
      const to = id * idLength + (positions[at] ?? 0);
      codes[to] = digits[byte >> 4] ?? 0;
      codes[to + 1] = digits[byte & 0x0f] ?? 0;
    }
  }
  return decoder.decode(codes);
}
