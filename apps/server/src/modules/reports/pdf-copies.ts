import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { AppError } from '../../platform/errors.ts'
import { inLimitedProcess, OverLimit } from '../../platform/limited/limited-process.ts'
import type * as pdfMarks from './pdf-edits.ts'
import type { Cover } from './report-pdf.ts'

type Marks = typeof pdfMarks
type Open = () => Promise<Readable>

const marks = new URL('./pdf-edits.ts', import.meta.url)

// A stored PDF may have been made elsewhere: it is opened in a limited process, never in this one.

export const makeSupersededCopy = (open: Open, versionNo: number) =>
  bytesOf(inLimitedProcess<Marks, 'markSuperseded'>(marks, 'markSuperseded', async () => [await read(open), versionNo]))

export const makeCopyWithCorrectionPage = (open: Open, cover: Cover) =>
  bytesOf(
    inLimitedProcess<Marks, 'addCorrectionPage'>(marks, 'addCorrectionPage', async () => [await read(open), cover]),
  )

export const makeEncryptedCopy = (open: Open, password: string) =>
  bytesOf(inLimitedProcess<Marks, 'encrypt'>(marks, 'encrypt', async () => [await read(open), password]))

const read = async (open: Open) => buffer(await open())

const bytesOf = async (work: Promise<Uint8Array>): Promise<Buffer> => {
  try {
    return Buffer.from(await work)
  } catch (error) {
    if (error instanceof OverLimit) throw new AppError('invalid', 'This PDF takes too much time or memory to be opened')
    throw error
  }
}
