import { can } from '@lis/contract/access/permissions.ts'
import { parseScannedCode } from '@lis/contract/specimens.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { readSearch } from '../patients/queries.ts'
import {
  findClients,
  findPatients,
  findPhysicians,
  findRequisitions,
  type Hit,
  matchesBirthDate,
  matchesName,
  namePatterns,
  type RequisitionHit,
} from './queries.ts'

/** Only kinds whose pages the role may open or whose list it has, and of each only what is in scope. */
export const findRecords = async (db: Db, actor: Actor, q: string): Promise<Hit[]> => {
  const text = q.replace(/^#\s*/, '')
  const scanned = parseScannedCode(text)
  const isNumber = scanned !== null
  // One letter, or none, would match half of the laboratory.
  const isName = !isNumber && text.replace(/[^\p{L}]/gu, '').length >= 2
  const patterns = isName ? namePatterns(text) : []
  const { days } = readSearch(text)
  const patient = days ? matchesBirthDate(text, days) : isName ? matchesName(actor, patterns) : undefined
  const hasList = can(actor.role, 'requisitions.list')
  const digits = String(scanned?.reqId ?? '')
  const requisitions = [
    ...(hasList && digits && digits.length <= 12 ? await findRequisitions(db, actor, digits) : []),
    ...(hasList && patient ? await findPatients(db, actor, patient) : []),
  ]
  return [
    ...requisitions.map(withPage(can(actor.role, 'requisitions.open'))),
    ...(can(actor.role, 'clients.read') && text.length >= 2 ? await findClients(db, actor, text) : []),
    ...(can(actor.role, 'physicians.read') && (isName || isNumber)
      ? await findPhysicians(db, actor, text, patterns)
      : []),
  ]
}

/** Links to the page of the requisition; for physicians, who cannot open it, to their list filtered by the hit. */
const withPage =
  (mayOpen: boolean) =>
  ({ filters, ...hit }: RequisitionHit): Hit => {
    const entries = Object.entries(filters).map(([id, value]) => ({ id, value, viewValue: value }))
    const list = `/requisitions?smartFilter=${encodeURIComponent(JSON.stringify(entries))}`
    return { ...hit, href: mayOpen ? `/requisitions/${hit.requisitionId}/show` : list }
  }
