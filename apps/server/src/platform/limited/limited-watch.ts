import { workerData } from 'node:worker_threads'

const { ends, maxBytes } = workerData as { ends: Float64Array; maxBytes: number }
const checkMs = 25

/** Kills the process when it exceeds its time or memory, even while its main thread is blocked. */
setInterval(() => {
  const [processorEnd = 0, end = 0] = ends
  const { user, system } = process.cpuUsage()
  const isLate = processorEnd !== 0 && (user + system > processorEnd || Date.now() > end)
  if (isLate || process.memoryUsage.rss() > maxBytes) process.kill(process.pid, 'SIGKILL')
}, checkMs)
