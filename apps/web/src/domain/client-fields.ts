import { clientLabels as label } from '@lis/contract/clients.ts'
import { type FieldDef, inSection } from '../ui/form/field-types.ts'

export const yesNo = [
  { value: 1, label: 'Yes' },
  { value: 0, label: 'No' },
]
const zones = Intl.supportedValuesOf('timeZone').map((zone) => ({ value: zone, label: zone }))
const ofType = (salesTypeCode: string) => () => ({ salesTypeCode })

/** The form of a client: on its own pages, and in the dialog that adds one to a physician. */
export const clientFields: readonly FieldDef[] = [
  ...inSection('Info', [
    { name: 'clientName', label: label.clientName, kind: 'text', isRequired: true },
    { name: 'legacyClientId', label: label.legacyClientId, kind: 'input', hint: 'Left empty: given by the system' },
    { name: 'clientExtId', label: label.clientExtId, kind: 'input' },
    { name: 'colaId', label: label.colaId, kind: 'autocomplete', lookup: 'collaborators', isRequired: true },
    { name: 'serviceId', label: label.serviceId, kind: 'autocomplete', lookup: 'sales', lookupParams: ofType('SVC') },
    { name: 'clientReqTypeCode', label: label.clientReqTypeCode, kind: 'select', lookup: 'clientReqType' },
    { name: 'labIds', label: label.labIds, kind: 'checkbox', lookup: 'labs', isRequired: true, isWide: true },
    {
      name: 'salesIds',
      label: label.salesIds,
      kind: 'lookupMultiSelect',
      lookup: 'sales',
      lookupParams: ofType('SLS'),
      hint: 'The first is shown in lists',
      isOrdered: true,
      isWide: true,
    },
    { name: 'clientNote', label: label.clientNote, kind: 'multiline', isWide: true },
    { name: 'isNoteVisible', label: label.isNoteVisible, kind: 'radio', options: yesNo, initial: 0 },
  ]),
  ...inSection('Contact', [
    { name: 'clientAddr1', label: label.clientAddr1, kind: 'text', isRequired: true },
    { name: 'clientAddr2', label: label.clientAddr2, kind: 'text' },
    { name: 'clientCity', label: label.clientCity, kind: 'text', isRequired: true },
    {
      name: 'clientCountryId',
      label: label.clientCountryId,
      kind: 'select',
      lookup: 'countries',
      isRequired: true,
      clears: ['clientStateId'],
    },
    {
      name: 'clientStateId',
      label: label.clientStateId,
      kind: 'select',
      lookup: 'countryStates',
      lookupParams: ({ clientCountryId }) => (clientCountryId ? { id: Number(clientCountryId) } : null),
      isRequired: true,
    },
    { name: 'clientZip', label: label.clientZip, kind: 'input', isRequired: true },
    { name: 'clientPhone', label: label.clientPhone, kind: 'phone', isRequired: true },
    { name: 'clientEmail', label: label.clientEmail, kind: 'input' },
    {
      name: 'clientTz',
      label: label.clientTz,
      kind: 'autocomplete',
      options: zones,
      hint: 'Left empty: found by the address',
    },
    { name: 'clientName2', label: label.clientName2, kind: 'text' },
    { name: 'clientPhone2', label: label.clientPhone2, kind: 'phone' },
    { name: 'clientEmail2', label: label.clientEmail2, kind: 'input' },
  ]),
  ...inSection('Reports and Billing', [
    {
      name: 'clientTransmitMethodCode',
      label: label.clientTransmitMethodCode,
      kind: 'select',
      lookup: 'transmitMethod',
      isRequired: true,
    },
    { name: 'clientFaxEmail', label: label.clientFaxEmail, kind: 'input' },
    {
      name: 'clientBillTypeCode',
      label: label.clientBillTypeCode,
      kind: 'select',
      lookup: 'billType',
      isRequired: true,
    },
    { name: 'clientPortalPrefCode', label: label.clientPortalPrefCode, kind: 'select', lookup: 'portalPref' },
    { name: 'isPortalOrder', label: label.isPortalOrder, kind: 'radio', options: yesNo, initial: 0 },
    { name: 'isContractPhleb', label: label.isContractPhleb, kind: 'radio', options: yesNo, initial: 0 },
    { name: 'clientDeliveryNote', label: label.clientDeliveryNote, kind: 'multiline', isWide: true },
  ]),
]
