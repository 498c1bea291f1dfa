import { z } from 'zod'
import { bulkIds } from './kit/bulk.ts'
import { done, exported, list, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, del, get, idParam, post, put } from './kit/route.ts'
import { messages } from './messages.ts'
import { optionalIds } from './partial-input.ts'
import { resultKeys } from './results/result-keys.ts'
import { flag01, requiredId } from './validation.ts'

const id = z.number().int()
const text = z.string().nullable()
const time = z.iso.datetime({ offset: true })

/** Column headings (TEST-G11). */
export const reqTestLabels = {
  testCode: 'Test Code',
  testDesc: 'Test',
  result: 'Result',
  units: 'Units',
  reportableResult: 'Reportable Result',
  interpretation: 'Interpretation',
  range: 'Range',
  normal: 'Normal',
  borderline: 'Borderline',
  unfavorable: 'Unfavorable',
  previous: 'Previous',
  processDate: 'Process Date',
  testFailCodes: 'Fail Codes',
  testPassCodes: 'Pass Codes',
} as const

const band = z.enum(['normal', 'borderline', 'unfavorable'])
const option = z.object({ code: z.string(), description: z.string(), band: band.nullable(), interpretation: text })
const failCode = z.object({ reasonId: id, failCode: z.string(), failDesc: z.string() })
const passCode = z.object({ reasonId: id, passCode: z.string(), passDesc: z.string() })

/** Only for users who may see results; the rows of others do not have these fields. */
const resultFields = {
  /** With all digits; an option code in category tests. */
  result: text,
  reportableResult: text,
  interpretation: text,
  /** The band of the value, null if there is none. */
  band: band.nullable(),
  comment: text,
  reagent: text,
  /** The patient's latest earlier result of the same test. */
  previous: z.object({ result: z.string(), reportableResult: text, processDate: time, reqId: id }).nullable(),
}

/** One ordered test of a requisition. */
const reqTest = z.object({
  id,
  reqTestId: id,
  reqId: id,
  testId: id,
  testCode: z.string(),
  testDesc: z.string(),
  /** As they were ordered. */
  panelIds: z.array(id),
  testIds: z.array(id),
  panelCode: text,
  units: text,
  processDate: time.nullable(),
  labTz: z.string(),
  resultKind: z.enum(['numeric', 'category', 'text']),
  options: z.array(option).nullable(),
  /** Decimal places of the shown value (TEST-G9). */
  significantDigits: id,
  /** The bands for the patient's sex. */
  ranges: z.array(z.object({ band, lo: text, hi: text })),
  isCalculated: flag01,
  /** Replaced by a retest. */
  isRetest: flag01,
  /** The result of an instrument that it was made of. */
  instrumentResultId: id.nullable(),
  /** A reflex rule has added it. */
  isReflex: flag01,
  reflexRuleId: id.nullable(),
  /** A modification is open (TEST-G8). */
  isModifiable: flag01,
  isResulted: flag01,
  /** A result may be entered now. */
  isEditable: flag01,
  testFailCodes: z.array(failCode),
  testPassCodes: z.array(passCode),
  version: id,
  ...z.object(resultFields).partial().shape,
})
export type ReqTest = z.infer<typeof reqTest>
export const resultFieldNames = Object.keys(resultFields) as (keyof typeof resultFields)[]

/** One row per process date, a column per result (TEST-G7). */
const resultedTests = z.object({
  id,
  processDate: time,
  labTz: z.string(),
  ...(Object.fromEntries(resultKeys.map((key) => [key, text])) as Record<(typeof resultKeys)[number], typeof text>),
})

const orderable = { id, isOrdered: flag01 }
const panelOption = z.object({
  ...orderable,
  panelId: id,
  panelCode: z.string(),
  panelDesc: z.string(),
  testCodes: z.array(z.string()),
})
const singleTestOption = z.object({
  ...orderable,
  testId: id,
  testCode: z.string(),
  testDesc: z.string(),
  isCalculated: flag01,
})

const addTestsInput = z
  .object({ panelIds: optionalIds('Panels'), testIds: optionalIds('Tests') })
  .refine(({ panelIds, testIds }) => panelIds.length + testIds.length > 0, {
    path: ['testIds'],
    message: messages.testsMissing,
  })

const entered = z.union([z.string().max(200, messages.tooLong('Result', 200)), z.number()], {
  error: messages.invalid('Result'),
})
const resultEntry = z.object({
  reqTestId: requiredId('Test'),
  /** An empty value clears a result that is being modified. */
  result: entered.nullable().transform((value) => (value === null ? '' : String(value))),
  /** The version that the user saw. */
  version: id.optional(),
  /** The unit that the user saw: refused if it has changed, because the number would mean something else. */
  units: z.string().max(50, messages.tooLong('Units', 50)).nullable().optional(),
  /** The user has read the doubts and confirms the value. */
  isConfirmed: flag01.optional(),
})

const doubt = z.object({
  kind: z.enum(['limits', 'delta', 'text']),
  message: z.string(),
  change: z.string().optional(),
})
/** Why an entry was not stored. `doubtful` ones are stored when they are sent again with `isConfirmed`. */
const resultProblem = z.object({
  reqTestId: id,
  testCode: z.string(),
  kind: z.enum(['refused', 'changed', 'locked', 'doubtful']),
  message: z.string(),
  doubts: z.array(doubt),
  previous: z.object({ reqId: id, processDate: time }).nullable(),
})
export type ResultProblem = z.infer<typeof resultProblem>
/** `current` of a refused save; nothing was stored. */
export const resultProblems = z.object({ problems: z.array(resultProblem) })

const codeIds = (label: string) =>
  z
    .array(requiredId(label), { error: messages.invalid(label) })
    .max(100, messages.invalid(label))
    .transform((ids) => [...new Set(ids)])

const ofTest = z.object({ id: idParam, testId: idParam })
const saved = one(z.object({ id, version: id }))
const path = 'requisitions/:id/req_tests'

export const reqTestRoutes = {
  list: get(path, {
    access: 'requisitionTabs.tests',
    params: byId,
    query: listQuery({
      sort: ['testCode', 'testDesc', 'processDate'],
      filter: ['id', 'testCodes', 'testComboCode', 'isRetest', 'isNonResultedOnly', 'isCalculated'],
      defaultPerPage: 100,
    }),
    reply: page(reqTest),
  }),
  add: post(path, {
    access: 'tests.edit',
    params: byId,
    body: addTestsInput,
    reply: one(z.object({ id, ids: z.array(id) })),
  }),
  removeMany: del(`${path}/bulk_delete`, { access: 'tests.edit', params: byId, query: bulkIds, reply: done }),
  remove: del(`${path}/:testId`, { access: 'tests.edit', params: ofTest, reply: done }),
  saveResults: put(`${path}/bulk_edit`, {
    access: 'tests.edit',
    summary:
      'All or nothing. A refused save returns 400 or 409 with each entry in `current.problems`; doubtful ones are accepted with isConfirmed',
    params: byId,
    body: z.object({
      reqTests: z
        .array(resultEntry, { error: messages.required('Results') })
        .min(1, messages.required('Results'))
        .max(1000, 'At most 1000 results can be saved at once'),
    }),
    reply: one(z.object({ reqTests: z.array(z.object({ id, version: id })), reqStatusCode: z.string() })),
  }),
  modify: put(`${path}/:testId/modify`, { access: 'tests.edit', params: ofTest, reply: saved }),
  cancelModify: put(`${path}/:testId/cancel_mod`, { access: 'tests.edit', params: ofTest, reply: saved }),
  retest: put(`${path}/:testId/retest`, { access: 'tests.edit', params: ofTest, reply: saved }),
  failCodes: put(`${path}/:testId/fail_codes`, {
    access: 'codes.edit',
    params: ofTest,
    body: z.object({ failIds: codeIds('Fail Codes') }),
    reply: saved,
  }),
  passCodes: put(`${path}/:testId/pass_codes`, {
    access: 'codes.edit',
    params: ofTest,
    body: z.object({ passIds: codeIds('Pass Codes') }),
    reply: saved,
  }),
  export: get(`${path}/export`, {
    isReportApi: true,
    access: 'tests.export',
    summary: 'The resulted tests of the requisition as a file',
    params: byId,
    query: listQuery({ sort: ['processDate'], filter: [], defaultPerPage: -1 }),
    reply: exported,
    makesFile: true,
  }),
  resulted: get('requisitions/:id/req_resulted_tests', {
    access: 'requisitionTabs.tests',
    params: byId,
    query: listQuery({ sort: ['processDate'], filter: [], defaultPerPage: -1 }),
    reply: page(resultedTests),
  }),
  panels: get('requisitions/:id/panels', { access: 'tests.edit', params: byId, reply: list(panelOption) }),
  singleTests: get('requisitions/:id/single_tests', {
    access: 'tests.edit',
    params: byId,
    reply: list(singleTestOption),
  }),
}
