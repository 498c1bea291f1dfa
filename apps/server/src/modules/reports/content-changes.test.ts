import { expect, it } from 'vitest'
import type { ReportContent } from './content.ts'
import { changesBetween, findOutdatedFacts } from './content-changes.ts'

const result = {
  code: 'GLU',
  name: 'Glucose',
  loinc: null,
  value: '90',
  unit: 'mg/dL',
  range: '70 - 99',
  flag: '' as const,
  rulesId: 1,
  interpretation: 'Normal',
  comment: null,
  failReasons: null,
  earlier: [{ at: '2026-03-01T13:00:00Z', value: '95' }],
}
const made: ReportContent = {
  requisitionId: 500,
  patient: { name: 'Doe, Jane', dob: '1970-01-02', sex: 'FEMALE', id: 1 },
  client: { name: 'Practice', id: 'C-0001', address: '', phone: '' },
  physician: { name: 'Ann Lee, MD', npi: '1003000118' },
  collaborator: { name: 'Partner', nameFormat: 'REQID' },
  lab: { name: 'Main lab', director: null, zone: 'America/New_York' },
  collectedAt: '2026-09-01T13:00:00Z',
  collectedZone: 'America/New_York',
  receivedAt: null,
  fasting: null,
  extOrderId: null,
  results: [result],
  pending: [],
  comments: [],
  specimens: [{ type: 'Serum', container: 'Serum separator tube (gold)' }],
  owner: { clientId: 1, collaboratorId: 1 },
}

it.each<[string, Partial<ReportContent>]>([
  ['Patient', { patient: { ...made.patient, id: 2 } }],
  ['Client', { owner: { clientId: 2, collaboratorId: 1 } }],
  ['Collaborator', { owner: { clientId: 1, collaboratorId: 2 } }],
  ['Ordering physician', { physician: { ...made.physician, npi: '1003000126' } }],
  ['Laboratory', { lab: { ...made.lab, name: 'Other lab' } }],
  ['Date collected', { collectedAt: '2026-09-02T13:00:00Z' }],
  ['Order ID', { extOrderId: '0007' }],
  ['Fasting', { fasting: true }],
  ['Comment', { comments: ['Accepted, non-fasting specimen'] }],
  ['Specimen', { specimens: [{ type: 'Plasma', container: 'EDTA tube (lavender)' }] }],
  ['GLU', { results: [{ ...result, value: '91' }] }],
  ['GLU', { results: [{ ...result, range: '70 - 89', flag: 'H' }] }],
  ['GLU', { results: [] }],
  ['GLU: earlier values', { results: [{ ...result, earlier: [] }] }],
])('a correction that is made because of %s says that it has changed', (label, change) => {
  const now = { ...made, ...change }
  expect(findOutdatedFacts(made, now)).toEqual([label])
  expect(changesBetween(made, now)).toHaveLength(1)
})

it('equal values are no change', () => {
  // Names were once stored with all typed spaces.
  const typed = { ...made, patient: { ...made.patient, name: 'Doe,  Jane' } }
  expect([findOutdatedFacts(typed, made), changesBetween(typed, made)]).toEqual([[], []])
  expect([findOutdatedFacts(made, made), changesBetween(made, made)]).toEqual([[], []])
})

it('a further tube does not make a report outdated; content without specimens says nothing about them', () => {
  const more = { ...made, specimens: [...(made.specimens ?? []), { type: 'Urine', container: 'Cup' }] }
  expect(findOutdatedFacts(made, more)).toEqual([])
  const { specimens: _, ...old } = made
  expect([findOutdatedFacts(old, made), changesBetween(old, made)]).toEqual([[], []])
})
