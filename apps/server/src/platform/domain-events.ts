import type { WriteCall } from './http/implement.ts'

/**
 * Events from a module to the modules above it, which it must not import. Every handler runs inside the transaction of the call, so that a
 * change and its consequences are committed together or not at all. `modules/domain-event-handlers.ts` lists the handlers of each event.
 */
export interface DomainEvents {
  /** Results of these requisitions were entered, modified, failed, removed or restarted in this transaction. */
  resultsChanged: {
    requisitionIds: readonly number[]
    /** Tests whose result has just been opened for modification. */
    opened?: readonly number[]
    /** Tests that have just got other codes, whose texts are printed on reports. */
    recoded?: readonly number[]
  }
  /** Something that reports of these requisitions print has changed: the patient, the order or its codes. */
  recordChanged: {
    requisitionIds: readonly number[]
    /** The labels of the changed fields. */
    changed: readonly string[]
    /** Delivered reports are not affected. */
    isUndeliveredOnly?: boolean
  }
  /** A requisition has another receiver of copies, or another collaborator. */
  receiversChanged: { requisitionId: number }
  /** Who gets the reports has changed, for all requisitions of a collaborator or for one requisition. */
  deliverToChanged: { collaboratorId: number } | { requisitionId: number }
  /** Requisitions were returned to an earlier status. */
  statusMovedBack: { requisitionIds: readonly number[]; from: string; to: string }
  /** A user has recorded how reports that were never sent from here reached their receivers. */
  deliveredOutside: { requisitionIds: readonly number[]; how: string }
  /** Lab QC has released a version of a report. */
  reportReleased: { requisitionId: number; reportId: number; versionNo: number }
  /** A report is in doubt, or is being corrected: it must not be sent. */
  reportHeld: { reportId: number; why: string }
  /** A client has lost its time zone, or has one again. */
  clientZoneChanged: { clientId: number }
  /** An issue of the requisition is new, has another status, or has a new entry in its work log. */
  issueChanged: { requisitionId: number }
}

/** Events that the system itself may cause: there is a transaction and no actor. */
type WithoutActor = 'issueChanged' | 'clientZoneChanged' | 'deliverToChanged'
type CallOf<Name extends keyof DomainEvents> = Name extends WithoutActor ? Pick<WriteCall, 'db'> : WriteCall

type Handler<Name extends keyof DomainEvents> = (call: CallOf<Name>, event: DomainEvents[Name]) => Promise<unknown>

/** The handlers of every event, in the order in which they run. */
export type DomainEventHandlers = { readonly [Name in keyof DomainEvents]: readonly Handler<Name>[] }

let registered: DomainEventHandlers | null = null

/** Called once at start, before anything is announced. */
export const registerDomainEventHandlers = (handlers: DomainEventHandlers) => {
  registered = handlers
}

/** Runs all handlers of an event, one after the other; an error in one of them rolls the transaction back. */
export const announce = async <Name extends keyof DomainEvents>(
  call: CallOf<Name>,
  name: Name,
  event: DomainEvents[Name],
): Promise<void> => {
  if (!registered) throw new Error(`No handlers for ${name}: registerDomainEventHandlers was not called`)
  const handlers: readonly Handler<Name>[] = registered[name]
  for (const handle of handlers) await handle(call, event)
}
