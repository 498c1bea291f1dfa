import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { AppError } from '../../platform/errors.ts'
import { OverLimit, runInLimitedProcess } from '../../platform/limited/limited-process.ts'
import type * as pdfMarks from './pdf-marks.ts'
import type { Cover } from './report-pdf.ts'

type Marks = typeof pdfMarks
type Open = () => Promise<Readable>

const marks = new URL('./pdf-marks.ts', import.meta.url)

// A stored PDF may have been made elsewhere: it is opened in a limited process, never in this one.

export const supersededCopy = (open: Open, versionNo: number) =>
  bytesOf(
    runInLimitedProcess<Marks, 'markSuperseded'>(marks, 'markSuperseded', async () => [await read(open), versionNo]),
  )

export const withCorrectionPage = (open: Open, cover: Cover) =>
  bytesOf(
    runInLimitedProcess<Marks, 'addCorrectionPage'>(marks, 'addCorrectionPage', async () => [await read(open), cover]),
  )

export const encryptedCopy = (open: Open, password: string) =>
  bytesOf(runInLimitedProcess<Marks, 'encrypted'>(marks, 'encrypted', async () => [await read(open), password]))

const read = async (open: Open) => buffer(await open())

const bytesOf = async (work: Promise<Uint8Array>): Promise<Buffer> => {
  try {
    return Buffer.from(await work)
  } catch (error) {
    if (error instanceof OverLimit) throw new AppError('invalid', 'This PDF takes too much time or memory to be opened')
    throw error
  }
}
