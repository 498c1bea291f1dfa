import { type TransmitMethodCode, transmitMethods } from '@lis/contract/deliveries.ts'
import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'

/** Who is to get the reports of a requisition, how, and where. */
export interface Recipient {
  kind: 'CLIENT' | 'COLA' | 'COPY'
  name: string
  method: TransmitMethodCode
  /** Empty where the method needs an address and there is none. */
  address: string
}

interface Party {
  name: string
  code: string
  method: string | null
  email: string | null
  faxEmail: string | null
}

interface Stored {
  id: number
  client: Party
  cola: Party
  copy: Party | null
  deliver_to: string | null
}

/** Each party's own method, or the one that was chosen for all of them. */
const recipientOf = (kind: Recipient['kind'], party: Party, chosen?: TransmitMethodCode): Recipient => {
  const own = party.method && party.method in transmitMethods ? (party.method as TransmitMethodCode) : 'PORTAL'
  const method = chosen ?? own
  return { kind, name: party.name, method, address: addressOf(party, method) }
}

const addressOf = ({ name, code, email, faxEmail }: Party, method: TransmitMethodCode) => {
  if (method === 'EMAIL') return email ?? ''
  if (method === 'FAX') return faxEmail ?? ''
  return method === 'HL7' ? code : name
}

const party = (alias: string, code: string) =>
  sql.raw(
    `json_build_object('name', ${alias}.name, 'code', ${code}, 'method', ${alias}.transmit_method_code, 'email', ${alias}.email, 'faxEmail', ${alias}.fax_email)`,
  )

/** The client and whoever gets a copy; the collaborator with them or alone, as its record says. */
export const findRecipients = async (trx: Trx, ids: readonly number[]): Promise<Map<number, Recipients>> => {
  const { rows } = await sql<Stored>`
    select r.id, ${party('c', 'c.legacy_client_id')} as client, ${party('o', 'o.alias')} as cola, o.report_deliver_to_code as deliver_to,
      case when k.id is null then null else ${party('k', 'k.legacy_client_id')} end as copy
    from requisition r join client c on c.id = r.client_id join collaborator o on o.id = r.collaborator_id
      left join client k on k.id = r.copy_to_client_id and k.id <> r.client_id
    where r.id = any(${[...ids]}::bigint[])`.execute(trx)
  return new Map(rows.map((row) => [row.id, recipientsOf(row)]))
}

export interface Recipients {
  /** By everybody's own method. */
  all: Recipient[]
  /** The same party as before, by the method it was sent then. */
  again: (kind: Recipient['kind'], method: TransmitMethodCode) => Recipient | null
}

const recipientsOf = ({ client, cola, copy, deliver_to }: Stored): Recipients => {
  const parties: Record<Recipient['kind'], Party | null> = { CLIENT: client, COLA: cola, COPY: copy }
  const kinds: Recipient['kind'][] =
    deliver_to === 'COLA' ? ['COLA'] : deliver_to === 'BOTH' ? ['CLIENT', 'COLA', 'COPY'] : ['CLIENT', 'COPY']
  return {
    all: kinds.flatMap((kind) => {
      const one = parties[kind]
      return one ? [recipientOf(kind, one)] : []
    }),
    again: (kind, method) => {
      const one = parties[kind]
      return one && recipientOf(kind, one, method)
    },
  }
}

const missing: Partial<Record<TransmitMethodCode, string>> = { EMAIL: 'e-mail address', FAX: 'Secure Fax' }

/** Why this one cannot be reached, or null. */
export const unreachable = ({ name, method, address }: Recipient): string | null =>
  address === '' ? `${name} has no ${missing[method] ?? 'address'}` : null
