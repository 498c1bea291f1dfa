import type { InterfaceMessageDetail } from '@lis/contract/interfaces.ts'
import type { Decision } from './decision.ts'

interface Offer {
  label: string
  /** Also the other messages with the same cause. */
  alsoSame: boolean
}

/**
 * What the buttons offer. A mapping holds for every message with the code; an approval means that somebody has looked at this one, so that
 * the others are approved only by the button that says so.
 */
export const offersOf = (
  message: InterfaceMessageDetail,
  decision: Decision,
): { main: Offer; second: Offer | null } => {
  const count = message.sameCauseCount + 1
  const isApproval = message.problems.some(({ code }) => code === 'NEEDS_APPROVAL')
  const isMapping = Object.values(decision.codes).some(Boolean)
  const verb = isMapping ? 'Map and reprocess' : isApproval ? 'Approve' : 'Reprocess'
  const alone: Offer = { label: verb, alsoSame: false }
  if (count === 1) return { main: alone, second: null }
  if (isApproval) return { main: alone, second: { label: `Approve all ${count}`, alsoSame: true } }
  return { main: { label: `${verb} ${count}`, alsoSame: true }, second: { label: 'Only this', alsoSame: false } }
}
