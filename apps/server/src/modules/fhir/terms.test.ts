import { expect, it } from 'vitest'
import { authorityOf } from './terms.ts'

it.each([
  ['', {}],
  ['FAC', { assigner: { display: 'FAC' } }],
  ['http://ehr.example/mrn?a=1&b=2', { system: 'http://ehr.example/mrn?a=1&b=2' }],
  ['FAC&1.2.3&ISO', { system: 'urn:oid:1.2.3', assigner: { display: 'FAC' } }],
  ['&1.2.3&ISO', { system: 'urn:oid:1.2.3' }],
  ['&http://ehr.example/mrn&URI', { system: 'http://ehr.example/mrn' }],
  ['&ehr.example&DNS', { assigner: { display: 'ehr.example' } }],
])('IFC-36 the authority %j of a number in FHIR', (authority, identifier) => {
  expect(authorityOf(authority)).toEqual(identifier)
})
