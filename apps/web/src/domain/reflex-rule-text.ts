import type { ReflexRule } from '@lis/contract/reflex.ts'

const conditionOf = ({ op, value }: Pick<ReflexRule, 'op' | 'value'>): string => {
  if (op === 'interpretation') return `is ${value}`
  return op === 'text' ? `says ${value}` : `${op} ${value}`
}

/** 'TSH > 4.5: adds FT4'. */
export const reflexRuleText = (
  rule: Pick<ReflexRule, 'testCode' | 'op' | 'value' | 'addTestCodes' | 'addPanelCodes'>,
) =>
  `${rule.testCode} ${conditionOf(rule)}: adds ${[...rule.addTestCodes, ...rule.addPanelCodes.map((code) => `${code} (panel)`)].join(', ')}`
