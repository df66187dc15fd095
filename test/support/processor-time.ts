/**
 * Returns the processor time that this process has used so far, in milliseconds. Tests measure with
 * it how long something takes: unlike the time on the clock, it does not grow when other processes
 * keep the machine busy.
 */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
