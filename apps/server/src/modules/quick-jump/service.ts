import { can } from '@lis/contract/access/permissions.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { readSearch } from '../patients/queries.ts'
import {
  type Found,
  findClients,
  findPatients,
  findPhysicians,
  findRequisitions,
  isBorn,
  isNamed,
  namePatterns,
} from './queries.ts'

/** Only kinds whose pages the role may open, and of each only what is in scope. */
export const findRecords = async (db: Db, actor: Actor, q: string): Promise<Found[]> => {
  const text = q.replace(/^#\s*/, '')
  const isNumber = /^\d{1,15}$/.test(text)
  // One letter, or none, would match half of the laboratory.
  const isName = !isNumber && text.replace(/[^\p{L}]/gu, '').length >= 2
  const patterns = isName ? namePatterns(text) : []
  const { days } = readSearch(text)
  const patient = days ? isBorn(text, days) : isName ? isNamed(actor, patterns) : undefined
  const mayOpen = can(actor.role, 'requisitions.open')
  return [
    ...(mayOpen && isNumber && text.length <= 12 ? await findRequisitions(db, actor, text) : []),
    ...(mayOpen && patient ? await findPatients(db, actor, patient) : []),
    ...(can(actor.role, 'clients.read') && text.length >= 2 ? await findClients(db, actor, text) : []),
    ...(can(actor.role, 'physicians.read') && (isName || isNumber)
      ? await findPhysicians(db, actor, text, patterns)
      : []),
  ]
}
