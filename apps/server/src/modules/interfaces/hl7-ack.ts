import { randomUUID } from 'node:crypto'
import { DateTime } from 'luxon'
import {
  defaultDelimiters,
  escapeText,
  fieldValue,
  findSegment,
  type Hl7Message,
  rawField,
} from '../../platform/hl7/message.ts'
import { faultWords, type Hl7Fault } from './hl7-faults.ts'
import { isBeforeErrorDetails } from './hl7-versions.ts'

export type Outcome = 'AA' | 'AE' | 'AR'

const enhanced = { AA: 'CA', AE: 'CE', AR: 'CR' } as const
type AckCode = Outcome | (typeof enhanced)[Outcome]

export interface Ack {
  /** Null where the sender wants no answer. */
  code: AckCode | null
  text: string | null
}

/** Table 0155: whether an accept acknowledgement is wanted. Without MSH-15 the original mode applies, which always answers. */
const isWanted = (condition: string, outcome: Outcome): boolean => {
  if (condition === 'NE') return false
  if (condition === 'ER') return outcome !== 'AA'
  if (condition === 'SU') return outcome === 'AA'
  return true
}

/** The answer to a message; null stands for a block that is not a message. */
export const acknowledge = (message: Hl7Message | null, outcome: Outcome, faults: readonly Hl7Fault[]): Ack => {
  const header = message ? findSegment(message, 'MSH') : undefined
  const condition = message ? fieldValue(message, header, 15) : ''
  if (!isWanted(condition, outcome)) return { code: null, text: null }
  const code = condition === '' ? outcome : enhanced[outcome]
  const delimiters = message?.delimiters ?? defaultDelimiters
  const { field, component, repetition, subcomponent } = delimiters
  const event = message ? fieldValue(message, header, 9, 2) : ''
  const version = rawField(header, 12)
  const isOld = isBeforeErrorDetails(message ? fieldValue(message, header, 12) : '2.5.1')
  const words = faults.map((one) => escapeText(one.words ?? faultWords[one.code], delimiters))
  const now = `${DateTime.utc().toFormat('yyyyMMddHHmmss')}+0000`
  const segments = [
    [
      `MSH${field}${component}${repetition}${delimiters.escape}${subcomponent}`,
      rawField(header, 5),
      rawField(header, 6),
      rawField(header, 3),
      rawField(header, 4),
      now,
      '',
      event === '' ? 'ACK' : `ACK${component}${event}`,
      // The maximum length in older versions.
      randomUUID().replaceAll('-', '').slice(0, 20),
      rawField(header, 11) || 'P',
      version || '2.5.1',
      '',
      '',
      '',
      '',
      '',
      rawField(header, 18),
    ],
    ['MSA', code, rawField(header, 10), ...(isOld && words.length > 0 ? [words.join('; ').slice(0, 80)] : [])],
    ...faults.map((one, index) => {
      const place = [one.segment, one.sequence ?? '', one.field ?? '']
      if (isOld) {
        const cause = [one.code, faultWords[one.code], 'HL70357'].join(subcomponent)
        return ['ERR', [...place, cause].join(component)]
      }
      const known = place.join(component).replace(new RegExp(`${escapeRegExp(component)}+$`), '')
      const cause = [one.code, faultWords[one.code], 'HL70357'].join(component)
      return ['ERR', '', known, cause, 'E', '', '', '', words[index] ?? '']
    }),
  ]
  const lines = segments.map((segment) => segment.join(field).replace(new RegExp(`${escapeRegExp(field)}+$`), ''))
  return { code, text: lines.map((line) => `${line}\r`).join('') }
}

const escapeRegExp = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
