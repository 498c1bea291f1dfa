import { z } from 'zod'
import { fillPath, type Route } from './route.ts'

/** Fields that identify a patient or a requisition, or describe a patient. */
const patientField = /^(patient[A-Z]\w*|reqId|requisitionId|namedReqIds)$/
/** Names a requisition with its patient: '#1000123 | Doe, Jane (01/02/1960)'. */
export const patientLabel = z.string().describe('The requisition with its patient')
/** The path of a requisition or patient, or of one of their sub-resources. */
const recordPath = /^(requisitions\/:(id|reqID)|patients\/:id)(\/|$)/

/**
 * Whether a call shows patient data: by its reply type, by its path, or because the route says so (the type of a file shows nothing).
 * Every such call is marked in the OpenAPI document and recorded in the access log.
 */
export const showsPatientData = (route: Route): boolean =>
  route.patientData === true ||
  (route.method === 'GET' && recordPath.test(route.path)) ||
  hasField(route.reply, patientField)

/** Path parameters that hold the id of a requisition or a patient. */
export const subjectParams = ({ path }: Pick<Route, 'path'>): { reqId?: string; patientId?: string } => {
  const reqId = /(?:^|\/)requisitions\/:(id|reqID)(?:\/|$)/.exec(path)?.[1]
  const patientId = /(?:^|\/)patients\/:(id|patientId)(?:\/|$)/.exec(path)?.[1]
  return { ...(reqId && { reqId }), ...(patientId && { patientId }) }
}

/** The path of a route as the OpenAPI document writes it: `requisitions/{id}/req_tests`. */
export const routeName = (route: Pick<Route, 'path'>): string => fillPath(route, (name) => `{${name}}`)

const hasField = (schema: z.ZodType, name: RegExp): boolean => {
  const seen = new Set<unknown>()
  const look = (part: unknown): boolean => {
    if (part === patientLabel) return true
    if (typeof part !== 'object' || part === null || seen.has(part)) return false
    seen.add(part)
    const { def } = part as { def?: Record<string, unknown> }
    if (!def) return false
    if (def.type === 'object') {
      const fields = Object.entries(def.shape as Record<string, unknown>)
      return fields.some(([field, value]) => name.test(field) || look(value))
    }
    if (def.type === 'lazy') return look((def.getter as () => unknown)())
    const { element, innerType, left, right, valueType, out, options = [], items = [] } = def
    return [element, innerType, left, right, valueType, out, ...(options as unknown[]), ...(items as unknown[])].some(
      look,
    )
  }
  return look(schema)
}
