import { sql } from 'kysely'
import { type DomainEventHandlers, registerDomainEventHandlers } from '../platform/domain-events.ts'
import { raiseCriticalCalls } from './critical-calls/raise.ts'
import { propagateRelease } from './deliveries/corrections.ts'
import { propagateDeliverTo } from './deliveries/failures.ts'
import { recordDeliveredOutside } from './deliveries/outside.ts'
import {
  holdChangedRecords,
  holdMovedBack,
  holdOutdatedReports,
  propagateRecipients,
  withdrawDeliveries,
} from './deliveries/withdraw.ts'
import { updateClientZoneIssues } from './issues/service.ts'
import { notifyConcernedUsers } from './notifications/queries.ts'
import { addLookbacksOfNewResults } from './quality-control/lookbacks.ts'
import { applyReflexRules } from './reflex/apply.ts'

/** Every consequence of every domain event. */
const handlers: DomainEventHandlers = {
  resultsChanged: [
    (write, { requisitionIds, ...touched }) => holdOutdatedReports(write, requisitionIds, touched),
    (write, { requisitionIds }) => raiseCriticalCalls(write, requisitionIds),
    (write, { requisitionIds }) => addLookbacksOfNewResults(write, requisitionIds),
    (write, { requisitionIds }) => applyReflexRules(write, requisitionIds),
  ],
  recordChanged: [holdChangedRecords],
  receiversChanged: [(write, { requisitionId }) => propagateRecipients(write, requisitionId)],
  deliverToChanged: [
    ({ db }, event) =>
      propagateDeliverTo(
        db,
        'collaboratorId' in event
          ? sql`r.collaborator_id = ${event.collaboratorId}`
          : sql`r.id = ${event.requisitionId}`,
      ),
  ],
  statusMovedBack: [holdMovedBack],
  deliveredOutside: [(write, { requisitionIds, how }) => recordDeliveredOutside(write, requisitionIds, how)],
  reportReleased: [propagateRelease],
  reportHeld: [(write, { reportId, why }) => withdrawDeliveries(write, reportId, why)],
  clientZoneChanged: [({ db }, { clientId }) => updateClientZoneIssues(db, clientId)],
  issueChanged: [({ db }, { requisitionId }) => notifyConcernedUsers(db, requisitionId)],
}

export const registerHandlers = () => registerDomainEventHandlers(handlers)
