const waiting = new Set<() => void>();

/**
 * Calls `draw` before the next frame. If this function is called several times until then, `draw`
 * is only called once.
 */
export function beforeFrame(draw: () => void): void {
  // A page in the background has no frames, so use a timer instead.
  if (waiting.size === 0) (document.hidden ? setTimeout : requestAnimationFrame)(drawAll);
  waiting.add(draw);
}

function drawAll(): void {
  const all = [...waiting];
  waiting.clear();
  for (const draw of all) draw();
}

/**
 * How long events are processed, in milliseconds, before the browser can draw and react to input.
 */
const slice = 12;

/**
 * Yields the items of a stream, and pauses every few milliseconds, so that a fast stream cannot
 * block the page.
 */
export async function* paced<T>(items: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  let started = performance.now();
  for await (const item of items) {
    yield item;
    if (performance.now() - started < slice) continue;
    await nextTask();
    started = performance.now();
  }
}

const channel = new MessageChannel();
const tasks: (() => void)[] = [];
channel.port1.onmessage = () => tasks.shift()?.();

/** Resolves in a later task. A timer would wait for at least four milliseconds. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    tasks.push(resolve);
    channel.port2.postMessage(undefined);
  });
}
