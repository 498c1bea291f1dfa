import type { OtherCall } from '../../platform/http/open-api.ts'
import { fhirTypeNames } from './type-names.ts'

const clients = 'API clients'

/** Types whose resources say nothing about patients. */
export const withoutPatients: readonly string[] = ['Practitioner', 'Organization', 'Location']

const calls: readonly OtherCall[] = [
  {
    method: 'post',
    path: '/oauth2/token',
    roles: 'everybody',
    summary:
      'A token for an API client: grant_type=client_credentials with a client_assertion or HTTP Basic (RFC 6749, SMART Backend Services)',
  },
  { method: 'get', path: '/fhir/R4/metadata', roles: 'everybody', summary: 'The CapabilityStatement' },
  {
    method: 'get',
    path: '/fhir/R4/.well-known/smart-configuration',
    roles: 'everybody',
    summary: 'The SMART configuration',
  },
  { method: 'post', path: '/fhir/R4', roles: clients, patientData: true, summary: 'An order as a transaction Bundle' },
  {
    method: 'get',
    path: '/fhir/R4/Patient/{id}/$everything',
    roles: clients,
    patientData: true,
    summary: 'Everything about one patient that the token may read',
  },
  {
    method: 'get',
    path: '/fhir/R4/$export',
    roles: clients,
    summary: 'Starts an export of everything that the token may read (Bulk Data Access; Prefer: respond-async)',
  },
  {
    method: 'get',
    path: '/fhir/R4/Patient/$export',
    roles: clients,
    summary: 'Starts an export of what is about patients',
  },
  {
    method: 'get',
    path: '/fhir/R4/$export/{id}',
    roles: clients,
    summary: 'The progress of an export, then its files',
  },
  {
    method: 'delete',
    path: '/fhir/R4/$export/{id}',
    roles: clients,
    summary: 'Cancels an export, or removes its files',
  },
  ...fhirTypeNames.flatMap((name) => {
    const common = { method: 'get', roles: clients, patientData: !withoutPatients.includes(name) }
    const read = { ...common, path: `/fhir/R4/${name}/{id}`, summary: `Reads one ${name}` }
    const search = { ...common, path: `/fhir/R4/${name}`, summary: `Searches ${name}; also POST ${name}/_search` }
    return name === 'Binary' ? [read] : [read, search]
  }),
]

/** The calls outside the contract, for the API page and the OpenAPI document. */
export const fhirCalls: readonly OtherCall[] = calls.map((call) =>
  call.path.startsWith('/fhir') ? { ...call, replyType: 'application/fhir+json' } : call,
)
