import { componentOf, explicitNull, type Hl7Message, repetitions, type Segment } from '../../platform/hl7/message.ts'
import { parseHl7Time } from '../../platform/hl7/timestamps.ts'
import type { IncomingPatient } from './incoming-order.ts'

/** The patient of a PID. An empty field keeps the stored value, `""` clears it. */
export const readPatient = (message: Hl7Message, pid: Segment): IncomingPatient => {
  const sent = (field: number, component = 1): string | null | undefined => {
    const whole = repetitions(message, pid, field)[0] ?? ''
    const text = whole === explicitNull ? explicitNull : componentOf(message, whole, component)
    if (text === '') return undefined
    return text === explicitNull ? null : text
  }
  const dob = sent(7)
  const sex = sent(8)
  return {
    identifiers: identifiersIn(message, pid, 3),
    // A name cannot be cleared.
    lastName: sent(5) ?? '',
    firstName: sent(5, 2) ?? '',
    middleName: sent(5, 3),
    dob: dob == null ? dob : (parseHl7Time(dob)?.date ?? undefined),
    sex: sex === 'M' ? 'MALE' : sex === 'F' ? 'FEMALE' : sex === null ? null : undefined,
    addr1: sent(11),
    addr2: sent(11, 2),
    city: sent(11, 3),
    state: sent(11, 4),
    zip: sent(11, 5),
    homePhone: phone(message, pid, 13),
    workPhone: phone(message, pid, 14),
  }
}

export const identifiersIn = (message: Hl7Message, segment: Segment | undefined, field: number) =>
  repetitions(message, segment, field).flatMap((one) => {
    const identifier = componentOf(message, one, 1)
    return identifier === '' || identifier === explicitNull
      ? []
      : [{ identifier, authority: authorityIn(message, one) }]
  })

/** The whole assigning authority: namespace, universal id and its type, joined by `&`. A namespace alone has no `&`. */
const authorityIn = (message: Hl7Message, repetition: string): string =>
  [1, 2, 3]
    .map((subcomponent) => componentOf(message, repetition, 4, subcomponent))
    .map((part) => (part === explicitNull ? '' : part))
    .join('&')
    .replace(/&+$/, '')

export const namespaceOf = (authority: string): string => authority.split('&')[0] ?? ''

/** Either one text, or country, area and number in their own components. */
const phone = (message: Hl7Message, pid: Segment, field: number): string | null | undefined => {
  const repeated = repetitions(message, pid, field)
  if (repeated[0] === explicitNull) return null
  for (const one of repeated) {
    const parts = [5, 6, 7].map((component) => componentOf(message, one, component)).join('')
    const digits = (parts || (componentOf(message, one, 1).split(/[xX]/)[0] ?? '')).replace(/\D/g, '')
    if (digits.length >= 7 && digits.length <= 15) return digits.length === 10 ? `1${digits}` : digits
  }
  return undefined
}
