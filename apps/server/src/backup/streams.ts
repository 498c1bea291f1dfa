import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { Transform, Writable } from 'node:stream'

interface Measured {
  bytes: number
  /** Line ends: COPY writes each row as one line. */
  lines: number
  sha256: string
}

/** Measures what passes through. Call `result` when the stream has ended. */
export const measuring = () => {
  const meter = newMeter()
  const stream = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      meter.add(chunk)
      done(null, chunk)
    },
  })
  return { stream, result: meter.result }
}

/** The same at the end of a pipeline. */
export const measuringSink = () => {
  const meter = newMeter()
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      meter.add(chunk)
      done()
    },
  })
  return { stream, result: meter.result }
}

const newMeter = () => {
  const hash = createHash('sha256')
  let bytes = 0
  let lines = 0
  return {
    add: (chunk: Buffer) => {
      hash.update(chunk)
      bytes += chunk.length
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++
    },
    result: (): Measured => ({ bytes, lines, sha256: hash.digest('hex') }),
  }
}

/** Makes the names of new files in a folder outlive a power cut. */
export const syncFolder = async (folder: string) => {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}
