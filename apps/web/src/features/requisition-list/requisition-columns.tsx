import { listColumns } from '@lis/contract/list-columns.ts'
import { formatMoney } from '@lis/contract/money.ts'
import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import type { RequisitionView } from '@lis/contract/requisitions/views.ts'
import { DemographicQcCell } from '../../domain/demographic-qc-cell.tsx'
import { FlagTags } from '../../domain/flag-tags.tsx'
import { StageChip } from '../../domain/stage-chip.tsx'
import { formatLongDate } from '../../lib/formats.ts'
import { WarningIcon } from '../../ui/icons.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Timestamp } from '../../ui/timestamp.tsx'
import { PassCodesCell } from './pass-codes-cell.tsx'
import { ReportCell } from './report-cell.tsx'
import { IssueIcon, LateTag, NotifyCell, PartialTag, Turnaround } from './requisition-cells.tsx'
import { RequisitionLink } from './requisition-link.tsx'

type Row = RequisitionRow
const physician = (row: Row) => `${row.physLastName}, ${row.physFirstName}`
const otherZones = (row: Row) => [
  { label: 'Client', zone: row.collectedTz },
  { label: 'Lab', zone: row.labTz },
]
const collected = (row: Row) => <Timestamp at={row.dateCollected} zone={row.collectedTz} also={otherZones(row)} />
const received = (row: Row) =>
  row.dateReceived ? <Timestamp at={row.dateReceived} zone={row.labTz} also={otherZones(row)} /> : null

/** All columns. */
const catalogue = {
  reqId: {
    header: 'Req ID',
    sort: 'reqID',
    width: 88,
    isSticky: true,
    card: 'head',
    cell: (row) => <RequisitionLink row={row}>{row.reqID}</RequisitionLink>,
  },
  patientLastName: {
    header: 'Patient Name',
    sort: 'patientLastName',
    width: 160,
    isSticky: true,
    card: 'title',
    cell: (row) => (
      <RequisitionLink row={row} isStrong>
        {row.patientLastName}, {row.patientFirstName}
      </RequisitionLink>
    ),
  },
  patientDob: { header: 'Patient DOB', sort: 'patientDob', width: 96, cell: (row) => formatLongDate(row.patientDob) },
  currentStatus: {
    header: 'Current Requisition Status',
    sort: 'reqStatusDesc',
    width: 160,
    card: 'head',
    cell: (row) => <StageChip code={row.reqStatusCode} />,
  },
  status: {
    header: 'Status',
    sort: 'reqStatusDesc',
    width: 160,
    card: 'head',
    cell: (row) => <StageChip code={row.reqStatusCode} />,
  },
  physician: { header: 'Physician', sort: 'physLastName', width: 130, cell: physician },
  orderingPhysician: { header: 'Ordering Physician', sort: 'physLastName', width: 140, cell: physician },
  client: { header: 'Client', sort: 'clientName', width: 150, cell: (row) => row.clientName },
  collaborator: { header: 'Collaborator', width: 140, cell: (row) => row.colaName },
  collected: { header: 'Date Collected', sort: 'dateCollected', width: 140, cell: collected },
  timeCollected: { header: 'Date/Time Collect.', sort: 'dateCollected', width: 140, cell: collected },
  collection: { header: 'Date of Collection', sort: 'dateCollected', width: 140, cell: collected },
  received: { header: 'Date Received', sort: 'dateReceived', width: 140, cell: received },
  timeReceived: { header: 'Date/Time Received.', sort: 'dateReceived', width: 140, cell: received },
  logged: {
    header: 'Date Logged',
    sort: 'dateLogged',
    width: 140,
    cell: (row) => <Timestamp at={row.dateLogged} zone={row.labTz} also={otherZones(row)} />,
  },
  saleRep: { header: 'Sale Rep.', sort: 'salesRepCode', width: 80, cell: (row) => row.salesRepCode },
  salesRep: { header: 'Sales Rep', sort: 'salesRepCode', width: 80, cell: (row) => row.salesRepCode },
  testCodes: {
    header: 'Test Codes',
    sort: 'testCodes',
    width: 160,
    cell: (row) => row.testCodes.replaceAll(',', ', '),
  },
  testOrdered: {
    header: 'Test Ordered',
    sort: 'testCodes',
    width: 160,
    cell: (row) => row.testCodes.replaceAll(',', ', '),
  },
  billToType: { header: 'Bill to type', sort: 'reqBillTypeDesc', width: 110, cell: (row) => row.reqBillTypeDesc },
  billTo: { header: 'Bill To', sort: 'reqBillTypeDesc', width: 110, cell: (row) => row.reqBillTypeDesc },
  balance: {
    header: 'Balance',
    width: 110,
    align: 'right',
    visibleTo: 'requisitionTabs.payments',
    cell: (row) => row.balances?.map(formatMoney).join(', '),
  },
  insurance: { header: 'Insurance Name', width: 160, cell: (row) => row.insuranceCompany },
  flag: {
    header: 'Flag',
    sort: 'flag',
    width: 120,
    visibleTo: 'requisitions.seeFlag',
    cell: (row) => <FlagTags ids={row.flag} />,
  },
  sex: { header: 'Sex', width: 70, cell: (row) => row.patientGenderDesc },
  age: { header: 'Age', width: 56, align: 'right', cell: (row) => row.patientAge },
  passCodes: { header: 'Pass Codes', width: 188, cell: (row) => <PassCodesCell row={row} /> },
  partialReport: { header: 'Partial Report', width: 96, cell: (row) => <PartialTag value={row.partialReport} /> },
  partialReleased: { header: 'Partial Released', width: 106, cell: (row) => <PartialTag value={row.partialRelease} /> },
  reportState: { header: 'Report', width: 110, cell: (row) => reportStateOf(row) },
  tat: { header: 'TAT', sort: 'tat', width: 140, align: 'right', cell: (row) => <Turnaround hours={row.tat} /> },
  due: {
    header: 'Due',
    sort: 'dueDate',
    width: 140,
    cell: (row) => (row.dueDate ? <Timestamp at={row.dueDate} zone={row.labTz} also={otherZones(row)} /> : null),
  },
  late: { header: 'Will be late', sort: 'willBeLate', width: 100, cell: (row) => <LateTag row={row} /> },
  demographicQc: { header: 'Demographic QC', width: 124, cell: (row) => <DemographicQcCell row={row} /> },
  deliveryMethod: { header: 'Delivery Method', width: 130, cell: (row) => row.clientTransmitMethodDesc },
  latestMethod: { header: 'Latest Delivery Method', width: 140, cell: (row) => row.latestTransmitMethodDesc },
  latestDate: {
    header: 'Latest Delivery Date',
    sort: 'latestDeliveryDate',
    width: 140,
    cell: (row) =>
      row.latestDeliveryDate ? <Timestamp at={row.latestDeliveryDate} zone={row.labTz} also={otherZones(row)} /> : null,
  },
  latestBy: { header: 'Latest Delivered By', width: 130, cell: (row) => row.latestDeliveredByName },
  notify: {
    header: 'Notify Patient?',
    width: 96,
    visibleTo: 'requisitions.seeNotifyPatient',
    cell: (row) => <NotifyCell row={row} />,
  },
  report: {
    header: 'Report',
    width: 124,
    isSticky: 'right',
    visibleTo: 'requisitions.bulkDownloadOwn',
    cell: (row) => <ReportCell row={row} />,
  },
  issues: {
    header: 'Issues',
    HeaderIcon: WarningIcon,
    width: 40,
    isSticky: 'right',
    cell: (row) => <IssueIcon row={row} />,
  },
} satisfies Record<string, Omit<Column<Row>, 'key'>>

/** How far the report is. */
function reportStateOf({ reportedStatusDate, isDownloadable }: Row): string {
  if (isDownloadable === 1) return 'Released'
  return reportedStatusDate === null ? 'None yet' : 'Waits for lab QC'
}

// Views that can contain every requisition offer only sort orders with an index.
const unfilteredViews: readonly RequisitionView[] = ['All', 'Billing', 'AllForClient', 'AllForPhysician']
const labOnlySorts: readonly string[] = ['dateReceived', 'dateLogged', 'latestDeliveryDate', 'tat']

/** The columns of a view, those that are hidden at first included. */
export const columnsOf = (view: Exclude<RequisitionView, 'BillingBatch'>): Column<Row>[] =>
  listColumns[`requisitions/${view}`].columns.map((key) => {
    const column: Column<Row> = { key, ...catalogue[key as keyof typeof catalogue] }
    const { sort, ...unsorted } = column
    return unfilteredViews.includes(view) && sort && labOnlySorts.includes(sort) ? unsorted : column
  })
