/** Lets a process end while a timer runs, where the platform can. */
export function withoutHold<T>(timer: T): T {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function")
    Reflect.apply(timer.unref, timer, []);
  return timer;
}
