import { isDeepStrictEqual } from 'node:util'
import { withSingleSpaces } from '@lis/contract/validation.ts'
import {
  type EarlierValue,
  joinTexts,
  maxEarlierValues,
  type NamedTest,
  type ReportContent,
  type ReportResult,
} from './content.ts'
import { dateOnly, fastingText, momentText, resultText, sexText, specimenText, valueText } from './content-text.ts'

/**
 * The differences between two versions, as the lines that a correction prints. Includes everything that `findOutdatedFacts` finds: a
 * correction made for such a fact must not say that nothing has changed.
 */
export const changesBetween = (before: ReportContent | null, now: ReportContent): string[] => {
  if (!before) return ['What the version before said is not known here: please compare the two.']
  const changed = (label: string, from: string, to: string) =>
    from === to ? [] : [`${label} changed from ${from || '(none)'} to ${to || '(none)'}`]
  // The reader of this version must not learn values of another patient, or what another practice was sent.
  if (before.patient.id !== now.patient.id)
    return [
      'Patient changed: the earlier version was about another person. Please check every value on this report again.',
    ]
  const isSameClient =
    before.owner && now.owner ? before.owner.clientId === now.owner.clientId : before.client.id === now.client.id
  const facts = (content: ReportContent): [string, string][] => [
    ['Patient', withSingleSpaces(content.patient.name)],
    ['Date of birth', dateOnly(content.patient.dob)],
    ['Sex', sexText(content.patient.sex)],
    ...(isSameClient ? practiceFacts(content) : []),
    ['Laboratory', content.lab.name],
    ['Date collected', momentText(content.collectedAt, content.collectedZone)],
    ['Fasting', fastingText(content.fasting)],
    // Content from before specimens were stored says nothing about them.
    ['Specimen', before.specimens ? specimenText(content) : ''],
    ['Comment', joinTexts(content.comments ?? [])],
  ]
  const isSameCollaborator = !before.owner || !now.owner || before.owner.collaboratorId === now.owner.collaboratorId
  const byName = ({ results }: ReportContent) => new Map(results.map((result) => [result.name, result]))
  const [oldResults, newResults] = [byName(before), byName(now)]
  const names = new Set([...oldResults.keys(), ...newResults.keys()])
  const oldRanges = new Map(before.results.map(({ name, range }) => [name, range]))
  return [
    ...(isSameClient ? [] : ['Client changed: the earlier version was issued for another practice']),
    ...(isSameCollaborator ? [] : ['Collaborator changed: the earlier version was issued for another one']),
    ...facts(now).flatMap(([label, text], index) => changed(label, facts(before)[index]?.[1] ?? '', text)),
    ...[...names].flatMap((name) => [
      ...changed(name, valueText(oldResults.get(name)), valueText(newResults.get(name))),
      ...commentChange(name, oldResults.get(name)?.comment, newResults.get(name)?.comment),
    ]),
    // No line for the flag, which depends on value and range.
    ...now.results.flatMap(({ name, range }) => changed(`${name}: range`, oldRanges.get(name) ?? range, range)),
    ...now.results.flatMap((result) =>
      performerChange(
        before.results.find(({ name }) => name === result.name),
        result,
      ),
    ),
    // Without the values, which may have been another patient's.
    ...withOutdatedEarlierValues(before, now).map(({ name }) => `${name}: earlier values changed`),
  ]
}

/** A line of its own: value and comment in one line would be hard to read. */
const commentChange = (name: string, from: string | null | undefined, to: string | null | undefined): string[] => {
  if ((from ?? '') === (to ?? '')) return []
  if (!from) return [`${name}: comment added: "${to}"`]
  return [`${name}: the comment "${from}" ${to ? `was replaced by "${to}"` : 'no longer applies'}`]
}

/** Content from before performing laboratories were stored says nothing about them. */
const performerChange = (from: ReportResult | undefined, to: ReportResult): string[] => {
  if (from?.performedBy === undefined || from.performedBy?.name === to.performedBy?.name) return []
  return [
    `${to.name}: performed by ${to.performedBy?.name ?? 'this laboratory'}, not by ${from.performedBy?.name ?? 'this laboratory'}`,
  ]
}

/** Codes of the results that differ from the version before; all of them if that was about another patient. */
export const changedCodes = (before: ReportContent | null, now: ReportContent): string[] => {
  if (!before) return []
  const oldResults = new Map(before.results.map((result) => [result.code, result]))
  const isSame = (result: ReportResult) => {
    const old = oldResults.get(result.code)
    return old !== undefined && resultText(old) === resultText(result) && old.range === result.range
  }
  const isOtherPatient = before.patient.id !== now.patient.id
  return now.results.filter((result) => isOtherPatient || !isSame(result)).map(({ code }) => code)
}

/** Tests of this patient in earlier versions and no longer in this one, which a system that stores single results would keep showing. */
export const withdrawnSince = (before: ReportContent | null, now: ReportContent): NamedTest[] => {
  if (before?.patient.id !== now.patient.id) return []
  const codes = new Set(now.results.map(({ code }) => code))
  return [...before.results, ...(before.withdrawn ?? [])].flatMap(({ code, name, loinc }) =>
    codes.has(code) ? [] : [{ code, name, loinc }],
  )
}

/** The labels of facts on a report made here that are no longer true. New tests are not among them: it may be a partial report. */
export const findOutdatedFacts = (made: ReportContent, now: ReportContent): string[] => {
  const facts = (content: ReportContent): [string, unknown][] => {
    const { patient, owner, physician } = content
    return [
      ['Patient', [patient.id, withSingleSpaces(patient.name), patient.dob, patient.sex]],
      ['Client', owner?.clientId],
      ['Collaborator', owner?.collaboratorId],
      // Two physicians may have one name.
      ['Ordering physician', [physician.name, physician.npi]],
      ['Laboratory', content.lab.name],
      ['Date collected', Date.parse(content.collectedAt)],
      ['Order ID', content.extOrderId],
      ['Fasting', content.fasting],
      ['Comment', content.comments],
    ]
  }
  const current = new Map(facts(now))
  const results = new Map(now.results.map((result) => [result.code, result]))
  // Reports from before pass codes were printed lack no comment.
  const textOf = made.comments === undefined ? (one: ReportResult) => resultText({ ...one, comment: null }) : resultText
  const isCurrent = (printed: ReportResult) => {
    const result = results.get(printed.code)
    if (!result || textOf(result) !== textOf(printed)) return false
    if (printed.performedBy !== undefined && printed.performedBy?.name !== result.performedBy?.name) return false
    // Without stored rules the range here is today's; the report has the one by which the result was interpreted.
    return result.rulesId === undefined || (result.range === printed.range && result.flag === printed.flag)
  }
  return [
    ...facts(made)
      .filter(([label, value]) => value !== undefined && !isDeepStrictEqual(value, current.get(label)))
      .map(([label]) => label),
    ...(isSpecimenCurrent(made, now) ? [] : ['Specimen']),
    ...made.results.filter((result) => !isCurrent(result)).map(({ code }) => code),
    ...withOutdatedEarlierValues(made, now).map(({ code }) => `${code}: earlier values`),
  ]
}

/** Every kind of specimen that is printed is still recorded. More of them are no change: they may be of later tests. */
const isSpecimenCurrent = (made: ReportContent, now: ReportContent): boolean => {
  const known = new Set(now.specimens?.map((one) => specimenText({ specimens: [one] })))
  return (made.specimens ?? []).every((one) => known.has(specimenText({ specimens: [one] })))
}

/** The same of a report that nobody has released: it must also say who was called about a critical value since it was made. */
export const findOutdatedFactsOfDraft = (made: ReportContent, now: ReportContent): string[] => {
  const printed = new Map(made.results.map(({ code, called }) => [code, called]))
  // It prints the specimens as they are at its release.
  const { specimens: _, ...rest } = made
  return [
    ...findOutdatedFacts(rest, now),
    ...now.results
      .filter(({ code, called }) => called && printed.has(code) && !isDeepStrictEqual(called, printed.get(code)))
      .map(({ code }) => `${code}: critical call`),
  ]
}

/** Results of a report whose earlier values are no longer all true. */
const withOutdatedEarlierValues = (made: ReportContent, now: ReportContent): ReportResult[] => {
  const current = new Map(now.results.map(({ code, earlier }) => [code, earlier]))
  return made.results.filter(({ code, earlier = [] }) => {
    const known = current.get(code)
    return known !== undefined && !earlier.every((value) => isStillValid(known, value))
  })
}

/** Still printed, or displaced by newer ones only: otherwise it was another patient's, was corrected or is in doubt. */
const isStillValid = (known: readonly EarlierValue[], { at, value }: EarlierValue) => {
  const moment = Date.parse(at)
  return (
    known.some((one) => Date.parse(one.at) === moment && one.value === value) ||
    (known.length >= maxEarlierValues && known.every((one) => Date.parse(one.at) > moment))
  )
}

/** Only for the practice whose order it was; the order ID is its own too. */
const practiceFacts = ({ client, physician, extOrderId }: ReportContent): [string, string][] => [
  ['Client', client.name],
  ['Ordering physician', physician.name],
  ['NPI of the ordering physician', physician.npi],
  ['Order ID', extOrderId ?? ''],
]
