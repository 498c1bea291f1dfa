import type { CheckCode, ReportCheckResult } from '@lis/contract/sign-out.ts'
import { performingLabs, type ReportContent, type ReportResult } from './content.ts'
import { dateOnly, isNumber, isWithoutReference, sexText, specimenText } from './content-text.ts'

/** The input of the checks besides the content of the version. */
export interface CheckedReport {
  content: ReportContent
  versionNo: number
  isMadeHere: boolean
  /** The finding of the identity check for an uploaded file that a user has accepted anyway. */
  guardFinding: string | null
  /** Facts that have changed in the record. */
  outdated: readonly string[]
  /** Critical values of the requisition whose call is not closed. */
  openCriticalCalls: readonly string[]
  /** Tests whose results are listed for review, because their instrument was out of control. */
  openLookbacks: readonly string[]
  /** Issues of the requisition that are not closed. */
  openIssues: readonly string[]
}

type Judgement = Pick<ReportCheckResult, 'state' | 'detail'>
type Check = Omit<ReportCheckResult, 'state' | 'detail' | 'code'> & { judge: (report: CheckedReport) => Judgement }

const pass = (detail: string): Judgement => ({ state: 'PASS', detail })
const warn = (detail: string): Judgement => ({ state: 'WARN', detail })
const fail = (detail: string): Judgement => ({ state: 'FAIL', detail })

/** What 42 CFR 493.1291(c), (d), (i) and (k) ask of a report. An uploaded file cannot be checked for this: a user has to look. */
const ofFilesMadeHere = {
  PATIENT_ID: {
    title: 'Patient and identifiers',
    tabSlug: 'view',
    judge: ({ content: { patient, requisitionId } }) => {
      const missing = missingOf([
        ['the name', patient.name.replace(/[\s,]/g, '')],
        ['the date of birth', patient.dob],
      ])
      return missing
        ? fail(`The report does not say ${missing}`)
        : pass(
            `${patient.name}, born ${dateOnly(patient.dob)}, ${sexText(patient.sex)}, accession number ${requisitionId}`,
          )
    },
  },
  LAB_ADDRESS: {
    title: 'Laboratory that performed the tests',
    tabSlug: null,
    judge: ({ content }) => {
      const labs = performingLabs(content)
      const without = labs.filter(({ name, address, isAddressComplete }) => !name || !address || !isAddressComplete)
      return without.length > 0
        ? fail(
            without
              .map(
                ({ name }) => `The record of ${name || 'the laboratory'} has no complete address (street, city, zip)`,
              )
              .join('. '),
          )
        : pass(labs.map(({ name, address }) => `${name}, ${address}`).join('; '))
    },
  },
  REPORT_DATE: {
    title: 'Date of the report',
    tabSlug: 'reportsDelivery',
    judge: () => pass('Date and time of the release are printed'),
  },
  TESTS: {
    title: 'Tests performed',
    tabSlug: 'tests',
    judge: ({ content: { results, pending } }) => {
      if (results.length === 0) return fail('The report names no test')
      const unnamed = results.filter(({ name }) => !name.trim()).map(({ code }) => code)
      if (unnamed.length > 0) return fail(`Tests without a name: ${unnamed.join(', ')}`)
      return pending.length > 0
        ? warn(`Partial report. Still in work: ${pending.join(', ')}`)
        : pass(`${results.length} ${results.length === 1 ? 'test' : 'tests'}`)
    },
  },
  SPECIMEN_SOURCE: {
    title: 'Specimen source',
    tabSlug: 'specimens',
    judge: ({ content }) => {
      const source = specimenText(content)
      return source === '' ? fail('No specimen is recorded, so the report cannot say its source') : pass(source)
    },
  },
  RESULTS: {
    title: 'Results with units or interpretation',
    tabSlug: 'tests',
    judge: ({ content: { results } }) => {
      const empty = results.filter(({ value, failReasons }) => value === '' && !failReasons)
      if (empty.length > 0) return fail(`Neither a result nor a reason: ${namesOf(empty)}`)
      const bare = results.filter(({ value, unit, interpretation }) => isNumber(value) && !unit && !interpretation)
      return bare.length > 0
        ? warn(`Neither unit nor interpretation: ${namesOf(bare)}`)
        : pass('Every result has its unit or interpretation, or the reason why there is none')
    },
  },
  REFERENCE: {
    title: 'Reference intervals',
    tabSlug: 'tests',
    judge: ({ content: { results } }) => {
      const without = results.filter(isWithoutReference)
      return without.length > 0
        ? warn(`No interval is established, and the report says so: ${namesOf(without)}`)
        : pass('Every measured value has its interval or interpretation')
    },
  },
  SPECIMEN_CONDITION: {
    title: 'Condition of the specimen',
    tabSlug: 'status',
    judge: ({ content: { results, comments = [] } }) => {
      const failed = results.filter(({ failReasons }) => failReasons)
      const notes = [...comments, ...failed.map(({ name, failReasons }) => `${name}: ${failReasons}`)]
      return notes.length > 0 ? warn(notes.join('; ')) : pass('Met the criteria for acceptance')
    },
  },
  CORRECTED: {
    title: 'Correction',
    tabSlug: 'reportsDelivery',
    judge: ({ content: { changes }, versionNo }) => {
      if (versionNo === 1) return pass('Not a correction')
      if (!changes) return fail('The report does not say what was corrected')
      return warn(changes.length > 0 ? changes.join('; ') : 'No value has changed')
    },
  },
  CLIA_DIRECTOR: {
    title: 'CLIA number and director',
    tabSlug: null,
    judge: ({ content }) => {
      const labs = performingLabs(content)
      const faults = labs.flatMap(({ name, clia, director }) => {
        const missing = missingOf([
          ['a CLIA number', clia],
          ['a director', director],
        ])
        return missing ? [`The record of ${name} does not have ${missing}`] : []
      })
      return faults.length > 0
        ? warn(faults.join('. '))
        : pass(labs.map(({ clia, director }) => `CLIA ${clia}, ${director}`).join('; '))
    },
  },
} satisfies Partial<Record<CheckCode, Check>> as Partial<Record<CheckCode, Check>>

const always = {
  CURRENT: {
    title: 'Agrees with the record',
    tabSlug: 'reportsDelivery',
    judge: ({ outdated }) =>
      outdated.length > 0
        ? fail(`The record has changed since this report was made: ${outdated.join(', ')}`)
        : pass('Nothing has changed since it was made'),
  },
  QUALITY_CONTROL: {
    title: 'Quality control',
    tabSlug: 'tests',
    judge: ({ openLookbacks }) =>
      openLookbacks.length > 0
        ? fail(`To be looked at again, because quality control was rejected: ${openLookbacks.join(', ')}`)
        : pass('No result is in doubt'),
  },
  CRITICAL: {
    title: 'Critical values',
    tabSlug: 'tests',
    judge: ({ openCriticalCalls }) =>
      openCriticalCalls.length > 0
        ? warn(`Not called yet: ${openCriticalCalls.join(', ')}`)
        : pass('No critical value is open'),
  },
  ISSUES: {
    title: 'Issues',
    tabSlug: 'issues',
    judge: ({ openIssues }) =>
      openIssues.length > 0 ? warn(`Open: ${openIssues.join('; ')}`) : pass('No issue is open'),
  },
} satisfies Partial<Record<CheckCode, Check>> as Partial<Record<CheckCode, Check>>

/** Every check of a report, in a fixed order. */
export const checkReport = (report: CheckedReport): ReportCheckResult[] => {
  const here = entriesOf(ofFilesMadeHere).map(([code, { judge, ...check }]) => ({
    code,
    ...check,
    ...(report.isMadeHere ? judge(report) : judgeUpload(code, report)),
  }))
  const rest = entriesOf(always).map(([code, { judge, ...check }]) => ({ code, ...check, ...judge(report) }))
  return [...here, ...rest]
}

const entriesOf = (checks: Partial<Record<CheckCode, Check>>) => Object.entries(checks) as [CheckCode, Check][]

const judgeUpload = (code: CheckCode, { guardFinding }: CheckedReport): Judgement => {
  if (code !== 'PATIENT_ID') return warn('This file was made elsewhere: look at the file itself')
  return guardFinding === null
    ? pass('The file names the patient of this requisition')
    : warn(`Accepted by a person: ${guardFinding}`)
}

export const failedChecks = (checks: readonly ReportCheckResult[]) => checks.filter(({ state }) => state === 'FAIL')

/** The failed checks as text. */
export const failureText = (checks: readonly ReportCheckResult[]): string =>
  failedChecks(checks)
    .map(({ detail }) => detail)
    .join('. ')

const missingOf = (parts: readonly (readonly [what: string, value: string | null | undefined])[]): string =>
  parts
    .filter(([, value]) => !value)
    .map(([what]) => what)
    .join(' and ')

const namesOf = (results: readonly ReportResult[]) => results.map(({ name }) => name).join(', ')
