import { can } from '@lis/contract/access/permissions.ts'
import type { Role } from '@lis/contract/access/roles.ts'
import type { LookupName } from '@lis/contract/lookups.ts'
import type { RequisitionView } from '@lis/contract/requisitions/views.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'

interface RequisitionFilter extends FieldDef {
  /** Also for clients and physicians, who have fewer (VIEW-G5). */
  forAll?: true
  /** Only in views that mix statuses. */
  onlyAll?: true
}

const ofClient: FieldDef['lookupParams'] = ({ clientId }) => (clientId ? { id: Number(clientId) } : null)

/** Any of several choices; the list closes after each, so that 'Filter' is in reach. */
const severalOf = (lookup: LookupName) =>
  ({ kind: 'lookupMultiSelect', lookup, closesOnChoice: true, isWide: true }) as const

const filters: RequisitionFilter[] = [
  { name: 'reqId', label: 'Req ID', kind: 'number', forAll: true },
  { name: 'patientFirstName', label: 'Patient First Name', kind: 'text', forAll: true },
  { name: 'patientLastName', label: 'Patient Last Name', kind: 'text', forAll: true },
  { name: 'patientDob', label: 'Patient DOB', kind: 'date', isBirthDate: true, forAll: true },
  { name: 'reqStatusCode', label: 'Status', ...severalOf('reqStatusTypes'), forAll: true, onlyAll: true },
  {
    name: 'colaId',
    label: 'Collaborator',
    kind: 'autocomplete',
    lookup: 'collaborators',
    visibleTo: 'smartFilter.collaborator',
    forAll: true,
  },
  { name: 'clientId', label: 'Client', kind: 'autocomplete', lookup: 'filterClients', clears: ['eventId'] },
  { name: 'physId', label: 'Physician', kind: 'autocomplete', lookup: 'filterPhysicians' },
  {
    name: 'eventId',
    label: 'Client Event',
    kind: 'select',
    lookup: 'clientEvents',
    lookupParams: ofClient,
    forAll: true,
    isWide: true,
  },
  { name: 'labId', label: 'Lab', kind: 'select', lookup: 'labs' },
  {
    name: 'salesId',
    label: 'Sales Rep',
    kind: 'select',
    lookup: 'sales',
    lookupParams: () => ({ salesTypeCode: 'SLS' }),
  },
  {
    name: 'serviceId',
    label: 'Service Rep',
    kind: 'select',
    lookup: 'sales',
    lookupParams: () => ({ salesTypeCode: 'SVC' }),
  },
  { name: 'dateCollected', label: 'Date Collected', kind: 'dateRange', forAll: true },
  { name: 'dateReceived', label: 'Date Received', kind: 'dateRange' },
  { name: 'dateLogged', label: 'Date Logged', kind: 'dateRange' },
  { name: 'dateReported', label: 'Date Reported', kind: 'dateRange' },
  { name: 'dateReleased', label: 'Date Released', kind: 'dateRange' },
  { name: 'dateDelivered', label: 'Date Delivered', kind: 'dateRange' },
  { name: 'dateBilled', label: 'Date Billed', kind: 'dateRange', onlyAll: true },
  { name: 'dueDate', label: 'Due', kind: 'dateRange' },
  {
    name: 'willBeLate',
    label: 'Will be late',
    kind: 'select',
    options: [
      { value: '1', label: 'Yes' },
      { value: '0', label: 'No' },
    ],
  },
  { name: 'testCodes', label: 'Test Codes', ...severalOf('testCode'), forAll: true },
  { name: 'testComboCode', label: 'Test Combo', kind: 'select', lookup: 'testCombo' },
  { name: 'reqBillTypeCode', label: 'Bill to type', kind: 'select', lookup: 'reqBillType' },
  { name: 'flag', label: 'Flag', kind: 'select', lookup: 'flags', visibleTo: 'requisitions.seeFlag' },
  { name: 'passCodes', label: 'Pass Codes', ...severalOf('passCode') },
  { name: 'failCodes', label: 'Fail Codes', ...severalOf('failCode') },
  { name: 'labNoteTypeCode', label: 'QA Note type', kind: 'select', lookup: 'labNote' },
  { name: 'issueDeptId', label: 'Issue Department', ...severalOf('depts') },
]

/** Of any tab. */
export const labelOfFilter = (id: string) => filters.find(({ name }) => name === id)?.label

const mixedViews: readonly RequisitionView[] = ['All', 'Billing', 'AllForClient', 'AllForPhysician']
/** What the restricted roles see in addition: their counterpart. */
const counterpart: Partial<Record<Role, string>> = { CLNT: 'physId', PHYS: 'clientId' }

/** The filters of a view for a role; a client user has one client, its own (`entityId`), and chooses among its events. */
export const filtersOf = (view: RequisitionView, role: Role, entityId: number | null): FieldDef[] =>
  filters
    .filter(({ name, visibleTo, forAll, onlyAll }) => {
      const isOffered = can(role, 'requisitions.allFilters') || forAll || counterpart[role] === name
      return isOffered && (visibleTo === undefined || can(role, visibleTo)) && (!onlyAll || mixedViews.includes(view))
    })
    .map((field) =>
      field.name === 'eventId' && role === 'CLNT' && entityId !== null
        ? { ...field, lookupParams: () => ({ id: entityId }) }
        : field,
    )
