import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { AppError } from '../../platform/errors.ts'
import { OverLimit, runInLimitedProcess } from '../../platform/limited/limited-process.ts'
import type { ReportSeal } from '../../platform/pdf/seal.ts'
import type * as pdfEdits from './pdf-edits.ts'
import type { Cover } from './report-pdf.ts'

type Edits = typeof pdfEdits
type Open = () => Promise<Readable>

const edits = new URL('./pdf-edits.ts', import.meta.url)

// A stored PDF may come from outside, so it is opened in a limited process only.

/** With a seal of its own: it is another file than the version that it shows. */
export const makeSupersededCopy = async (open: Open, versionNo: number, seal: ReportSeal | null) => {
  const at = new Date()
  const text = seal && { reason: `Copy of version ${versionNo}, which has been superseded`, name: seal.subject, at }
  const copy = await bytesOf(
    runInLimitedProcess<Edits, 'markSuperseded'>(edits, 'markSuperseded', async () => [
      await read(open),
      versionNo,
      text,
    ]),
  )
  return seal ? seal.seal(copy, at) : copy
}

export const makeCopyWithCorrectionPage = (open: Open, cover: Cover) =>
  bytesOf(
    runInLimitedProcess<Edits, 'addCorrectionPage'>(edits, 'addCorrectionPage', async () => [await read(open), cover]),
  )

export const makeEncryptedCopy = (open: Open, password: string) =>
  bytesOf(runInLimitedProcess<Edits, 'encrypt'>(edits, 'encrypt', async () => [await read(open), password]))

const read = async (open: Open) => buffer(await open())

const bytesOf = async (work: Promise<Uint8Array>): Promise<Buffer> => {
  try {
    return Buffer.from(await work)
  } catch (error) {
    if (error instanceof OverLimit) throw new AppError('invalid', 'This PDF takes too much time or memory to be opened')
    throw error
  }
}
