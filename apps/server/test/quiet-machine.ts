/** How much longer work takes now than it would with a core of its own: the other test files share the machine. */
const slowdown = (): number => {
  const cpu = process.cpuUsage()
  const began = performance.now()
  while (performance.now() - began < 100);
  const used = process.cpuUsage(cpu)
  return Math.max(1, ((performance.now() - began) * 1000) / (used.user + used.system))
}

/** The milliseconds that work may take at this moment if `ms` is its limit on a quiet machine. */
export const onQuietMachine = (ms: number): number => ms * Math.max(slowdown(), slowdown(), slowdown())
