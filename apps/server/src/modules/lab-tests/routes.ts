import { can } from '@lis/contract/access/permissions.ts'
import type { FieldError } from '@lis/contract/kit/errors.ts'
import { messages } from '@lis/contract/messages.ts'
import { reqTestRoutes } from '@lis/contract/requisition-tests.ts'
import { resultColumns } from '@lis/contract/results/result-keys.ts'
import { announce } from '../../platform/domain-events.ts'
import { AppError, forbidden } from '../../platform/errors.ts'
import { momentCell } from '../../platform/export-cells.ts'
import { type ExportColumn, exportList } from '../../platform/exports.ts'
import { implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { listPage } from '../../platform/lists.ts'
import { lockRequisition, requireRequisition } from '../requisition-record/queries.ts'
import { setTestCodes } from './codes.ts'
import { addTests, cancelModification, openModification, removeTests, retest } from './ordering.ts'
import { findSex, listPanels, listSingleTests, reqTestList, resultedList } from './queries.ts'
import { loadRuleBook } from './rule-book.ts'
import { type EntryProblem, saveResults } from './service.ts'

/** Nothing was stored; names each problem by the index of its entry and by its test. */
const refusedError = (problems: EntryProblem[]) => {
  const errors = problems.map(({ index, message }): FieldError => ({ field: `reqTests.${index}.result`, message }))
  const code = problems.some(({ kind }) => kind === 'refused') ? 'invalid' : 'conflict'
  return new AppError(code, problems.map(({ message }) => message).join('; '), {
    errors,
    current: { problems: problems.map(({ index: _, ...problem }) => problem) },
  })
}

const moment = (value: unknown, row: Record<string, unknown>) =>
  value ? momentCell(String(value), String(row.labTz)) : null
const exportColumns: readonly ExportColumn[] = [
  { header: 'Process Date', field: 'processDate', cell: moment },
  ...Object.entries(resultColumns).map(([field, header]) => ({ field, header })),
]

export const testsModule = implement(reqTestRoutes, {
  list: async ({ db, actor, params, query }) => {
    const head = await requireRequisition(db, actor, params.id)
    const reader = {
      head,
      sex: await findSex(db, head.patient_id),
      book: await loadRuleBook(db, [head.collaborator_id]),
      seesResults: can(actor.role, 'tests.seeResults'),
      mayEdit: can(actor.role, 'tests.edit'),
    }
    return listPage(db, reqTestList(reader), query)
  },
  add: async (context) => ({
    data: await addTests(context, context.params.id, context.body),
    message: messages.created,
  }),
  removeMany: async (context) => {
    await removeTests(context, context.params.id, context.query.id)
    await announce(context, 'resultsChanged', { requisitionIds: [context.params.id] })
    return { message: messages.deleted }
  },
  remove: async (context) => {
    await removeTests(context, context.params.id, [context.params.testId])
    await announce(context, 'resultsChanged', { requisitionIds: [context.params.id] })
    return { message: messages.deleted }
  },
  saveResults: async (context) => {
    const { params, body, db, actor } = context
    await lockRequisition(db, actor, params.id)
    const { saved, problems } = await saveResults(
      context,
      body.reqTests.map(({ isConfirmed, ...entry }) => ({
        ...entry,
        requisitionId: params.id,
        isConfirmed: isConfirmed === 1,
      })),
    )
    if (problems.length > 0) throw refusedError(problems)
    await announce(context, 'resultsChanged', { requisitionIds: [params.id] })
    const { status_code: reqStatusCode } = await requireRequisition(db, actor, params.id)
    return {
      data: { reqTests: saved.map(({ id, version }) => ({ id, version })), reqStatusCode },
      message: messages.saved,
    }
  },
  modify: async (context) => {
    const { id, testId } = context.params
    const data = await openModification(context, id, testId)
    await announce(context, 'resultsChanged', { requisitionIds: [id], opened: [testId] })
    return { data, message: messages.modified }
  },
  cancelModify: async (context) => ({
    data: await cancelModification(context, context.params.id, context.params.testId),
    message: messages.modifyCanceled,
  }),
  retest: async (context) => {
    const data = await retest(context, context.params.id, context.params.testId)
    await announce(context, 'resultsChanged', { requisitionIds: [context.params.id] })
    return { data, message: messages.saved }
  },
  failCodes: async (context) => ({
    data: await setTestCodes(context, context.params, 'FAIL', context.body.failIds, expectedVersion(context.request)),
    message: messages.failCodesUpdated,
  }),
  passCodes: async (context) => ({
    data: await setTestCodes(context, context.params, 'PASS', context.body.passIds, expectedVersion(context.request)),
    message: messages.passCodesUpdated,
  }),
  export: async (context) => {
    const head = await requireRequisition(context.db, context.actor, context.params.id)
    return exportList(context, {
      name: `processed-tests-${head.id}`,
      list: resultedList(head),
      query: context.query,
      columns: exportColumns,
    })
  },
  resulted: async ({ db, actor, params, query }) => {
    if (!can(actor.role, 'tests.seeResults')) throw forbidden()
    return listPage(db, resultedList(await requireRequisition(db, actor, params.id)), query)
  },
  panels: async ({ db, actor, params }) => {
    await requireRequisition(db, actor, params.id)
    return { data: await listPanels(db, params.id), message: '' }
  },
  singleTests: async ({ db, actor, params }) => {
    await requireRequisition(db, actor, params.id)
    return { data: await listSingleTests(db, params.id), message: '' }
  },
})
