import { fhirTypeNames } from './type-names.ts'

interface DocumentedCall {
  method: string
  path: string
  roles: string
  summary: string
}

const clients = 'API clients'

/** The calls beside the API of the contract, for its page. */
export const fhirCalls: readonly DocumentedCall[] = [
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
  { method: 'post', path: '/fhir/R4', roles: clients, summary: 'An order as a transaction Bundle' },
  {
    method: 'get',
    path: '/fhir/R4/Patient/{id}/$everything',
    roles: clients,
    summary: 'Everything about one patient that the token may read',
  },
  ...fhirTypeNames.flatMap((name) => [
    { method: 'get', path: `/fhir/R4/${name}/{id}`, roles: clients, summary: `Reads one ${name}` },
    ...(name === 'Binary'
      ? []
      : [
          {
            method: 'get',
            path: `/fhir/R4/${name}`,
            roles: clients,
            summary: `Searches ${name}; also POST ${name}/_search`,
          },
        ]),
  ]),
]
