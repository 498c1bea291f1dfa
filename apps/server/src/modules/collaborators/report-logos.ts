import { createHash } from 'node:crypto'
import { collaboratorLabels } from '@lis/contract/collaborators.ts'
import type { Db } from '../../platform/db/db.ts'
import { invalid } from '../../platform/errors.ts'
import { OverLimit, runInLimitedProcess, TaskFailed } from '../../platform/limited/limited-process.ts'
import type * as pictures from './logo-picture.ts'

const reader = new URL('./logo-picture.ts', import.meta.url)

/** Keeps a logo, given as a data URL, for reports; a picture that cannot be read is refused. */
export const keepReportLogo = async (db: Db, dataUrl: string): Promise<number> => {
  const sent = Buffer.from(dataUrl.slice(dataUrl.indexOf(',') + 1), 'base64')
  const { id } = await db
    .insertInto('report_logo')
    .values({ picture: await readPicture(sent) })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

const readPicture = async (sent: Buffer): Promise<Buffer> => {
  try {
    return Buffer.from(
      await runInLimitedProcess<typeof pictures, 'toReportPicture'>(reader, 'toReportPicture', async () => [sent]),
    )
  } catch (error) {
    if (!(error instanceof OverLimit || error instanceof TaskFailed)) throw error
    throw invalid('reportLogo', `${collaboratorLabels.reportLogo} is not a picture that can be read`)
  }
}

// A logo never changes once it is kept. A laboratory has few.
const known = new Map<number, Buffer>()

/** The JPEG that reports print. */
export const findReportLogo = async (db: Db, id: number | null): Promise<Buffer | null> => {
  if (id === null) return null
  const kept = known.get(id)
  if (kept) return kept
  const row = await db.selectFrom('report_logo').select('picture').where('id', '=', id).executeTakeFirst()
  if (!row) return null
  if (known.size >= 100) known.clear()
  known.set(id, row.picture)
  return row.picture
}

/** For the audit: which logo, not the picture itself. */
export const logoMark = (dataUrl: string | null): string | null =>
  dataUrl && `sha256 ${createHash('sha256').update(dataUrl).digest('hex')}`
