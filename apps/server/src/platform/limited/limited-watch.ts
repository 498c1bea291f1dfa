import { workerData } from 'node:worker_threads'

const { deadline, maxBytes } = workerData as { deadline: Float64Array; maxBytes: number }
const checkMs = 25

/** Kills the process when it exceeds its time or memory, even while its main thread is blocked. */
setInterval(() => {
  const isLate = deadline[0] !== 0 && Date.now() > (deadline[0] as number)
  if (isLate || process.memoryUsage.rss() > maxBytes) process.kill(process.pid, 'SIGKILL')
}, checkMs)
