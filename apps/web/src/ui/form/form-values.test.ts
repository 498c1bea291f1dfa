import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type FieldDef, inSection } from './field-types.ts'
import {
  bySection,
  checkValues,
  clearedFields,
  draftValues,
  initialValues,
  sortErrors,
  titleOfDraft,
  visibleFields,
} from './form-values.ts'

const fields: FieldDef[] = [
  { name: 'country', label: 'Country', kind: 'select', clears: ['state'] },
  { name: 'state', label: 'State', kind: 'select' },
  { name: 'hours', label: 'Hours', kind: 'number', isHidden: ({ isFasting }) => isFasting !== 1 },
  { name: 'isFasting', label: 'Fasting', kind: 'singleCheckbox' },
  { name: 'depts', label: 'Departments', kind: 'checkbox' },
  { name: 'secret', label: 'Password', kind: 'password' },
  { name: 'flag', label: 'Flag', kind: 'text', visibleTo: 'users.write' },
]
const schema = z.object({
  country: z.string().min(1, 'Country is required'),
  hours: z.string({ error: 'Hours is required' }).min(1, 'Hours is required'),
})

describe('form values', () => {
  it('start from the record, or from the empty value of their kind', () => {
    expect(initialValues(fields, { country: 'US', state: null })).toEqual({
      country: 'US',
      state: '',
      hours: '',
      isFasting: 0,
      depts: [],
      secret: '',
      flag: '',
    })
  })

  it('CLI-066 CLI-111 start a new record with its defaults, and leave a stored one as it is', () => {
    const phlebotomy: FieldDef[] = [
      { name: 'isContractPhleb', label: 'Contract Phlebotomy', kind: 'radio', initial: 0 },
    ]
    expect(initialValues(phlebotomy)).toEqual({ isContractPhleb: 0 })
    expect(initialValues(phlebotomy, { isContractPhleb: 1 })).toEqual({ isContractPhleb: 1 })
    expect(initialValues(phlebotomy, {})).toEqual({ isContractPhleb: '' })
  })

  it('are visible depending on other values and on the permission', () => {
    const names = (values: object, role: 'MGMT' | 'STF') =>
      visibleFields(fields, { ...values }, role).map(({ name }) => name)
    expect(names({ isFasting: 1 }, 'MGMT')).toContain('hours')
    expect(names({ isFasting: 0 }, 'MGMT')).not.toContain('hours')
    expect(names({}, 'MGMT')).toContain('flag')
    expect(names({}, 'STF')).not.toContain('flag')
  })

  it('TABLE-047 are all validated at once, without hidden ones', async () => {
    const all = visibleFields(fields, { isFasting: 1 }, 'MGMT')
    expect(await checkValues(schema, all, { country: '', hours: '' })).toEqual({
      errors: { country: 'Country is required', hours: 'Hours is required' },
      formErrors: [],
    })
    const fewer = visibleFields(fields, { isFasting: 0 }, 'MGMT')
    expect((await checkValues(schema, fewer, { country: '', hours: 'x' })).errors).toEqual({
      country: 'Country is required',
    })
    const { data, errors } = await checkValues(schema, fewer, { country: 'US', hours: 'x' })
    expect(errors).toEqual({})
    expect(data).not.toHaveProperty('hours')
  })

  it('clear dependent values when they change', () => {
    expect(clearedFields(fields, 'country')).toEqual([['state', '']])
    expect(clearedFields(fields, 'state')).toEqual([])
  })

  it('never put a password into a draft', () => {
    expect(draftValues(fields, {}, { country: 'US', secret: 'x' })).toEqual({ country: 'US' })
  })

  it('PAT-G12 leave untouched fields out of a draft, but keep related fields together', () => {
    const base = { country: 1, state: 2, hours: '', isFasting: 0, depts: [1, 2], flag: 'a' }
    expect(draftValues(fields, base, { ...base, flag: 'b', hours: null, depts: [2, 1] })).toEqual({ flag: 'b' })
    expect(draftValues(fields, base, { ...base, state: 3 })).toEqual({ country: 1, state: 3 })
    const composite = { label: 'Born', show: String }
    const parts: FieldDef[] = ['day', 'month'].map((name) => ({ name, label: name, kind: 'text', composite }))
    expect(draftValues(parts, { day: '1', month: '2' }, { day: '3', month: '2' })).toEqual({ day: '3', month: '2' })
  })

  it("show the server's errors at their fields, the first of each", () => {
    const issues = [
      { field: 'depts.0', message: 'Department is invalid' },
      { field: 'depts', message: 'Second' },
      { field: 'elsewhere', message: 'Not here' },
    ]
    expect(sortErrors(issues, fields)).toEqual({ errors: { depts: 'Department is invalid' }, formErrors: ['Not here'] })
  })

  it('are grouped under the headings of their sections, in order', () => {
    const [country, state, hours] = fields as [FieldDef, FieldDef, FieldDef]
    const together = bySection([hours, ...inSection('Contact', [country, state])])
    expect(together.map(({ section, fields: own }) => [section, own.map(({ name }) => name)])).toEqual([
      [undefined, ['hours']],
      ['Contact', ['country', 'state']],
    ])
  })

  it('name a draft by the person in it, or by its first text, and never by a secret', () => {
    const named: FieldDef[] = [
      { name: 'patientSsn', label: 'SSN', kind: 'input', isSecret: true },
      { name: 'extOrderId', label: 'External Order ID', kind: 'input' },
      { name: 'patientFirstName', label: 'First Name', kind: 'text' },
      { name: 'patientLastName', label: 'Last Name', kind: 'text' },
    ]
    expect(titleOfDraft(named, { patientFirstName: 'Alice', patientLastName: ' Older ' })).toBe('Older, Alice')
    expect(titleOfDraft(named, { patientSsn: '123', extOrderId: 'BOB-1' })).toBe('BOB-1')
    expect(titleOfDraft(named, { clientId: 4 })).toBe('Without a name')
  })
})
