import { notCalculatedText } from '@lis/contract/results/engine.ts'
import { DateTime } from 'luxon'
import { zoneAbbreviation } from '../../platform/zones.ts'
import { joinTexts, performingLabs, type ReportContent, type ReportResult } from './content.ts'

// Texts as they are printed on a report.

/** Printed in place of a result that has a fail code. */
export const notReported = (failReasons: string) => `Not reported: ${failReasons}`

export const valueText = (result: ReportResult | undefined): string => {
  if (!result) return ''
  const { value, unit, interpretation, failReasons } = result
  if (value === '') return failReasons ? notReported(failReasons) : ''
  const measured = value !== notCalculatedText && unit
  return [value, measured, interpretation && `(${interpretation})`].filter(Boolean).join(' ')
}

/** Value, interpretation and comment as one text. */
export const resultText = (result: ReportResult) => joinTexts([valueText(result), result.comment])

/** Limits as they are printed: '≤ 199'. */
export const limitsText = (range: string) => range.replace('<=', '≤').replace('>=', '≥')

/** A line of a correction as it is printed. */
export const changeText = (change: string) =>
  change.includes(': range changed from ') ? change.replaceAll('<=', '≤').replaceAll('>=', '≥') : change

const ageUnits = [
  ['years', 'year'],
  ['months', 'month'],
  ['weeks', 'week'],
  ['days', 'day'],
] as const

/** The age at the collection: in years from two on, in months, weeks or days before. */
export const ageText = (dob: string, collectedAt: string, zone: string): string => {
  const days = DateTime.fromISO(collectedAt, { zone }).startOf('day')
  const born = DateTime.fromISO(dob, { zone })
  for (const [unit, one] of ageUnits) {
    const count = Math.floor(days.diff(born, unit).as(unit))
    if (count >= 2 || unit === 'days') return count < 0 ? '' : `${count} ${count === 1 ? one : unit}`
  }
  return ''
}

/** What was examined: 'Serum, Serum separator tube (gold)'; each kind once. */
export const specimenText = ({ specimens = [] }: Pick<ReportContent, 'specimens'>): string =>
  [...new Set(specimens.map(({ type, container }) => `${type}, ${container}`))].join('; ')

export const sexText = (code: string) => (code === 'MALE' ? 'Male' : 'Female')
export const fastingText = (fasting: boolean | null) => (fasting === null ? 'Not stated' : fasting ? 'Yes' : 'No')
export const dateOnly = (iso: string) => DateTime.fromISO(iso).toFormat('MM/dd/yyyy')
export const momentText = (iso: string, zone: string, isToTheSecond = false) => {
  const time = DateTime.fromISO(iso, { zone }).toFormat(`MM/dd/yyyy HH:mm${isToTheSecond ? ':ss' : ''}`)
  // Luxon takes half a millisecond for the name of a zone.
  return `${time} ${zoneAbbreviation(new Date(iso).toISOString(), zone)}`
}

/** What is printed below a result: its comment, why it was added, and who was called about it. */
export const notesOf = ({ comment, reflexCause, called, performedBy }: ReportResult, zone: string): string[] =>
  [
    comment,
    reflexCause && `Reflex test, added because of ${reflexCause}`,
    performedBy && `Performed by ${performedBy.name}`,
    called && `Called to ${called.to} at ${momentText(called.at, zone)}, read back`,
  ].filter((text) => !!text) as string[]

export const isNumber = (value: string) => /^[<>=≤≥\s]*[\d.,]+$/.test(value)

/** A measured value for which the laboratory has neither an interval nor an interpretation; the report says so. */
export const isWithoutReference = ({ value, range, interpretation }: ReportResult): boolean =>
  isNumber(value) && !range && !interpretation

/** A number of the United States as (617) 555-0100, any other as it is stored. */
export const phoneText = (phone: string) => phone.replace(/^1(\d{3})(\d{3})(\d{4})$/, '($1) $2-$3')

/** Address, phone and numbers of the laboratory, below its name. */
export const labLines = ({ address, phone, clia, accreditations = [] }: ReportContent['lab']): string[] =>
  [
    [address, phone && `Phone ${phoneText(phone)}`].filter(Boolean).join('   '),
    [clia && `CLIA ${clia}`, ...accreditations].filter(Boolean).join('   '),
  ].filter((line) => line !== '')

/** Every text that a report prints, each with a name for messages. */
export const printedTexts = (content: ReportContent): [what: string, text: string][] => [
  ["the patient's name", content.patient.name],
  ['the client', Object.values(content.client).join(' ')],
  ['the physician', content.physician.name],
  ...performingLabs(content).map((lab): [string, string] => [
    'the laboratory',
    [lab.name, lab.director, ...labLines(lab)].join(' '),
  ]),
  ['the wording of the collaborator', content.collaborator.wording ?? ''],
  ['the order ID', content.extOrderId ?? ''],
  ['the specimen', specimenText(content)],
  ['the comment', joinTexts(content.comments ?? [])],
  ...content.results.map(
    ({ name, value, unit, interpretation, comment, failReasons, called, earlier = [] }): [string, string] => [
      name,
      [name, value, unit, interpretation, comment, failReasons, called?.to, ...earlier.map((one) => one.value)].join(
        ' ',
      ),
    ],
  ),
  ['the tests in work', content.pending.join(' ')],
]
