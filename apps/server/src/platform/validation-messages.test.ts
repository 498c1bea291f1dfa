import { byId } from '@lis/contract/kit/route.ts'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { invalidInput } from './errors.ts'
import { validationMessages } from './validation-messages.ts'

const told = (schema: z.ZodType, value: unknown) => {
  const { error } = schema.safeParse(value, validationMessages)
  return error ? invalidInput(error).errors : []
}
const said = (schema: z.ZodType, value: unknown) => told(z.object({ field: schema }), { field: value })?.[0]?.message

describe('the message of a schema that defines none', () => {
  it('names the path parameter that is not a number', () => {
    expect(told(byId, { id: 'abc' })).toEqual([{ field: 'id', message: 'id must be a number' }])
    expect(told(byId, { id: '1.5' })).toEqual([{ field: 'id', message: 'id must be a whole number' }])
    expect(told(byId, { id: '-1' })).toEqual([{ field: 'id', message: 'id must be greater than 0' }])
  })

  it.each<[string, z.ZodType, unknown]>([
    ['is required', z.string(), undefined],
    ['is required', z.number(), null],
    ['must be text', z.string(), 5],
    ['must be a number', z.number(), 'five'],
    ['must be true or false', z.boolean(), 'yes'],
    ['must be a list', z.array(z.string()), 'a'],
    ['must be an object', z.object({}), 'a'],
    ['must be one of a, b', z.enum(['a', 'b']), 'c'],
    ['must be one of 0, 1', z.literal([0, 1]), 2],
    ['is not one of the allowed values', z.enum('abcdefghijklmnop'.split('')), 'z'],
    ['must not be empty', z.string().min(1), ''],
    ['must have at least 3 characters', z.string().min(3), 'ab'],
    ['can have at most 2 characters', z.string().max(2), 'abc'],
    ['must have at least 1 entry', z.array(z.string()).min(1), []],
    ['can have at most 2 entries', z.array(z.string()).max(2), ['a', 'b', 'c']],
    ['must be at most 10', z.number().max(10), 11],
    ['must be an email address', z.email(), 'nobody'],
    ['is not valid', z.string().regex(/^x$/), 'y'],
    ['is not valid', z.union([z.string(), z.number()]), true],
  ])('%s', (rule, schema, value) => {
    expect(said(schema, value)).toBe(`field ${rule}`)
  })

  it('names an item of a list, and unknown fields', () => {
    const schema = z.strictObject({ tests: z.array(z.object({ code: z.string() })) })
    expect(told(schema, { tests: [{ code: 5 }] })).toEqual([
      { field: 'tests.0.code', message: 'tests.0.code must be text' },
    ])
    expect(told(schema, { tests: [], extra: 1 })).toEqual([{ field: 'extra', message: 'extra is not a known field' }])
    expect(told(schema, 'text')).toEqual([{ field: 'body', message: 'body must be an object' }])
  })

  it('says the same only once', () => {
    const error = invalidInput(byId.safeParse({ id: '99999999999999999999' }, validationMessages).error as z.ZodError)
    expect(error.errors).toHaveLength(1)
    expect(error.message).toBe(error.errors?.[0]?.message)
  })

  it('leaves the texts of the contract unchanged', () => {
    expect(said(z.string({ error: 'Name is required' }), 5)).toBe('Name is required')
    expect(said(z.string().min(3, 'Too short a name'), 'a')).toBe('Too short a name')
    expect(
      said(
        z.string().refine(() => false, 'Not this one'),
        'a',
      ),
    ).toBe('Not this one')
  })
})
