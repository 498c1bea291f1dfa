import { describe, expect, it } from 'vitest'
import type { FieldDef } from '../form/field-types.ts'
import {
  entriesOf,
  fieldsFor,
  filterErrors,
  isHalfWide,
  isSameFilter,
  pendingAfter,
  splitFilters,
  summaryOf,
  toEntries,
  toSmartValues,
  valuesOf,
} from './smart-filter.ts'

const fields: FieldDef[] = [
  { name: 'reqId', label: 'Req ID', kind: 'number' },
  { name: 'client', label: 'Client', kind: 'autocomplete', lookup: 'filterClients' },
  { name: 'collected', label: 'Date Collected', kind: 'dateRange' },
  { name: 'dob', label: 'Patient DOB', kind: 'date' },
  { name: 'tests', label: 'Test Codes', kind: 'checkbox' },
  { name: 'open', label: 'Only open', kind: 'singleCheckbox' },
  { name: 'cola', label: 'Collaborator', kind: 'select', visibleTo: 'smartFilter.collaborator' },
]
const options = { client: [{ value: 5, label: 'Acme' }], tests: [{ value: 'A', label: 'ApoB' }] }
const optionsOf = ({ name }: FieldDef) =>
  (options as Record<string, { value: string | number; label: string }[]>)[name] ?? []
const filled = {
  reqId: ' 1000123 ',
  client: 5,
  collected: '[11/08/2026-11/14/2026]',
  dob: '1960-01-02',
  tests: ['A', 'B'],
  open: 1,
  cola: '',
}
const entries = [
  { id: 'reqId', value: '1000123', viewValue: '1000123' },
  { id: 'client', value: '5', viewValue: 'Acme' },
  { id: 'collected', value: '[11/08/2026-11/14/2026]', viewValue: '11/08/2026–11/14/2026' },
  { id: 'dob', value: '1960-01-02', viewValue: '01/02/1960' },
  { id: 'tests', value: ['A', 'B'], viewValue: 'ApoB, B' },
  { id: 'open', value: '1', viewValue: 'Yes' },
]

describe('a smart filter', () => {
  it('VIEW-29 is a list of id, value and viewValue, without empty values', () => {
    expect(entriesOf(fields, filled, optionsOf)).toEqual(entries)
    expect(entriesOf(fields, valuesOf(fields, []), optionsOf)).toEqual([])
  })
  it('VIEW-30 is restored into the form', () => {
    expect(valuesOf(fields, entries)).toEqual({ ...filled, reqId: '1000123' })
  })
  it('keeps the text of unchanged values, and creates one for changed values', () => {
    const before = [{ id: 'client', value: '5', viewValue: 'Acme, as it was called' }]
    expect(entriesOf(fields, { client: 5 }, () => [], before)).toEqual(before)
    expect(entriesOf(fields, { client: 6 }, () => [], before)).toEqual([{ id: 'client', value: '6', viewValue: '6' }])
  })
  it('keeps all values of a field that shows only the first, until another is typed', () => {
    const before = [{ id: 'reqId', value: ['1000123', '1000124'], viewValue: '1000123, 1000124' }]
    const shown = valuesOf(fields, before)
    expect(entriesOf(fields, { ...shown, open: 1 }, optionsOf, before)).toEqual([...before, entries.at(-1)])
    expect(entriesOf(fields, { ...shown, reqId: '1000124' }, optionsOf, before)).toEqual([
      { id: 'reqId', value: '1000124', viewValue: '1000124' },
    ])
    expect(entriesOf(fields, { ...shown, reqId: '' }, optionsOf, before)).toEqual([])
    // A field that shows them all has removed one.
    const tests = [{ id: 'tests', value: ['A', 'B'], viewValue: 'ApoB, B' }]
    expect(entriesOf(fields, { tests: ['A'] }, optionsOf, tests)).toMatchObject([{ value: ['A'] }])
  })
  it('DAY-02 writes dates as words with their text, and one of several choices as a single one', () => {
    const several: FieldDef[] = [
      { name: 'collected', label: 'Date Collected', kind: 'dateRange' },
      { name: 'status', label: 'Status', kind: 'lookupMultiSelect', options: [{ value: 'LOG', label: 'Logged' }] },
    ]
    const ofOptions = ({ options: own }: FieldDef) => own ?? []
    const asked = entriesOf(several, { collected: 'last 7 days', status: ['LOG'] }, ofOptions)
    expect(asked).toEqual([
      { id: 'collected', value: 'last 7 days', viewValue: 'Last 7 days' },
      { id: 'status', value: 'LOG', viewValue: 'Logged' },
    ])
    expect(valuesOf(several, asked)).toEqual({ collected: 'last 7 days', status: ['LOG'] })
    expect(entriesOf(several, { status: ['LOG', 'ACC'] }, ofOptions)).toMatchObject([
      { value: ['LOG', 'ACC'], viewValue: 'Logged, ACC' },
    ])
    expect(filterErrors(several, { collected: 'this month' })).toEqual({})
    expect(filterErrors(several, { collected: 'last 8 days' })).toHaveProperty('collected')
  })
  it('leaves out hidden fields', () => {
    const hidden = fields.map((field) => ({ ...field, isHidden: () => field.name !== 'reqId' }))
    expect(entriesOf(hidden, filled, optionsOf).map(({ id }) => id)).toEqual(['reqId'])
  })
  it('VIEW-36 is stored by a saved view as a map, and restored completely', () => {
    expect(toSmartValues(entries).client).toEqual({ value: '5', viewValue: 'Acme' })
    expect(toEntries(toSmartValues(entries))).toEqual(entries)
  })
  it('reads a view of another program, with numbers, lists and no texts', () => {
    const saved = {
      a: { value: 5 },
      b: { value: ['x', 2], viewValue: ['X', 'Two'] },
      c: { value: null },
      d: { value: '' },
    }
    expect(toEntries(saved)).toEqual([
      { id: 'a', value: '5', viewValue: '5' },
      { id: 'b', value: ['x', '2'], viewValue: 'X, Two' },
    ])
  })
  it('separates known fields from unknown ones, and from invalid values', () => {
    const strange = { id: 'colour', value: 'red', viewValue: 'Red' }
    expect(splitFilters(fields, [...entries, strange])).toEqual({ known: entries, unknown: [strange], faults: [] })
    const wrong = [
      { id: 'reqId', value: ['1000123', 'abc'], viewValue: 'abc' },
      { id: 'dob', value: '13/45/2020', viewValue: '13/45/2020' },
    ]
    const faults = ['Req ID must be a whole number', 'Patient DOB must be a date: MM/DD/YYYY']
    expect(splitFilters(fields, wrong)).toEqual({ known: [], unknown: [], faults })
    // As the server reads them: several numbers, a date in either format, a range of birth dates.
    const right = [
      ['reqId', ['1000123', '1000124']],
      ['dob', '1/2/1960'],
      ['dob', '[01/01/1960-12/31/1960]'],
    ] as const
    for (const [id, value] of right)
      expect(splitFilters(fields, [{ id, value: [value].flat(), viewValue: '' }]).faults).toEqual([])
  })
  it('reports all invalid fields at once, by label', () => {
    expect(filterErrors(fields, filled)).toEqual({})
    expect(filterErrors(fields, { reqId: '-5', dob: '02/30/2020', collected: '[12/31/2026-01/01/2026]' })).toEqual({
      reqId: 'Req ID must be a whole number',
      dob: 'Patient DOB must be a date: MM/DD/YYYY',
      collected: 'Date Collected: the first day cannot be after the last',
    })
    expect(filterErrors(fields, { collected: '11/08/2026' })).toEqual({
      collected: 'Date Collected must be two dates: MM/DD/YYYY-MM/DD/YYYY',
    })
    const hours: FieldDef = { name: 'hours', label: 'Hours', kind: 'number', min: 0, max: 8760 }
    expect(filterErrors([hours], { hours: '9000' })).toEqual({ hours: 'Hours must be from 0 to 8760' })
  })
  it('VIEW-47 shows the collaborator to the roles that have it', () => {
    const has = (role: 'CLNT' | 'COLA' | 'BILL') => fieldsFor(fields, role).some(({ name }) => name === 'cola')
    expect([has('CLNT'), has('COLA'), has('BILL')]).toEqual([true, false, false])
  })
  it('is equal in any order, and with another text', () => {
    expect(isSameFilter(entries, [...entries].reverse())).toBe(true)
    expect(isSameFilter(entries, entries.slice(1))).toBe(false)
    expect(isSameFilter([{ id: 'a', value: '1', viewValue: 'x' }], [{ id: 'a', value: '2', viewValue: 'x' }])).toBe(
      false,
    )
  })
  it('has a one-line summary', () => {
    expect(summaryOf(fields, [...entries.slice(1, 2), { id: 'gone', value: '1', viewValue: '1' }])).toBe('Client: Acme')
  })
})

describe('an address that returns to the form that sent it', () => {
  it('keeps those pending that were sent after it', () => {
    expect(pendingAfter(['one', 'two', 'three'], 'one')).toEqual(['two', 'three'])
    expect(pendingAfter(['two', 'three'], 'three')).toEqual([])
    expect(pendingAfter(['one', 'two', 'one'], 'one')).toEqual([])
  })
  it('is distinguished from one sent by another form, and from one that has already returned', () => {
    expect(pendingAfter(['two'], 'one')).toBeUndefined()
    expect(pendingAfter([], 'one')).toBeUndefined()
  })
})

describe('the width of a filter', () => {
  const wide: FieldDef = { name: 'w', label: 'W', kind: 'text' }
  const short: FieldDef = { name: 's', label: 'S', kind: 'select' }
  it('is a half for pairs of short choices, and full for everything else', () => {
    const all = [wide, short, short, short, wide, short]
    expect(all.map((_, index) => isHalfWide(all, index))).toEqual([false, true, true, false, false, false])
  })
})
