import { requisitionLabels as label, type Orderable } from '@lis/contract/requisitions/create.ts'
import { collectedFieldDefs } from '../../domain/patient-fields.ts'
import { formatTimestamp } from '../../lib/formats.ts'
import type { FieldDef, Values } from '../../ui/form/field-types.ts'

const ofClient = ({ clientId }: Values) => (clientId ? { id: Number(clientId) } : null)

/** Who orders. Fields that depend on the client come after it. */
export const orderFields = (isColaFixed: boolean, hasClient: boolean): readonly FieldDef[] => [
  {
    name: 'clientId',
    label: label.clientId,
    kind: 'autocomplete',
    lookup: 'clients',
    isRequired: true,
    clears: ['labId', 'orderingClientPhysId', 'eventId'],
  },
  {
    name: 'collaborator',
    label: label.colaId,
    kind: 'autocomplete',
    lookup: 'collaborators',
    isRequired: true,
    preset: 'always',
    isDisabled: isColaFixed,
  },
  {
    name: 'labId',
    label: label.labId,
    kind: 'select',
    // The company's default, before a client is chosen.
    ...(hasClient ? ({ lookup: 'clientLabs', lookupParams: ofClient } as const) : ({ lookup: 'labs' } as const)),
    preset: 'always',
    isRequired: true,
  },
  {
    name: 'orderingClientPhysId',
    label: label.orderingClientPhysId,
    kind: 'autocomplete',
    lookup: 'clientPhysicians',
    lookupParams: ofClient,
    waitingHint: 'Choose a client first',
    isRequired: true,
  },
  {
    name: 'eventId',
    label: label.eventId,
    kind: 'select',
    lookup: 'clientEvents',
    lookupParams: ofClient,
    waitingHint: 'Choose a client first',
    preset: 'filled',
    isRequired: true,
  },
  { name: 'extOrderId', label: label.extOrderId, kind: 'input' },
]

/** The abbreviation of the client's zone on the day of collection, or today. */
const zoneNote = (zone: string | null, collectedAt: string | undefined) =>
  zone === null || zone === 'TZNA'
    ? "Client's time"
    : `${formatTimestamp(collectedAt ?? new Date().toISOString(), zone).zone}, client's time`

/** The specimen: what was taken, when and by whom. */
export const specimenFields = (zone: string | null, collectedAt?: string): readonly FieldDef[] => [
  ...collectedFieldDefs(zone, 2).map((field) =>
    field.name === 'timeCollectedAmPm' ? { ...field, hint: zoneNote(zone, collectedAt) } : field,
  ),
  { name: 'collectCode', label: label.collectCode, kind: 'select', lookup: 'collectionMethod' },
  { name: 'collectedBy', label: label.collectedBy, kind: 'text' },
]

/** Panels and single tests, by code or name; a panel lists its tests. */
export const testField = (orderables: readonly Orderable[]): FieldDef => ({
  name: 'tests',
  label: label.testIds,
  kind: 'lookupMultiSelect',
  isWide: true,
  hint: 'Type the code or name of a panel or test.',
  closesOnChoice: true,
  options: orderables.map(({ key, code, desc, testCodes }) => ({
    value: key,
    label: `${code} ${desc}${testCodes.length > 0 ? ` (${testCodes.join(', ')})` : ''}`,
  })),
})
