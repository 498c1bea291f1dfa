// What both sides know of resources by name, beside the contract of each.

/** Every kind of record that people delete and an administrator can restore. */
export const deletedKinds = {
  requisition: 'Requisition',
  document: 'Document',
  payment: 'Payment',
  insurance: 'Insurance',
  billingNote: 'Billing Note',
  client: 'Client',
  clientPhysician: 'Physician of a Client',
  clientEvent: 'Event of a Client',
  clientDocument: 'Document of a Client',
  clientPrice: 'Test Price',
  physician: 'Physician',
  collaborator: 'Collaborator',
  collaboratorRange: 'Test Range',
  sales: 'Sales Person',
  user: 'User',
  smartView: 'Smart View',
  instrument: 'Instrument',
  interface: 'Interface',
  tatTarget: 'Turnaround Target',
} as const
export type DeletedKindCode = keyof typeof deletedKinds

/** The columns of the lists of plain resources (list-columns.ts has the others, and what each key means). */
export const resourceColumns = {
  users: {
    columns: [
      'userName',
      'userFirstName',
      'userLastName',
      'userEmail',
      'userPhone',
      'userRoleDesc',
      'entityName',
      'userStatusDesc',
      'lastLogonDate',
      'tempPwdExpiredDate',
    ],
    required: ['userName', 'userFirstName', 'userLastName'],
    pinned: ['userName'],
    newest: 'id',
  },
  clients: {
    columns: [
      'legacyClientId',
      'clientName',
      'clientPhone',
      'clientFaxEmail',
      'clientCountry',
      'clientCity',
      'clientState',
      'clientZip',
    ],
    required: ['legacyClientId', 'clientName'],
    pinned: ['legacyClientId', 'clientName'],
    newest: 'id',
  },
  physicians: {
    columns: ['id', 'physFirstName', 'physLastName', 'physTitle', 'npiNumber', 'ptanNumber'],
    required: ['id', 'physFirstName', 'physLastName'],
    pinned: ['id', 'physFirstName'],
    newest: 'id',
  },
  collaborators: {
    columns: ['id', 'colaName', 'colaAlias', 'colaPhone', 'colaEmail'],
    required: ['id', 'colaName'],
    pinned: ['id', 'colaName'],
    newest: 'id',
  },
  sales: {
    columns: ['salesFirstName', 'salesLastName', 'salesEmail', 'salesTitle'],
    required: ['salesFirstName', 'salesLastName'],
    pinned: ['salesFirstName'],
    newest: 'id',
  },
  'interfaces/partners': {
    columns: [
      'name',
      'kind',
      'clientName',
      'colaName',
      'isActive',
      'isTest',
      'sendingApp',
      'sendingFacility',
      'lastMessageDate',
    ],
    required: ['name'],
    pinned: ['name'],
    newest: 'id',
  },
}
