import type { CriticalCall } from '@lis/contract/critical-calls.ts'
import { formatLongDate } from '../../lib/formats.ts'

type Words = Pick<
  CriticalCall,
  'value' | 'units' | 'lo' | 'hi' | 'isCritical' | 'testDesc' | 'replacesValue' | 'patientName' | 'patientDob' | 'trend'
>

export const valueText = ({ value, units }: Pick<Words, 'value' | 'units'>) => [value, units].filter(Boolean).join(' ')

/** 'Potassium, limits 2.8 to 6.2, was 4.4' */
export const limitText = ({ testDesc, lo, hi, isCritical, replacesValue }: Words): string =>
  [
    testDesc,
    isCritical === 1 ? limitsText(lo, hi) : 'no longer critical',
    replacesValue !== null && `replaces ${replacesValue}`,
  ]
    .filter(Boolean)
    .join(', ')

const limitsText = (lo: string | null, hi: string | null) =>
  lo === null ? `limit ${hi}` : hi === null ? `limit ${lo}` : `limits ${lo} to ${hi}`

/** 'It was 4.4 on 11/06/2026.' */
const before = ({ trend: [last] }: Words): string =>
  last ? ` It was ${last.value} on ${formatLongDate(last.at.slice(0, 10))}.` : ''

/** What to say, so that it can be read back. */
export const sentence = (call: Words): string => {
  const [last = '', first = ''] = call.patientName.split(', ')
  const who = `${first} ${last}, born ${formatLongDate(call.patientDob)}`
  const what = `${call.testDesc} ${valueText(call)}`
  if (call.replacesValue === null)
    return `Critical result for ${who}: ${what}.${before(call)} Please read it back to me.`
  return `Corrected result for ${who}: ${what}. It replaces ${call.replacesValue}. Please read it back to me.`
}
