import { workerData } from 'node:worker_threads'

const { deadline, mostBytes } = workerData as { deadline: Float64Array; mostBytes: number }
const lookMs = 25

/** Ends the process when its time or its memory is used up, whatever its main thread is busy with. */
setInterval(() => {
  const isLate = deadline[0] !== 0 && Date.now() > (deadline[0] as number)
  if (isLate || process.memoryUsage.rss() > mostBytes) process.kill(process.pid, 'SIGKILL')
}, lookMs)
