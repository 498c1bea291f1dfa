import type { z } from 'zod'
import { fillPath, type Route } from './route.ts'

/** Fields that name a patient or a requisition, or say something of a patient. */
const patientField = /^(patient[A-Z]\w*|reqId|requisitionId|namedReqIds)$/
/** A part of a requisition or of a patient, by its address. */
const partOfRecord = /^(requisitions\/:(id|reqID)|patients\/:id)(\/|$)/

/**
 * Whether a call shows patient data: by the type of its reply, by its address, or because the route says so (a file tells nothing by its type).
 * Every such call is marked in the OpenAPI document and leaves a row in the access log.
 */
export const showsPatientData = (route: Route): boolean =>
  route.patientData === true ||
  (route.method === 'GET' && partOfRecord.test(route.path)) ||
  hasField(route.reply, patientField)

/** Parameters of the address that are the number of a requisition or of a patient. */
export const subjectParams = ({ path }: Pick<Route, 'path'>): { reqId?: string; patientId?: string } => {
  const reqId = /(?:^|\/)requisitions\/:(id|reqID)(?:\/|$)/.exec(path)?.[1]
  const patientId = /(?:^|\/)patients\/:(id|patientId)(?:\/|$)/.exec(path)?.[1]
  return { ...(reqId && { reqId }), ...(patientId && { patientId }) }
}

/** The address of a route as the OpenAPI document writes it: `requisitions/{id}/req_tests`. */
export const routeName = (route: Pick<Route, 'path'>): string => fillPath(route, (name) => `{${name}}`)

const hasField = (schema: z.ZodType, name: RegExp): boolean => {
  const seen = new Set<unknown>()
  const look = (part: unknown): boolean => {
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
