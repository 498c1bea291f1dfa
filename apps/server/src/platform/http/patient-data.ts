import { routeName, showsPatientData, subjectParams } from '@lis/contract/kit/patient-data.ts'
import type { Route } from '@lis/contract/kit/route.ts'
import type { AccessLog, SubjectIds } from '../audit/access-log.ts'
import type { Actor } from '../auth/actor.ts'

interface AnsweredCall {
  actor: Actor | null
  requestId: string
  /** After parsing. */
  params: unknown
  /** The reply as it is sent. */
  text: string
}

/** What has to be done after each answer of a route that shows patient data, or exports a list; null for the others. */
export const accessRecorder = (route: Route): ((log: AccessLog, call: AnsweredCall) => void) | null => {
  // Who takes a list away as a file is on record whatever is in it: the summary of users counts it.
  if (!showsPatientData(route) && !route.path.endsWith('/export')) return null
  const name = routeName(route)
  const subjects = subjectParams(route)
  return (log, { actor, requestId, params, text }) => {
    if (!actor) return
    const { reqIds, patientIds } = idsIn(text)
    const given = (params ?? {}) as Record<string, unknown>
    if (subjects.reqId) reqIds.add(Number(given[subjects.reqId]))
    if (subjects.patientId) patientIds.add(Number(given[subjects.patientId]))
    log.record({ actor, requestId, method: route.method, route: name }, { reqIds, patientIds })
  }
}

/**
 * The ids in a reply, found in its text: lists are passed on as the database wrote them, and reading them again would cost as much as finding them.
 * Within a string every quotation mark has a backslash before it, so only names of fields match.
 */
export const idsIn = (text: string): { reqIds: Set<number>; patientIds: Set<number> } & SubjectIds => {
  const found = { reqIds: new Set<number>(), patientIds: new Set<number>() }
  for (const [, name, value = ''] of text.matchAll(idField)) {
    const ids = name === 'patientId' ? found.patientIds : found.reqIds
    for (const id of value.matchAll(/\d+/g)) ids.add(Number(id[0]))
  }
  return found
}

const idField = /"(patientId|reqId|requisitionId|namedReqIds)"\s*:\s*(\d+|\[[\d,\s]*\])/g
