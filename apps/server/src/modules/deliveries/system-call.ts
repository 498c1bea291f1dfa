import { randomUUID } from 'node:crypto'
import type { Trx } from '../../platform/db/db.ts'
import type { WriteCall } from '../../platform/http/implement.ts'

/** The call of a write that the system makes by itself, later, for the person who requested it; without an id in its own name. */
export const systemWriteCall = (trx: Trx, user: { id: number | null; name: string }): WriteCall => ({
  db: trx,
  requestId: randomUUID(),
  actor: {
    userId: user.id as number, // the audit and the history of reports accept a missing user
    userName: '',
    name: user.name,
    role: 'STF',
    entityId: null,
    departmentIds: [],
    sessionId: '',
    scope: { role: 'STF', ids: [] },
  },
})
