import { type TransmitMethodCode, transmitMethods } from '@lis/contract/deliveries.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'

/** A recipient of a requisition's reports, with method and address. */
export interface Recipient {
  kind: 'CLIENT' | 'COLA' | 'COPY'
  /** The id of the client or collaborator. */
  partyId: number
  name: string
  method: TransmitMethodCode
  /** Empty where the method needs an address and there is none. */
  address: string
  /** Nobody there could sign in to open it. */
  isUnreadable: boolean
}

interface Party {
  id: number
  name: string
  code: string
  method: string | null
  email: string | null
  faxEmail: string | null
  /** Its e-mails carry the encrypted report instead of a link to the portal. */
  encryptsPdf: boolean
  /** Where its interface gets the results, if it has sent the order over one; '' for the receivers of the settings. */
  sender: string | null
}

interface Stored {
  id: number
  client: Party
  cola: Party
  copy: Party | null
  /** The copied physician can sign in. The practice that gets a copy sees only its own orders. */
  copy_has_reader: boolean
  deliver_to: string | null
}

/** By the party's own method, or by the chosen one. */
const recipientOf = (
  kind: Recipient['kind'],
  party: Party,
  hasReader: boolean,
  chosen?: TransmitMethodCode,
): Recipient => {
  const own = party.method && party.method in transmitMethods ? (party.method as TransmitMethodCode) : 'PORTAL'
  const method = chosen ?? own
  const needsSignIn = method === 'PORTAL' || (method === 'EMAIL' && !party.encryptsPdf)
  return {
    kind,
    partyId: party.id,
    name: party.name,
    method,
    address: addressOf(party, method),
    isUnreadable: needsSignIn && !hasReader,
  }
}

const addressOf = ({ name, code, email, faxEmail, sender }: Party, method: TransmitMethodCode) => {
  if (method === 'EMAIL') return email ?? ''
  if (method === 'FAX') return faxEmail ?? ''
  return method === 'HL7' ? code || (sender ?? '') : name
}

/** The results of an order that came over an interface go back over it. */
const party = (alias: string, code: string, encryptsPdf: string, sender = 'null::text') =>
  sql.raw(
    `(select json_build_object('id', ${alias}.id, 'name', ${alias}.name, 'code', ${code}, 'method', case when x.sender is null then ${alias}.transmit_method_code else 'HL7' end,
      'email', ${alias}.email, 'faxEmail', ${alias}.fax_email, 'encryptsPdf', ${encryptsPdf}, 'sender', x.sender) from (select ${sender} as sender) x)`,
  )
const clientParty = (alias: string, sender?: string) =>
  party(alias, `${alias}.legacy_client_id`, `${alias}.encrypt_pdf`, sender)

/**
 * The client, the collaborator or both, as the collaborator's record says, the one that has sent the order over an interface, and the
 * recipient of a copy.
 */
export const findRecipients = async (db: Db, ids: readonly number[]): Promise<Map<number, Recipients>> => {
  const { rows } = await sql<Stored>`
    select r.id, ${clientParty('c', 'order_sender(r.id, c.id, null)')} as client,
      ${party('o', 'o.alias', 'false', 'order_sender(r.id, null, o.id)')} as cola, o.report_deliver_to_code as deliver_to,
      case when k.id is null then null else ${clientParty('k')} end as copy,
      exists (select from app_user u where u.physician_id = r.copy_physician_id and u.role_code = 'PHYS' and u.status_code = 'ACT' and u.deleted_at is null and not u.is_api_client) as copy_has_reader
    from requisition r join client c on c.id = r.client_id join collaborator o on o.id = r.collaborator_id
      left join client k on k.id = r.copy_to_client_id and k.id <> r.client_id
    where r.id = any(${[...ids]}::bigint[])`.execute(db)
  return new Map(rows.map((row) => [row.id, recipientsOf(row)]))
}

export interface Recipients {
  /** By each one's own method. */
  all: Recipient[]
  /** The present recipient of a kind, by the given method. */
  byMethod: (kind: Recipient['kind'], method: TransmitMethodCode) => Recipient | null
}

const recipientsOf = ({ client, cola, copy, copy_has_reader, deliver_to }: Stored): Recipients => {
  const parties: Record<Recipient['kind'], Party | null> = { CLIENT: client, COLA: cola, COPY: copy }
  const named: Recipient['kind'][] =
    deliver_to === 'COLA' ? ['COLA'] : deliver_to === 'BOTH' ? ['CLIENT', 'COLA'] : ['CLIENT']
  const senders = (['CLIENT', 'COLA'] as const).filter((kind) => parties[kind]?.sender != null)
  const kinds = new Set<Recipient['kind']>([...named, ...senders, 'COPY'])
  const find = (kind: Recipient['kind'], method?: TransmitMethodCode) => {
    const one = parties[kind]
    return one && recipientOf(kind, one, kind !== 'COPY' || copy_has_reader, method)
  }
  return {
    all: [...kinds].map((kind) => find(kind)).filter((one) => one !== null),
    byMethod: find,
  }
}

const missing: Partial<Record<TransmitMethodCode, string>> = { EMAIL: 'e-mail address', FAX: 'Secure Fax' }

/** Why the recipient cannot be reached, or null. */
export const unreachableReason = ({ name, method, address, isUnreadable }: Recipient): string | null => {
  if (address === '') return `${name} has no ${missing[method] ?? 'address'}`
  return isUnreadable
    ? `${name} gets a copy and could not open it by ${transmitMethods[method]}; give it a Secure Fax or encrypted e-mail`
    : null
}

/** The address columns of a `report_delivery` row. */
export interface LedgerAddress {
  recipient_kind: string
  transmit_method_code: string
  /** Null in old rows whose recipient is no longer one. */
  party_id: number | null
  recipient_name: string | null
  recipient: string
}

/** The same party with its present address, or null when it is no longer a recipient. */
export const findCurrentRecipient = (known: Recipients | undefined, row: LedgerAddress): Recipient | null => {
  const now = known?.byMethod(row.recipient_kind as Recipient['kind'], row.transmit_method_code as TransmitMethodCode)
  return now && now.partyId === row.party_id ? now : null
}

/** Why a waiting delivery must not go to the address it was written for, or null. */
export const misaddressedReason = (known: Recipients | undefined, row: LedgerAddress): string | null => {
  const now = findCurrentRecipient(known, row)
  if (!now) return `${row.recipient_name ?? row.recipient} is no longer a receiver`
  // Printed reports carry no address.
  const isElsewhere = row.transmit_method_code !== 'PRINT' && row.recipient !== now.address
  return isElsewhere ? 'the address has changed; deliver again' : null
}

export const findRecipientsOfRequisition = async (db: Db, requisitionId: number): Promise<Recipients | undefined> =>
  (await findRecipients(db, [requisitionId])).get(requisitionId)
