import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type BatchType, comparisonLabels, type FieldComparison } from '@lis/contract/batch-files.ts'
import type { ReportCheck, ReportCheckDecision } from '@lis/contract/reports.ts'
import type { Trx } from '../../platform/db/db.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { OverLimit, runInLimitedProcess, TaskFailed } from '../../platform/limited/limited-process.ts'
import { type FileContent, unreadable } from './content.ts'
import { datesIn, labelledDates } from './guard-dates.ts'
import { compareName, fold, statedNames } from './guard-names.ts'
import { existingRequisitions, findTarget, type GuardRecord, lockAndFindCopies } from './queries.ts'
import type * as readContent from './read-content.ts'

export interface Comparison {
  compared: FieldComparison[]
  isMatch: boolean
  isContradicted: boolean
}

const reader = new URL('./read-content.ts', import.meta.url)

/** Reads an uploaded file in a separate, limited process; exceeding its time or memory counts as a fault of the file. */
export const readFile = async (open: () => Promise<Readable>, kind: string): Promise<FileContent> => {
  try {
    return await runInLimitedProcess<typeof readContent, 'examine'>(reader, 'examine', async () => [
      await buffer(await open()),
      kind,
    ])
  } catch (error) {
    if (error instanceof OverLimit) return unreadable('overLimit')
    if (error instanceof TaskFailed) return unreadable('broken')
    throw error
  }
}

/** Why a file is not accepted at all. */
export const faults: Record<NonNullable<FileContent['fault']>, string> = {
  encrypted: 'The PDF is protected by a password',
  broken: 'The PDF is damaged and cannot be read',
  overLimit: 'The file takes too much time or memory to read, or has too many pages',
}

/** Every number in the file that could be a requisition's; the caller finds out which of them exist. */
export const numbersIn = ({ lines, barCodes }: FileContent): number[] => {
  const found = new Set<number>()
  for (const text of [...lines, ...barCodes])
    for (const [digits] of text.matchAll(/(?<![\d.,/-])\d{5,12}(?![\d,/]|\.\d)/g)) found.add(Number(digits))
  return [...found]
}

// Bounded runs of spaces, never two runs next to each other: otherwise matching would backtrack over every way to divide them.
const stated =
  /\bREQ(?:UISITION)?\b\.?\s{0,9}(?:(?:ID|NO|NUMBER|NBR|NUM)\b\.?\s{0,9})?(?:[:#]\s{0,9})?(?:#\s{0,9})?(\d{4,12})\b/g

/**
 * Compares a file with the record it would be filed under. All three must be found and agree for a match; one that disagrees is a
 * contradiction, and so is any other requisition that the file names.
 */
export const compareWithRecord = (
  content: FileContent,
  record: GuardRecord,
  known: ReadonlySet<number>,
): Comparison => {
  const lines = content.lines.map(fold)
  const compared = [numberOf(content, lines, record, known), nameOf(lines, record), dobOf(lines, record)]
  return {
    compared,
    isMatch: compared.every(({ outcome }) => outcome === 'match'),
    isContradicted: compared.some(({ outcome }) => outcome === 'mismatch'),
  }
}

/** Reports must match. A scan of paper seldom has text, so there the file name decides unless the content contradicts it. */
export const canBeFiled = (type: BatchType, { isMatch, isContradicted }: Comparison): boolean =>
  type === 'REPORT' ? isMatch : !isContradicted

/** 'Patient Name differs; Patient DOB not found in the file' */
const reasonOf = (compared: readonly FieldComparison[], isText: boolean): string[] =>
  compared
    .filter(({ outcome }) => outcome === 'mismatch' || (outcome === 'missing' && isText))
    .map(
      ({ field, outcome }) =>
        `${comparisonLabels[field]} ${outcome === 'mismatch' ? 'differs' : 'not found in the file'}`,
    )

/** Why a person must decide about a file; null when it can be filed without. */
export const describeFinding = (type: BatchType, content: FileContent, comparison: Comparison): string | null => {
  const isUnread = type === 'REPORT' && content.unreadPages > 0
  if (canBeFiled(type, comparison) && !isUnread) return null
  const isText = content.lines.length > 0
  return [
    ...(isText ? [] : ['No text can be read in the file, it may be a scan']),
    ...reasonOf(comparison.compared, isText),
    ...(isUnread ? [`The last ${content.unreadPages} pages were not read`] : []),
  ].join('; ')
}

export interface ReportFile {
  id: number
  content: FileContent
}

/** A person's decision to file against the finding; stored with the report version. */
export interface GuardOverride {
  finding: string
  reason: string
}

/**
 * Every uploaded report is checked here, in the transaction that files it and after the requisition is locked. One that does not match
 * needs a decision about exactly this finding, made by a user who saw this patient.
 */
export const requireMatchOrDecision = async (
  db: Trx,
  requisitionId: number,
  { id, content }: ReportFile,
  decision: ReportCheckDecision | undefined,
): Promise<GuardOverride | null> => {
  const record = await findTarget(db, requisitionId)
  if (!record) throw notFound('Requisition')
  const known = new Set(await existingRequisitions(db, numbersIn(content)))
  const comparison = compareWithRecord(content, record, known)
  const elsewhere = (await lockAndFindCopies(db, 'REPORT', id)).find((copy) => copy.requisition_id !== requisitionId)
  const finding = [elsewhere && copyMessage(elsewhere.requisition_id), describeFinding('REPORT', content, comparison)]
    .filter(Boolean)
    .join('; ')
  if (finding === '') return null
  if (decision?.seenFinding === finding && decision.seenPatientId === record.patientId)
    return { finding, reason: decision.reason }
  const current: ReportCheck = { finding, compared: comparison.compared, patientId: record.patientId }
  const message = `The file does not prove that it is the report of this patient: ${finding}`
  throw new AppError('conflict', message, { current, errors: [{ field: 'decision', message }] })
}

export const copyMessage = (requisitionId: number) => `The same file is on requisition #${requisitionId} already`

/** What a file contains, for the desk, when there is no record to compare it with. */
export const describeContent = (content: FileContent, known: ReadonlySet<number>): FieldComparison[] => {
  const lines = content.lines.map(fold)
  const numbers = numbersIn(content).filter((number) => known.has(number))
  const dates = labelledDates(lines)
  const side = (field: FieldComparison['field'], read: string | null): FieldComparison => ({
    field,
    read: read || null,
    record: null,
    outcome: 'missing',
  })
  return [
    side('reqId', numbers.map((number) => `#${number}`).join(', ')),
    side('patientName', statedNames(lines).join(' | ')),
    side('patientDob', [...new Set(dates)].map(usDate).join(', ')),
  ]
}

const numberOf = (
  content: FileContent,
  lines: readonly string[],
  { reqId, extIds }: GuardRecord,
  known: ReadonlySet<number>,
): FieldComparison => {
  const all = numbersIn(content)
  const labelled = lines.flatMap((line) => [...line.matchAll(stated)].map((match) => match[1] as string))
  const isOurs = (text: string) => Number(text) === reqId || extIds.includes(text)
  const others = [
    ...labelled.filter((text) => !isOurs(text)).map(Number),
    ...all.filter((number) => number !== reqId && known.has(number)),
  ]
  const record = `#${reqId}`
  const named = [...new Set(others)]
  if (named.length > 0) {
    const shown = all.includes(reqId) ? [reqId, ...named] : named
    return { field: 'reqId', read: shown.map((number) => `#${number}`).join(', '), record, outcome: 'mismatch' }
  }
  const isThere = all.includes(reqId)
  return { field: 'reqId', read: isThere ? record : null, record, outcome: isThere ? 'match' : 'missing' }
}

const nameOf = (lines: readonly string[], record: GuardRecord): FieldComparison => {
  const { outcome, read } = compareName(lines, record)
  const middle = record.middleName ? ` ${record.middleName}` : ''
  return { field: 'patientName', read, record: `${record.lastName}, ${record.firstName}${middle}`, outcome }
}

const dobOf = (lines: readonly string[], { dob }: GuardRecord): FieldComparison => {
  const record = usDate(dob)
  const labelled = labelledDates(lines)
  const other = labelled.find((date) => date !== dob)
  if (other) return { field: 'patientDob', read: usDate(other), record, outcome: 'mismatch' }
  const isThere = labelled.length > 0 || lines.some((line) => datesIn(line).includes(dob))
  return { field: 'patientDob', read: isThere ? record : null, record, outcome: isThere ? 'match' : 'missing' }
}

export const usDate = (iso: string) => `${iso.slice(5, 7)}/${iso.slice(8, 10)}/${iso.slice(0, 4)}`
