import { messages } from '@lis/contract/messages.ts'
import {
  freezerRoutes,
  freezerSpecLabels,
  locationLabels,
  slotName,
  specLocationRoutes,
} from '@lis/contract/spec-locations.ts'
import { withUndoId } from '../../platform/db/undo.ts'
import { notFound } from '../../platform/errors.ts'
import { momentCell } from '../../platform/export-cells.ts'
import { type ExportColumn, exportList } from '../../platform/exports.ts'
import { implement } from '../../platform/http/implement.ts'
import { listPage } from '../../platform/lists.ts'
import { requireRequisition } from '../requisition-record/queries.ts'
import { moveBoxes } from './box-moves.ts'
import { emptyStorageList, findBox, freezerSpecList, locationList, storageLevelList } from './queries.ts'
import { reconcileBox } from './reconcile.ts'
import { discardDue, discardList, listRules, saveRules } from './retention.ts'
import { discardSamples, fillBox, identifySamples, placeSamples } from './service.ts'

const moment =
  (zone: string): ExportColumn['cell'] =>
  (value, row) =>
    value ? momentCell(String(value), String(row[zone])) : null

const columns: ExportColumn[] = [
  {
    header: locationLabels.sampleStorageCode,
    field: 'sampleStorageDesc',
    cell: (freezer, row) => `${freezer} (${row.labName})`,
  },
  { header: locationLabels.shelf, field: 'shelf' },
  { header: locationLabels.rack, field: 'rack' },
  { header: locationLabels.box, field: 'box' },
  {
    header: locationLabels.slot,
    field: 'slot',
    cell: (slot, row) => slotName({ rowLetter: String(row.rowLetter), slot: Number(slot) }),
  },
  { header: freezerSpecLabels.reqId, field: 'reqId' },
  { header: freezerSpecLabels.clientName, field: 'clientName' },
  { header: freezerSpecLabels.physName, field: 'physName' },
  {
    header: freezerSpecLabels.patientName,
    field: 'patientLastName',
    cell: (last, row) => `${last}, ${row.patientFirstName}`,
  },
  {
    header: freezerSpecLabels.dateCollected,
    field: 'dateCollected',
    cell: moment('collectedTz'),
  },
  { header: freezerSpecLabels.dateReceived, field: 'dateReceived', cell: moment('labTz') },
]

const moved = (data: { boxCount: number; undoId: number }) =>
  withUndoId({ data, message: messages.updated }, data.undoId)

export const specLocationsModule = implement(specLocationRoutes, {
  list: async ({ db, actor, params, query }) => {
    await requireRequisition(db, actor, params.id)
    return listPage(db, locationList(params.id), query)
  },
  place: async (context) => {
    const data = await placeSamples(context, context.params.id, context.body)
    return withUndoId({ data, message: messages.created }, data.undoId)
  },
  discard: async (context) => {
    const undoId = await discardSamples(context, context.params.id, context.query.id)
    const reply = { message: messages.updated }
    return undoId === undefined ? reply : withUndoId(reply, undoId)
  },
})

export const freezerModule = implement(freezerRoutes, {
  emptyStorages: ({ db, params, query }) => listPage(db, emptyStorageList(params.labId), query),
  freezers: ({ db, params, query }) => listPage(db, storageLevelList('freezer', params), query),
  shelves: ({ db, params, query }) => listPage(db, storageLevelList('shelf', params), query),
  racks: ({ db, params, query }) => listPage(db, storageLevelList('rack', params), query),
  boxes: ({ db, params, query }) => listPage(db, storageLevelList('box', params), query),
  box: async ({ db, params }) => {
    const data = await findBox(db, params)
    if (!data) throw notFound('Box')
    return { data, message: '' }
  },
  fillBox: async (context) => {
    const data = await fillBox(context, context.params, context.body)
    return withUndoId({ data, message: messages.created }, data.undoId)
  },
  reconcile: async (context) => {
    const data = await reconcileBox(context, context.params, context.body)
    const reply = { data, message: data.undoId === undefined ? '' : messages.updated }
    return data.undoId === undefined ? reply : withUndoId(reply, data.undoId)
  },
  moveBox: async (context) => moved(await moveBoxes(context, context.params, context.body)),
  moveRack: async (context) => moved(await moveBoxes(context, context.params, context.body)),
  moveShelf: async (context) => moved(await moveBoxes(context, context.params, context.body)),
  retentionRules: async ({ db, params }) => ({ data: await listRules(db, params.labId), message: '' }),
  saveRetentionRules: async (context) => ({
    data: await saveRules(context, context.params.labId, context.body),
    message: messages.updated,
  }),
  discardList: ({ db, params, query }) => listPage(db, discardList(params.labId), query),
  discardDue: async (context) => {
    const data = await discardDue(context, context.params.labId, context.body)
    return 'undoId' in data ? withUndoId({ data, message: messages.updated }, data.undoId) : { data, message: '' }
  },
  samples: async ({ db, actor, params, query }) => ({
    data: await identifySamples(db, actor, params.labId, query.id),
    message: '',
  }),
  specs: ({ db, query }) => listPage(db, freezerSpecList, query),
  exportSpecs: (context) =>
    exportList(context, { name: 'freezer', list: freezerSpecList, query: context.query, columns }),
})
