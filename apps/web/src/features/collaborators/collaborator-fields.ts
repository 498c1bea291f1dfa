import { collaboratorLabels as label } from '@lis/contract/collaborators.ts'
import { type FieldDef, inSection } from '../../ui/form/field-types.ts'
import { reportLogoField } from './report-logo-field.tsx'

const yesNo = [
  { value: 1, label: 'Yes' },
  { value: 0, label: 'No' },
]

/** The filters of the list (2§2). */
export const collaboratorFilters: FieldDef[] = [
  { name: 'id', label: label.id, kind: 'number' },
  { name: 'colaName', label: label.colaName, kind: 'text' },
  { name: 'colaAlias', label: label.colaAlias, kind: 'text' },
  { name: 'colaPhone', label: label.colaPhone, kind: 'text' },
  { name: 'colaEmail', label: label.colaEmail, kind: 'text' },
]

/** The form, in the order of the cards on the show page (COL-G5). */
export const collaboratorFields: FieldDef[] = [
  ...inSection('Info', [
    { name: 'colaName', label: label.colaName, kind: 'text', isRequired: true },
    { name: 'colaAlias', label: label.colaAlias, kind: 'text', isRequired: true },
    { name: 'colaLabDirector', label: label.colaLabDirector, kind: 'text' },
    { name: 'colaLabNpi', label: label.colaLabNpi, kind: 'input' },
    { name: 'colaBillTypeCode', label: label.colaBillTypeCode, kind: 'select', lookup: 'billType' },
    { name: 'colaPortalPrefCode', label: label.colaPortalPrefCode, kind: 'select', lookup: 'portalPref' },
    { name: 'isLisInterface', label: label.isLisInterface, kind: 'radio', options: yesNo, isRequired: true },
    { name: 'isOrderIdAvailable', label: label.isOrderIdAvailable, kind: 'radio', options: yesNo, isRequired: true },
    { name: 'colaNote', label: label.colaNote, kind: 'multiline', isWide: true },
  ]),
  ...inSection('Reports Information', [
    { name: 'colaTransmitMethodCode', label: label.colaTransmitMethodCode, kind: 'select', lookup: 'transmitMethod' },
    { name: 'reportDeliverToCode', label: label.reportDeliverToCode, kind: 'select', lookup: 'reportDeliverTo' },
    {
      name: 'reportNameFormatCode',
      label: label.reportNameFormatCode,
      kind: 'select',
      lookup: 'reportNameFormat',
      isRequired: true,
    },
    { name: 'templateFilename', label: label.templateFilename, kind: 'input' },
    { name: 'idPrintOutCode', label: label.idPrintOutCode, kind: 'select', lookup: 'idPrintOut' },
    { name: 'colaDeliveryNote', label: label.colaDeliveryNote, kind: 'multiline', isWide: true },
    {
      name: 'reportWording',
      label: label.reportWording,
      kind: 'multiline',
      isWide: true,
      hint: 'Printed on the first page of reports.',
    },
    reportLogoField,
  ]),
  ...inSection('Contact', [
    { name: 'colaAddr1', label: label.colaAddr1, kind: 'text', isRequired: true },
    { name: 'colaAddr2', label: label.colaAddr2, kind: 'text' },
    { name: 'colaCity', label: label.colaCity, kind: 'text', isRequired: true },
    {
      name: 'colaCountryId',
      label: label.colaCountryId,
      kind: 'select',
      lookup: 'countries',
      isRequired: true,
      clears: ['colaStateId'],
    },
    {
      name: 'colaStateId',
      label: label.colaStateId,
      kind: 'select',
      lookup: 'countryStates',
      lookupParams: ({ colaCountryId }) => (colaCountryId ? { id: Number(colaCountryId) } : null),
      isRequired: true,
    },
    { name: 'colaZip', label: label.colaZip, kind: 'input', isRequired: true },
    { name: 'colaPhone', label: label.colaPhone, kind: 'phone' },
    { name: 'fax', label: label.fax, kind: 'phone' },
    { name: 'colaEmail', label: label.colaEmail, kind: 'input' },
    { name: 'colaFaxEmail', label: label.colaFaxEmail, kind: 'input' },
    { name: 'colaOfficeContact', label: label.colaOfficeContact, kind: 'text' },
    { name: 'cola2ndContact', label: label.cola2ndContact, kind: 'text' },
  ]),
]
