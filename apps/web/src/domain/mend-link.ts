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

/** 'Requisition #1000123 has no test' beside the number of the requisition: the number need not be said again. */
export const shortReason = (reason: string) =>
  reason
    .replaceAll(/Requisition #\d+ /g, '')
    .replaceAll(/(^|; )(\w)/g, (_, before: string, letter: string) => `${before}${letter.toUpperCase()}`)

/** The way to where a refusal is mended, for those who may go there. */
export const useMendLink = () => {
  const mayOpen = can(useRole(), 'requisitions.link')
  return ({ id, tabSlug }: Pick<Refusal, 'id' | 'tabSlug'>) =>
    mayOpen && tabSlug !== null
      ? { label: labels[tabSlug] ?? 'Open', href: `/requisitions/${id}/show/${tabSlug}` }
      : undefined
}
