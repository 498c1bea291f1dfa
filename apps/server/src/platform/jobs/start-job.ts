import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Trx } from '../db/db.ts'
import { bossWithin, jobsSchema } from './boss.ts'
import type { JobDefinition } from './definition.ts'

export interface StartOptions {
  /** Who may see and cancel it, and gets its progress events. */
  userId?: number
  /** While a job with the same key waits or runs, no second one starts: the existing one is returned. */
  singletonKey?: string
  startAfterSeconds?: number
}

export interface StartedJob {
  id: string
  isNew: boolean
}

/** Queues a job in the caller's transaction: it starts after the commit, and does not exist without one. */
export const startJob = async <Input extends object>(
  trx: Trx,
  job: string | JobDefinition<Input>,
  input: Input,
  { userId, singletonKey, startAfterSeconds }: StartOptions = {},
): Promise<StartedJob> => {
  const kind = typeof job === 'string' ? job : job.kind
  const boss = bossWithin(trx)
  for (;;) {
    const id = randomUUID()
    const options = {
      id,
      singletonKey: singletonKey ?? id,
      ...(startAfterSeconds && { startAfter: startAfterSeconds }),
    }
    if (await boss.send(kind, null, options)) {
      await trx
        .insertInto('job')
        .values({ id, kind, user_id: userId ?? null, input: JSON.stringify(input) })
        .execute()
      return { id, isNew: true }
    }
    const running = await findRunning(trx, kind, singletonKey ?? id)
    if (running) return { id: running, isNew: false }
    // It ended between the two statements, so this one may start.
  }
}

const findRunning = async (trx: Trx, kind: string, key: string): Promise<string | undefined> => {
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.id(jobsSchema, 'job')}
    where name = ${kind} and singleton_key = ${key} and state in ('created', 'retry', 'active')`.execute(trx)
  return rows[0]?.id
}
