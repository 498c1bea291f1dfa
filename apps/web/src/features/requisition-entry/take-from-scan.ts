import { toBirthDateParts } from '@lis/contract/patients.ts'
import type { ScanField } from '@lis/contract/requisition-scans.ts'
import type { Orderable } from '@lis/contract/requisitions/create.ts'
import { timeOfDay } from '@lis/contract/zoned-time.ts'
import { readOptions } from '../../lib/use-lookup.ts'
import type { Values } from '../../ui/form/field-types.ts'

interface TakeContext {
  values: Values
  orderables: readonly Orderable[]
}

/** The form's values for a field of the scan; a reason where it has none. */
export const valuesOfScan = async (
  { name, value, label }: ScanField,
  { values, orderables }: TakeContext,
): Promise<Values | { fault: string }> => {
  const unknown = { fault: `${label} '${value}' was not found. Please choose it yourself.` }
  const chosen = async (field: string, options: ReturnType<typeof readOptions>) => {
    const same = (await options).filter((option) => wordsOf(option.label) === wordsOf(value))
    return same.length === 1 ? { [field]: same[0]?.value } : unknown
  }
  if (name === 'clientName') return chosen('clientId', readOptions('clients', {}, value))
  if (name === 'physicianName') {
    const id = Number(values.clientId)
    return id
      ? chosen('orderingClientPhysId', readOptions('clientPhysicians', { id }, value))
      : { fault: 'Please take the client first.' }
  }
  if (name === 'testCodes') return takeTests(value, values, orderables)
  if (name === 'patientDob') return isDay(value) ? toBirthDateParts(value) : { fault: notRead(label) }
  if (name === 'dateCollected') {
    if (!isDay(value)) return { fault: notRead(label) }
    const [dateCollectedYear, dateCollectedMonth, dateCollectedDate] = value.split('-')
    return { dateCollectedYear, dateCollectedMonth, dateCollectedDate }
  }
  if (name === 'timeCollected') return takeTime(value, label)
  if (name === 'patientGenderCode' && value !== 'MALE' && value !== 'FEMALE') return { fault: notRead(label) }
  return { [name]: value }
}

/** 'Stone, Gregory' and 'Dr. Gregory Stone' are one name. */
const wordsOf = (name: string) =>
  [...name.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)]
    .map(([word]) => word)
    .filter((word) => word !== 'dr')
    .sort()
    .join(' ')

const isDay = (value: string) => /^\d{4}-\d\d-\d\d$/.test(value)
const notRead = (label: string) => `${label} could not be read. Please type it.`

const takeTime = (value: string, label: string): Values | { fault: string } => {
  const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(value) ?? []
  if (!hours || !minutes) return { fault: notRead(label) }
  const time = timeOfDay(Number(hours), Number(minutes))
  const two = (part: number) => String(part).padStart(2, '0')
  return { timeCollectedHours: two(time.hours), timeCollectedMinutes: two(time.minutes), timeCollectedAmPm: time.half }
}

const takeTests = (value: string, values: Values, orderables: readonly Orderable[]): Values | { fault: string } => {
  const codes = value.split(',').map((code) => code.trim().toUpperCase())
  const found = codes.map((code) => orderables.find((one) => one.code.toUpperCase() === code)?.key)
  const missing = codes.filter((_, at) => found[at] === undefined)
  if (missing.length > 0)
    return { fault: `${missing.join(', ')} is not a test or panel. Please choose the tests yourself.` }
  return { tests: [...new Set([...((values.tests as string[] | undefined) ?? []), ...(found as string[])])] }
}
