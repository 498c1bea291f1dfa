import { dayAt } from '@lis/contract/zoned-time.ts'
import { type BillItem, type BillParty, type CheckedItem, itemCurrency } from './bill-item.ts'
import type { BillingProvider, FileTime } from './claims.ts'

/** The bill of one payer for one batch in one currency. Clients and collaborators get an invoice, patients a statement. */
export interface Invoice {
  title: 'Invoice' | 'Statement'
  number: string
  /** YYYY-MM-DD, both. */
  date: string
  dueDate: string
  /** null if the settings do not name the laboratory. */
  from: BillingProvider | null
  currencyCode: string
  payer: BillParty
  /** The payer's number, with its kind. */
  reference: string
  items: readonly BillItem[]
  /** Requisitions that are not billed, with the reason. */
  notBilled: readonly { reqId: number; reason: string }[]
}

interface Account {
  title: Invoice['title']
  /** The payer's part of the invoice number. */
  code: string
  payer: BillParty
  reference: string
}

/** null for insurances, which get a claim, and if nobody pays. */
const accountOf = (item: BillItem): Account | null => {
  const { client, collaborator, patient } = item
  const payer = payerOf(item)
  if (!payer) return null
  if (item.billTypeCode === 'CLIENT')
    return { title: 'Invoice', code: String(client.id), payer, reference: `Client ${client.legacyId}` }
  if (item.billTypeCode === 'COLA')
    return { title: 'Invoice', code: `C${collaborator.id}`, payer, reference: `Collaborator ${collaborator.id}` }
  return { title: 'Statement', code: `P${patient.id}`, payer, reference: `Patient ${patient.id}` }
}

/** null for insurances, which get a claim, and if nobody pays. */
export const payerOf = ({ billTypeCode, client, collaborator, guarantor, patient }: BillItem): BillParty | null => {
  if (billTypeCode === 'CLIENT') return client
  if (billTypeCode === 'COLA') return collaborator
  if (billTypeCode !== 'PATIENT') return null
  const { firstName, middleName, lastName } = patient
  return guarantor ?? { ...patient, name: [firstName, middleName, lastName].filter(Boolean).join(' ') }
}

/** One per payer and currency; requisitions that are not billed are listed, but not in the total. */
export const invoicesOf = (
  batchId: number,
  at: FileTime,
  provider: BillingProvider | null,
  checked: readonly CheckedItem[],
): Invoice[] => {
  const date = dayAt(at.instant, at.zone)
  const dueDate = addDays(date, provider?.dueDays ?? 30)
  const invoices = new Map<string, Invoice & { items: BillItem[] }>()
  for (const { item, fault } of checked) {
    const account = accountOf(item)
    if (fault !== null || !account) continue
    const currencyCode = itemCurrency(item) ?? 'USD'
    const number = `${batchId}-${account.code}${currencyCode === 'USD' ? '' : `-${currencyCode}`}`
    const known = invoices.get(number)
    if (known) known.items.push(item)
    else {
      const { title, payer, reference } = account
      const notBilled = notBilledFor(account, checked)
      invoices.set(number, {
        title,
        number,
        date,
        dueDate,
        from: provider,
        currencyCode,
        payer,
        reference,
        items: [item],
        notBilled,
      })
    }
  }
  return [...invoices.values()]
}

const notBilledFor = ({ code }: Account, checked: readonly CheckedItem[]) =>
  checked.flatMap(({ item, fault }) =>
    fault !== null && accountOf(item)?.code === code ? [{ reqId: item.reqId, reason: fault }] : [],
  )

const addDays = (iso: string, days: number) =>
  new Date(Date.parse(`${iso}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
