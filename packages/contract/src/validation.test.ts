import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { expectWithin } from '../../../apps/server/test/quiet-machine.ts'
import {
  currentPassword,
  dayPart,
  email,
  flag01,
  hoursPart,
  isoDate,
  loginPassword,
  mfaCode,
  minutesPart,
  monthPart,
  newPassword,
  newPasswordFields,
  optionalId,
  optionalText,
  pastDate,
  phoneCreate,
  phoneEdit,
  required,
  requiredFlag,
  requiredId,
  requiredIds,
  yearPart,
} from './validation.ts'

/** All messages of a refused value; the parsed value goes under `ok`. */
const read = (schema: z.ZodType, value: unknown) => {
  const result = schema.safeParse(value)
  return result.success ? { ok: result.data } : result.error.issues.map(({ message }) => message)
}

describe('required', () => {
  it.each([undefined, null, '', '   ', 7])('TABLE-057 refuses %j by the label', (value) => {
    expect(read(required('City'), value)).toEqual(['City is required'])
  })
  it('trims', () => {
    expect(read(required('City'), '  Oslo ')).toEqual({ ok: 'Oslo' })
  })
  it('has a maximum length', () => {
    expect(read(required('City'), 'x'.repeat(4000))).toEqual({ ok: 'x'.repeat(4000) })
    expect(read(required('City'), 'x'.repeat(4001))).toEqual(['City must be at most 4000 characters'])
    expect(read(required('Zip', 10), '12345678901')).toEqual(['Zip must be at most 10 characters'])
  })
})

describe('optionalText', () => {
  it.each([
    [undefined, null],
    [null, null],
    ['', null],
    ['  ', null],
    [' a ', 'a'],
  ])('reads %j as %j', (value, expected) => {
    expect(read(optionalText('Note'), value)).toEqual({ ok: expected })
  })
  it('has a maximum length', () => {
    expect(read(optionalText('Note'), 'x'.repeat(4001))).toEqual(['Note must be at most 4000 characters'])
  })
})

describe('ids', () => {
  it.each([
    [5, 5],
    ['5', 5],
    [' 12 ', 12],
  ])('requiredId reads %j', (value, expected) => {
    expect(read(requiredId('State'), value)).toEqual({ ok: expected })
  })
  it.each([undefined, null, '', ' ', 0, -1, 1.5, '1.5', '0x10', 'abc', true, [5], {}, Number.NaN, 2 ** 60])(
    'requiredId refuses %j by the label',
    (value) => {
      expect(read(requiredId('State'), value)).toEqual(['State is required'])
    },
  )
  it.each([
    [undefined, null],
    [null, null],
    ['', null],
    ['7', 7],
  ])('optionalId reads %j as %j', (value, expected) => {
    expect(read(optionalId('Lab'), value)).toEqual({ ok: expected })
  })
  it('optionalId refuses anything that is not an id', () => {
    expect(read(optionalId('Lab'), 'x')).toEqual(['Lab is invalid'])
  })
  it('requiredIds needs one and drops duplicates', () => {
    expect(read(requiredIds('Department'), ['2', 1, 2])).toEqual({ ok: [2, 1] })
    expect(read(requiredIds('Department'), [])).toEqual(['Department is required'])
    expect(read(requiredIds('Department'), undefined)).toEqual(['Department is required'])
  })
})

describe('flags', () => {
  it.each([0, 1])('TABLE-071 %j is a flag', (value) => {
    expect(read(flag01, value)).toEqual({ ok: value })
  })
  it.each([2, '1', true, null])('%j is not a flag', (value) => {
    expect(read(requiredFlag('Stress'), value)).toEqual(['Stress is required'])
  })
})

describe('sign-in fields', () => {
  it.each([undefined, ''])('SIGN-41 an empty login password %j is refused', (value) => {
    expect(read(loginPassword, value)).toEqual(['Password is required'])
  })
  it('SIGN-42 an empty current password is refused', () => {
    expect(read(currentPassword, '')).toEqual(['Current password is required'])
  })
  it('does not trim a password', () => {
    expect(read(loginPassword, ' a ')).toEqual({ ok: ' a ' })
  })
  it.each(['', '12345', 'abcdef', undefined])('SIGN-43 the code %j is refused', (value) => {
    expect(read(mfaCode, value)).toEqual(['Authentication failed. Please enter a valid authentication code.'])
  })
  it('takes a code of six digits, pasted with spaces around it', () => {
    expect(read(mfaCode, ' 012345 ')).toEqual({ ok: '012345' })
  })
})

describe('newPassword', () => {
  const number = 'Password must contain at least 1 number.'
  const cases = 'Password must contain at least 1 uppercase and lowercase letter. '
  const special = 'Password must contain at least 1 special character !@#$%^&*()~'
  const length = '16 characters minimum password length'

  it.each([
    ['SIGN-44', 'Demo-Password-!!!!', [number]],
    ['SIGN-45', 'demo-password-2026!', [cases]],
    ['SIGN-46', 'DEMO-PASSWORD-2026!', [cases]],
    ['SIGN-47', 'Demo-Password-2026', [special]],
    ['SIGN-48', 'Demo-Pass-2026!', [length]],
    ['SIGN-44 SIGN-45 SIGN-47 SIGN-48', '', [number, cases, special, length]],
    ['SIGN-47', 'Demo-Password-2026?', [special]],
  ])('%s refuses %j with every rule it breaks, in order', (_id, value, expected) => {
    expect(read(newPassword, value)).toEqual(expected)
  })
  it.each(['Demo-Password-2026!', 'aA1~aaaaaaaaaaaa', 'Z9)z\nzzzzzzzzzzzz', ' spaces count 1A! '])(
    'takes %j',
    (value) => {
      expect(read(newPassword, value)).toEqual({ ok: value })
    },
  )
  it.each(['!', '@', '#', '$', '%', '^', '&', '*', '(', ')', '~'])('SIGN-47 %s is a special character', (mark) => {
    expect(read(newPassword, `Password12345678${mark}`)).toEqual({ ok: `Password12345678${mark}` })
  })

  it('refuses a megabyte quickly', () =>
    expectWithin(1000, () =>
      expect(read(newPassword, 'a'.repeat(1_000_000))).toContain('Password must be at most 256 characters'),
    ))

  const good = 'Demo-Password-2026!'
  const fieldErrors = (value: unknown) =>
    newPasswordFields.safeParse(value).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)

  it('SIGN-49 an empty confirmation is refused', () => {
    expect(fieldErrors({ newPwd: good, confirmPwd: '' })).toEqual(['confirmPwd: Password confirm is required'])
    expect(fieldErrors({ newPwd: good })).toEqual(['confirmPwd: Password confirm is required'])
  })
  it('SIGN-50 a confirmation that differs is refused, together with the errors of the password', () => {
    expect(fieldErrors({ newPwd: good, confirmPwd: `${good} ` })).toEqual(["confirmPwd: Passwords don't match"])
    expect(fieldErrors({ newPwd: 'Demo-Pass-2026!', confirmPwd: 'x' })).toEqual([
      `newPwd: ${length}`,
      "confirmPwd: Passwords don't match",
    ])
  })
  it('accepts a matching pair, and refuses anything that is not an object', () => {
    expect(fieldErrors({ newPwd: good, confirmPwd: good })).toBeUndefined()
    expect(newPasswordFields.safeParse(null).success).toBe(false)
  })
})

describe('date and time parts', () => {
  it.each([
    ['TABLE-051', dayPart, [1, '01', '31', 31], ['0', 32, '-1', '1.5', '1e1'], 'Invalid date'],
    ['TABLE-052', dayPart, [], ['x', '1x'], 'Date must be a number'],
    ['TABLE-053', monthPart, ['1', 12], ['0', '13', 'Jan'], 'Invalid month'],
    ['TABLE-054', yearPart, ['1926', 2025], ['25', '202', '20255', 'MMXX'], 'Invalid year'],
    ['TABLE-055', hoursPart, ['1', '12'], ['0', '13', 'x'], 'Invalid hours'],
    ['TABLE-056', minutesPart, ['0', '00', '59'], ['60', '-1', 'x'], 'Invalid minutes'],
  ])('%s has its limits and its message', (_id, schemaOf, good, bad, message) => {
    const schema = schemaOf('Part')
    expect(good.map((value) => read(schema, value))).toEqual(good.map((value) => ({ ok: Number(value) })))
    expect(bad.map((value) => read(schema, value))).toEqual(bad.map(() => [message]))
  })
  it.each([dayPart, monthPart, yearPart, hoursPart, minutesPart])('TABLE-057 refuses a missing value', (schemaOf) => {
    for (const missing of [undefined, null, '', ' ']) {
      expect(read(schemaOf('Collected Part'), missing)).toEqual(['Collected Part is required'])
    }
  })
})

describe('dates', () => {
  const today = () => '2026-03-15'
  it.each(['2025-02-29', '02/03/2025', 'soon'])('TABLE-064 %s is not a date', (value) => {
    expect(read(isoDate('Date'), value)).toEqual(['Invalid date'])
  })
  it('TABLE-065 accepts today, refuses tomorrow', () => {
    expect(read(pastDate('Date', today), '2026-03-16')).toEqual(['Invalid date'])
    expect(read(pastDate('Date', today), '2026-03-15')).toEqual({ ok: '2026-03-15' })
  })
  it('refuses a missing date', () => {
    expect(read(pastDate('Date From', today), undefined)).toEqual(['Date From is required'])
  })
})

describe('phones', () => {
  it.each(['', undefined, '1555123456', '(555) 123-4567', '1555123456x', '1234567890123456'])(
    'USR-54 USR-55 on create %j is refused',
    (value) => {
      expect(read(phoneCreate, value)).toContain('Phone number allowed in format 00(000) 000-0000')
    },
  )
  it.each([
    ['15551234567', '15551234567'],
    ['+1(555) 123-4567', '15551234567'],
    ['00(000) 000-0000', '000000000000'],
  ])('USR-54 on create %s is kept as digits', (value, digits) => {
    expect(read(phoneCreate, value)).toEqual({ ok: digits })
  })
  it.each(['', '123456', 'call me', '(1)-----'])('USR-56 USR-57 on edit %j is refused', (value) => {
    expect(read(phoneEdit, value)).toContain('Invalid phone number')
  })
  it('USR-56 on edit seven digits are enough', () => {
    expect(read(phoneEdit, '123-4567')).toEqual({ ok: '1234567' })
  })
})

describe('email', () => {
  it('is required, and an address', () => {
    expect(read(email('Email'), ' ')).toContain('Email is required')
    expect(read(email('Email'), 'nobody')).toEqual(['Email is invalid'])
    expect(read(email('Email'), ' a@b.example ')).toEqual({ ok: 'a@b.example' })
  })
})
