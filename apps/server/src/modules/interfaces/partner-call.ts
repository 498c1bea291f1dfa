import { randomUUID } from 'node:crypto'
import type { Trx } from '../../platform/db/db.ts'
import type { MessageTools } from '../../platform/messaging/raw-message.ts'
import type { PatientCall } from '../patients/service.ts'
import type { StoredMessage } from './message-store.ts'
import type { Partner } from './partner-queries.ts'

/** The call of a write caused by a message: in the name of the partner, with the message as its source. */
export const partnerCall = (
  trx: Trx,
  tools: MessageTools,
  partner: Pick<Partner, 'name'>,
  { kind, control_id: controlId }: Pick<StoredMessage, 'kind' | 'control_id'>,
): PatientCall => ({
  db: trx,
  requestId: randomUUID(),
  services: { config: tools.config },
  actor: {
    // No account: the history and the records accept a missing user.
    userId: null as unknown as number,
    userName: '',
    name: partner.name,
    role: 'STF',
    entityId: null,
    departmentIds: [],
    sessionId: '',
    scope: { role: 'STF', ids: [] },
    source: `${kind} ${controlId ?? ''}`.trim(),
  },
})
