import { routeName, showsPatientData, subjectParams } from '@lis/contract/kit/patient-data.ts'
import type { Route } from '@lis/contract/kit/route.ts'
import type { AccessLog, SubjectIds } from '../audit/access-log.ts'
import type { Actor } from '../auth/actor.ts'

interface AnsweredCall {
  actor: Actor | null
  requestId: string
  params: unknown
  /** The reply as it is sent. */
  text: string
}

/** Records in the access log each reply of a route that shows patient data or exports a list; null for other routes. */
export const accessRecorder = (route: Route): ((log: AccessLog, call: AnsweredCall) => void) | null => {
  // Every export is recorded, whatever it contains: the summary of users counts them.
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
 * Records an error that shows patient data, whatever the route: the record as it is now, the reports that were refused, the patients
 * that a question is about.
 */
export const recordShownInError = (log: AccessLog, route: Route, { actor, requestId, params, text }: AnsweredCall) => {
  if (!actor) return
  const { reqIds, patientIds } = idsIn(text)
  for (const [, name, value = ''] of text.matchAll(idsOfQuestions))
    for (const id of value.split(',').filter(Boolean)) (name === 'patientIds' ? patientIds : reqIds).add(Number(id))
  const subjects = subjectParams(route)
  const given = (params ?? {}) as Record<string, unknown>
  if (subjects.reqId) reqIds.add(Number(given[subjects.reqId]))
  if (subjects.patientId) patientIds.add(Number(given[subjects.patientId]))
  if (reqIds.size + patientIds.size === 0) return
  log.record({ actor, requestId, method: route.method, route: routeName(route) }, { reqIds, patientIds })
}

/**
 * The ids in the text of a reply: lists are sent as the database serialized them, and parsing them would cost as much as the query.
 * Inside a JSON string every quotation mark is escaped, so only field names match.
 */
export const idsIn = (text: string): { reqIds: Set<number>; patientIds: Set<number> } & SubjectIds => {
  const found = { reqIds: new Set<number>(), patientIds: new Set<number>() }
  for (const [, name, value = ''] of text.matchAll(idField)) {
    const ids = name === 'patientId' ? found.patientIds : found.reqIds
    for (const id of value.matchAll(/\d+/g)) ids.add(Number(id[0]))
  }
  for (const [, id] of text.matchAll(patientLabels)) found.reqIds.add(Number(id))
  return found
}

const idField = /"(patientId|reqId|requisitionId|namedReqIds)"\s*:\s*(\d+|\[[\d,\s]*\])/g
const idsOfQuestions = /"(patientIds|reqIds)":\[([\d,]*)\]/g
/** '#1000123 | Doe, Jane (01/02/1960)' */
const patientLabels = /"label"\s*:\s*"#(\d+) \|/g
