import { parentPort } from 'node:worker_threads'
import { readContent } from './read-content.ts'

/** One file after the other, away from the thread that answers people. */
parentPort?.on('message', async ({ id, bytes, kind }: { id: number; bytes: Uint8Array; kind: string }) => {
  try {
    parentPort?.postMessage({ id, content: await readContent(bytes, kind) })
  } catch (error) {
    parentPort?.postMessage({ id, fault: String(error) })
  }
})
