/** The control rules that a plan can choose. */
export const qcRules = [
  '1-2s',
  '1-3s',
  '2-2s',
  'R-4s',
  '4-1s',
  '10-x',
  '2of3-2s',
  '3-1s',
  '6-x',
  '8-x',
  '12-x',
  '7-T',
] as const
export type QcRule = (typeof qcRules)[number]

export const qcRuleActions = ['WARN', 'REJECT'] as const
export type QcRuleAction = (typeof qcRuleActions)[number]
export interface ChosenRule {
  rule: QcRule
  action: QcRuleAction
}

/** What applies without a plan. */
export const defaultQcRules: readonly ChosenRule[] = [
  { rule: '1-2s', action: 'WARN' },
  { rule: '1-3s', action: 'REJECT' },
  { rule: '2-2s', action: 'REJECT' },
  { rule: 'R-4s', action: 'REJECT' },
  { rule: '4-1s', action: 'REJECT' },
  { rule: '10-x', action: 'REJECT' },
]

export const qcRunStates = ['IN', 'WARNING', 'REJECTED', 'NOT_EVALUATED'] as const
export type QcRunState = (typeof qcRunStates)[number]
