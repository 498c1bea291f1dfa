import { randomUUID } from 'node:crypto'
import type { Bundle } from '@medplum/fhirtypes'
import { recentlyCollected } from './given.ts'

let serial = 0

/** The smallest order that a clinic's system can send as a Bundle: one test of one new patient. */
export const orderBundle = ({ placer, code, npi }: { placer: string; code: string; npi: string }): Bundle => {
  const number = ++serial
  const [patient, tube] = [`urn:uuid:${randomUUID()}`, `urn:uuid:${randomUUID()}`]
  const post = (url: string) => ({ method: 'POST', url })
  return {
    resourceType: 'Bundle',
    type: 'transaction',
    identifier: { value: `M-${placer}` },
    entry: [
      {
        fullUrl: patient,
        resource: {
          resourceType: 'Patient',
          identifier: [{ type: { coding: [{ code: 'MR' }] }, system: 'urn:oid:1.2.3.4', value: `MRN-${placer}` }],
          name: [{ family: `Vargas${number}`, given: ['Inés'] }],
          birthDate: '1979-05-09',
          gender: 'female',
        },
        request: post('Patient'),
      },
      {
        fullUrl: tube,
        resource: {
          resourceType: 'Specimen',
          subject: { reference: patient },
          collection: { collectedDateTime: recentlyCollected() },
        },
        request: post('Specimen'),
      },
      {
        resource: {
          resourceType: 'ServiceRequest',
          identifier: [{ type: { coding: [{ code: 'PLAC' }] }, value: placer }],
          status: 'active',
          intent: 'order',
          code: { coding: [{ code, display: code }] },
          subject: { reference: patient },
          requester: { identifier: { system: 'http://hl7.org/fhir/sid/us-npi', value: npi } },
          specimen: [{ reference: tube }],
        },
        request: post('ServiceRequest'),
      },
    ],
  } as unknown as Bundle
}
