import type { CapabilityStatement } from '@medplum/fhirtypes'
import { version } from '../../platform/version.ts'
import { fhirTypeNames } from './type-names.ts'
import { findType } from './types.ts'

const bulkData = 'http://hl7.org/fhir/uv/bulkdata'

const searchResultParams = [
  ['_id', 'token'],
  ['_lastUpdated', 'date'],
] as const

/** What the service offers, per type with its search parameters. */
export const capabilityStatement = (base: string, tokenAddress: string): CapabilityStatement => ({
  resourceType: 'CapabilityStatement',
  status: 'active',
  date: '2026-11-19',
  kind: 'instance',
  instantiates: [`${bulkData}/CapabilityStatement/bulk-data`],
  software: { name: 'Lab Information System (LIS)', version },
  implementation: { description: 'Orders and results of the laboratory', url: base },
  fhirVersion: '4.0.1',
  format: ['application/fhir+json', 'json'],
  rest: [
    {
      mode: 'server',
      security: {
        cors: false,
        service: [
          {
            coding: [
              {
                system: 'http://terminology.hl7.org/CodeSystem/restful-security-service',
                code: 'SMART-on-FHIR',
                display: 'SMART-on-FHIR',
              },
            ],
            text: 'SMART Backend Services',
          },
        ],
        extension: [
          {
            url: 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris',
            extension: [{ url: 'token', valueUri: tokenAddress }],
          },
        ],
      },
      resource: fhirTypeNames.map(typeOf),
      interaction: [{ code: 'transaction' }],
      operation: [{ name: 'export', definition: `${bulkData}/OperationDefinition/export` }],
    },
  ],
})

type RestResource = NonNullable<NonNullable<CapabilityStatement['rest']>[number]['resource']>[number]

const typeOf = (name: (typeof fhirTypeNames)[number]): RestResource => {
  const definition = findType(name)
  if (!definition) return { type: name, interaction: [{ code: 'read' }], versioning: 'versioned' }
  const params = Object.entries(definition.params)
  const references = params.flatMap(([param, { type }]) => (type === 'reference' ? [`${name}:${param}`] : []))
  return {
    type: name,
    ...(name === 'Patient' && {
      operation: [
        { name: 'everything', definition: 'http://hl7.org/fhir/OperationDefinition/Patient-everything' },
        { name: 'export', definition: `${bulkData}/OperationDefinition/patient-export` },
      ],
    }),
    interaction: [{ code: 'read' }, { code: 'search-type' }],
    versioning: 'versioned',
    conditionalRead: 'not-match',
    ...(references.length > 0 && { searchInclude: references }),
    searchRevInclude: fhirTypeNames.flatMap((other) =>
      Object.entries(findType(other)?.params ?? {}).flatMap(([param, { targets }]) =>
        targets?.includes(name) ? [`${other}:${param}`] : [],
      ),
    ),
    searchParam: [
      ...searchResultParams.map(([param, type]) => ({ name: param, type })),
      ...params.map(([param, { type }]) => ({ name: param, type })),
    ],
  }
}

/** The SMART configuration (App Launch 2.0), for clients that sign in without a user. */
export const smartConfiguration = (publicUrl: string) => ({
  issuer: `${publicUrl}/fhir/R4`,
  token_endpoint: `${publicUrl}/oauth2/token`,
  grant_types_supported: ['client_credentials'],
  token_endpoint_auth_methods_supported: ['private_key_jwt', 'client_secret_basic'],
  token_endpoint_auth_signing_alg_values_supported: ['RS384', 'ES384'],
  scopes_supported: [
    'system/*.rs',
    'system/*.cruds',
    'system/*.read',
    ...fhirTypeNames.map((name) => `system/${name}.rs`),
    'lis/read',
    'lis/write',
  ],
  response_types_supported: ['token'],
  code_challenge_methods_supported: ['S256'],
  capabilities: ['client-confidential-asymmetric', 'permission-v2', 'permission-v1'],
})
