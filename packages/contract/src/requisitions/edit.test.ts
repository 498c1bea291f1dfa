import { expect, it } from 'vitest'
import { patientUpdate } from './edit.ts'

it('an update changes the patient of the requisition unless a new one is asked for', () => {
  expect(patientUpdate.parse({}).isNewPatient).toBe(0)
  expect(patientUpdate.parse({ isNewPatient: 1 }).isNewPatient).toBe(1)
})
