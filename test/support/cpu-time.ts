/**
 * The work of this thread since then, in milliseconds of CPU: how busy the machine is does not show.
 * @param before from `process.threadCpuUsage()`
 */
export function cpuMillisecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
