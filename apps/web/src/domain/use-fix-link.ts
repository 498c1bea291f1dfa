import { can } from '@lis/contract/access/permissions.ts'
import type { Refusal } from '@lis/contract/requisitions/moves.ts'
import { useRole } from '../lib/session.ts'

const labels: Record<string, string> = {
  view: 'Open View',
  tests: 'Open Tests',
  specimens: 'Open Specimens',
  reportsDelivery: 'Open Reports/Delivery',
  billing: 'Open Billing',
  payments: 'Open Payments',
  status: 'Open Status',
}

/** Index of 'Test Prices' among the tabs of a client. */
const pricesTab = 4

/** 'Requisition #1000123 has no test' without the number, which is shown beside it. */
export const shortReason = (reason: string) =>
  reason
    .replaceAll(/Requisition #\d+ /g, '')
    .replaceAll(/(^|; )(\w)/g, (_, before: string, letter: string) => `${before}${letter.toUpperCase()}`)

/** The link to where a refusal can be fixed, for users who may go there. */
export const useFixLink = () => {
  const mayOpen = can(useRole(), 'requisitions.link')
  return ({ id, tabSlug, unpricedClientId: client }: Pick<Refusal, 'id' | 'tabSlug' | 'unpricedClientId'>) => {
    if (!mayOpen || tabSlug === null) return undefined
    if (client !== undefined) return { label: 'Open Test Prices', href: `/clients/${client}/show?tab=${pricesTab}` }
    return { label: labels[tabSlug] ?? 'Open', href: `/requisitions/${id}/show/${tabSlug}` }
  }
}
