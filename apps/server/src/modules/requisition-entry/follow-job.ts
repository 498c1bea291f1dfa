import type { Actor } from '../../platform/auth/actor.ts'
import { retryOnConflict } from '../../platform/db/retry.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { defineJob } from '../../platform/jobs/definition.ts'
import { followChange, followJobKind, type PatientChange } from './follow-record.ts'

/** What a corrected patient brings with it for requisitions that the person who corrected it does not see. */
export const followPatientJob = defineJob<PatientChange & { asker: Omit<Actor, 'sessionId'> }>({
  kind: followJobKind,
  run: async ({ id, services }, { asker, ...change }) => {
    const db = services.databases(systemScope)
    const actor = { ...asker, sessionId: '', scope: systemScope }
    await retryOnConflict(() =>
      db.transaction().execute((trx) => followChange({ db: trx, actor, requestId: id }, change)),
    )
  },
})
