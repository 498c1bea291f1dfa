import { describe, expect, it } from 'vitest'
import type { Word } from '../../platform/ocr/text-reader.ts'
import { findValues, readValue } from './sheet-parser.ts'

/** Words of a line, ten pixels for each letter; two spaces are a wide gap. */
const line = (text: string, top = 0): Word[] =>
  [...text.matchAll(/\S+/g)].map((match) => ({
    text: match[0],
    confidence: 0.95,
    left: match.index * 10,
    right: (match.index + match[0].length) * 10,
    top,
    bottom: top + 12,
  }))
const read = (...lines: string[]) =>
  findValues(lines.flatMap((text, at) => line(text, at * 30))).map(({ name, text }) => [name, text])

describe('labels on a sheet, DAY-13', () => {
  it('are read with the text to their right on the same line, in any order', () => {
    expect(read('Tests:   CHOL, HDL', 'Client:    Harbor Family Practice', 'Last Name   De La Cruz')).toEqual([
      ['testCodes', 'CHOL, HDL'],
      ['clientName', 'Harbor Family Practice'],
      ['patientLastName', 'De La Cruz'],
    ])
  })

  it('may be two on a line, and a word of a value is not a label', () => {
    expect(read('First Name: Ida    Last Name: Stone', 'Client: New Client Center')).toEqual([
      ['patientFirstName', 'Ida'],
      ['patientLastName', 'Stone'],
      ['clientName', 'New Client Center'],
    ])
  })

  it('keep a value of digits that stands before the next label, and may be numbered', () => {
    expect(
      read(
        'Date of Birth: 1961-03-05    Gender: Male',
        'External Order ID   48213    Tests   CHOL',
        '3. First Name   Ida',
      ),
    ).toEqual([
      ['patientDob', '1961-03-05'],
      ['patientGenderCode', 'Male'],
      ['extOrderId', '48213'],
      ['testCodes', 'CHOL'],
      ['patientFirstName', 'Ida'],
    ])
  })

  it('are known with one misread letter, which makes the value less sure; without a value they are nothing', () => {
    const [found] = findValues(line('Physiclan:  Gregory Stone'))
    expect([found?.name, found?.confidence]).toEqual(['physicianName', 0.6])
    expect(read('Gender:', 'Laboratory Requisition')).toEqual([])
  })
})

describe('a value, DAY-13', () => {
  it.each([
    ['patientDob', '3/5/1961', '1961-03-05'],
    ['patientDob', '03/05/61', '1961-03-05'],
    ['dateCollected', '2026-11-08', '2026-11-08'],
    ['dateCollected', '11.08.26', '2026-11-08'],
    ['dateCollected', '13/40/2026', undefined],
    ['patientDob', 'O3/05/1961', undefined],
    ['timeCollected', '2:15 PM', '14:15'],
    ['timeCollected', '12:05 am', '00:05'],
    ['timeCollected', '14:15', '14:15'],
    ['timeCollected', '14:15 PM', undefined],
    ['patientGenderCode', 'F', 'FEMALE'],
    ['patientGenderCode', 'Male', 'MALE'],
    ['patientGenderCode', 'Mule', undefined],
    ['testCodes', 'chol,HDL  LDL', 'CHOL, HDL, LDL'],
    ['patientLastName', "O'Brien-Smith", "O'Brien-Smith"],
    ['patientLastName', 'Mart1nez', undefined],
  ] as const)('%s %s is %s', (name, text, value) => {
    expect(readValue(name, text, '2026-11-19')).toBe(value)
  })
})
