/** The longest time that platforms count, in milliseconds; they take longer ones for none. */
export const longestMs = 2 ** 31 - 1;

/** Settles when a promise does, or after a time. */
export function within(promise: Promise<unknown>, ms: number): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return Promise.race([promise, limit]).finally(() => {
    clearTimeout(timer);
  });
}

/** Lets a process end while a timer runs, where the platform can. */
export function withoutHold<T>(timer: T): T {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function")
    Reflect.apply(timer.unref, timer, []);
  return timer;
}
