import type { ApiView } from '@lis/contract/requisitions/views.ts'
import { dayCell, hoursCell, momentCell } from '../../platform/export-cells.ts'
import type { ExportColumn } from '../../platform/exports.ts'

type Row = Record<string, unknown>

const day = (value: unknown) => (value ? dayCell(String(value)) : null)
/** As on the screen: local time with the abbreviation of its zone. */
const timeIn = (zone: string) => (value: unknown, row: Row) =>
  value ? momentCell(String(value), String(row[zone])) : null
const inClientZone = timeIn('collectedTz')
const inLabZone = timeIn('labTz')
const yesNo = (value: unknown) => (value === 1 ? 'Yes' : 'No')
const hours = (value: unknown) => (value === null ? null : hoursCell(Number(value)))

/** Every column is written once … */
const catalogue = {
  reqId: { header: 'Req ID', field: 'reqId' },
  patient: {
    header: 'Patient Name',
    field: 'patientLastName',
    cell: (_: unknown, row: Row) => `${row.patientLastName}, ${row.patientFirstName}`,
  },
  dob: { header: 'Patient DOB', field: 'patientDob', cell: day },
  currentStatus: { header: 'Current Requisition Status', field: 'reqStatusDesc' },
  status: { header: 'Status', field: 'reqStatusDesc' },
  physician: {
    header: 'Physician',
    field: 'physLastName',
    cell: (_: unknown, row: Row) => `${row.physLastName}, ${row.physFirstName}`,
  },
  orderingPhysician: {
    header: 'Ordering Physician',
    field: 'physLastName',
    cell: (_: unknown, row: Row) => `${row.physLastName}, ${row.physFirstName}`,
  },
  client: { header: 'Client', field: 'clientName' },
  collaborator: { header: 'Collaborator', field: 'colaName' },
  collected: { header: 'Date Collected', field: 'dateCollected', cell: inClientZone },
  timeCollected: { header: 'Date/Time Collect.', field: 'dateCollected', cell: inClientZone },
  collection: { header: 'Date of Collection', field: 'dateCollected', cell: inClientZone },
  received: { header: 'Date Received', field: 'dateReceived', cell: inLabZone },
  timeReceived: { header: 'Date/Time Received.', field: 'dateReceived', cell: inLabZone },
  logged: { header: 'Date Logged', field: 'dateLogged', cell: inLabZone },
  saleRep: { header: 'Sale Rep.', field: 'salesRepCode' },
  salesRep: { header: 'Sales Rep', field: 'salesRepCode' },
  testCodes: { header: 'Test Codes', field: 'testCodes' },
  testOrdered: { header: 'Test Ordered', field: 'testCodes' },
  billToType: { header: 'Bill to type', field: 'reqBillTypeDesc' },
  billTo: { header: 'Bill To', field: 'reqBillTypeDesc' },
  insurance: { header: 'Insurance Name', field: 'insuranceCompany' },
  flag: { header: 'Flag', field: 'flagDescs' },
  sex: { header: 'Sex', field: 'patientGenderDesc' },
  age: { header: 'Age', field: 'patientAge' },
  passCodes: {
    header: 'Pass Codes',
    field: 'reqPassCodes',
    cell: (value: unknown) => (value as { passCode: string }[]).map(({ passCode }) => passCode).join(', '),
  },
  partialReport: { header: 'Partial Report', field: 'partialReport', cell: yesNo },
  partialReleased: { header: 'Partial Released', field: 'partialRelease', cell: yesNo },
  tat: { header: 'TAT', field: 'tat', cell: hours },
  demographicQc: { header: 'Demographic QC', field: 'isDemQcPass', cell: yesNo },
  deliveryMethod: { header: 'Delivery Method', field: 'clientTransmitMethodDesc' },
  latestMethod: { header: 'Latest Delivery Method', field: 'latestTransmitMethodDesc' },
  latestDate: { header: 'Latest Delivery Date', field: 'latestDeliveryDate', cell: inLabZone },
  latestBy: { header: 'Latest Delivered By', field: 'latestDeliveredByName' },
} satisfies Record<string, ExportColumn>

type Name = keyof typeof catalogue

const identity: Name[] = ['reqId', 'patient', 'dob']
const resulted: Name[] = [...identity, 'partialReport', 'partialReleased', 'collection', 'testCodes', 'tat']
const released: Name[] = [
  ...identity,
  'client',
  'physician',
  'status',
  'partialReport',
  'partialReleased',
  'deliveryMethod',
]

/** … and a view is a list of names, readable against the specification line by line. */
const layouts: Record<ApiView, Name[]> = {
  ALL: [...identity, 'currentStatus', 'physician', 'client', 'collected', 'saleRep', 'testCodes', 'billToType', 'flag'],
  CLIENTPHYSROLE: [...identity, 'currentStatus', 'physician', 'client', 'collected', 'testCodes'],
  LOG: [...identity, 'collected', 'received', 'logged', 'testCodes'],
  ACC: [
    ...identity,
    'collaborator',
    'client',
    'orderingPhysician',
    'sex',
    'age',
    'testOrdered',
    'timeCollected',
    'timeReceived',
    'passCodes',
    'flag',
  ],
  PROCESS: [...identity, 'status', 'sex', 'collected', 'received', 'logged', 'testCodes'],
  RESULT: resulted,
  REPORT: [...resulted, 'demographicQc', 'flag'],
  RELEASE: released,
  DELIVER: [...released, 'latestMethod', 'latestDate', 'latestBy', 'billTo'],
  BILL: [...identity, 'billTo', 'insurance', 'salesRep'],
}

export const exportColumns = (view: ApiView): ExportColumn[] => layouts[view].map((name) => catalogue[name])

/** Fields that cells read besides that of their own column. */
const alsoRead = ['patientFirstName', 'physFirstName', 'collectedTz', 'labTz']

/** The fields of the list that the columns of a view are made of; the others need not be read. */
export const exportFields = (view: ApiView): string[] => [
  ...new Set([...exportColumns(view).map(({ field }) => field), ...alsoRead]),
]
