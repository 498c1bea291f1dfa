import type { z } from 'zod'

type Issue = Parameters<z.core.$ZodErrorMap>[0]

/**
 * The messages of schemas that define none themselves: a sentence that names the field and what it must be. Passed to every parse of
 * a request.
 */
export const validationMessages: { error: z.core.$ZodErrorMap } = {
  error: (issue) =>
    issue.code === 'unrecognized_keys' ? unknownFields(issue.keys) : `${fieldOf(issue)} ${rule(issue)}`,
}

export const fieldOf = (issue: { path?: readonly PropertyKey[] | undefined }): string =>
  (issue.path ?? []).map(String).join('.') || 'body'

const unknownFields = (keys: readonly string[]) =>
  keys.length === 1 ? `${keys[0]} is not a known field` : `${keys.join(', ')} are not known fields`

const rule = (issue: Issue): string => {
  if (issue.input === undefined || issue.input === null) return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return types[issue.expected] ?? 'is not valid'
    case 'invalid_value':
      return oneOf(issue.values.map(String))
    case 'too_small':
      return tooSmall(issue)
    case 'too_big':
      return tooBig(issue)
    case 'invalid_format':
      return formats[issue.format] ?? 'is not valid'
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    default:
      return 'is not valid'
  }
}

const types: Partial<Record<string, string>> = {
  number: 'must be a number',
  int: 'must be a whole number',
  bigint: 'must be a whole number',
  string: 'must be text',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
  record: 'must be an object',
  date: 'must be a date',
}

const formats: Partial<Record<string, string>> = {
  email: 'must be an email address',
  url: 'must be a web address',
  uuid: 'is not a valid id',
  guid: 'is not a valid id',
  date: 'must be a date like 2026-01-31',
  time: 'must be a time like 13:45:00',
  datetime: 'must be a date and time like 2026-01-31T13:45:00Z',
}

const maxListed = 12
const oneOf = (values: readonly string[]) => {
  if (values.length === 1) return `must be ${values[0]}`
  return values.length <= maxListed ? `must be one of ${values.join(', ')}` : 'is not one of the allowed values'
}

type Limit = 'too_small' | 'too_big'
type LimitIssue<Code extends Limit> = Extract<Issue, { code: Code }>

const tooSmall = ({ origin, minimum, inclusive }: LimitIssue<'too_small'>) => {
  if (origin === 'string') return minimum === 1 ? 'must not be empty' : `must have at least ${minimum} characters`
  if (origin === 'array' || origin === 'set') return `must have at least ${entries(minimum)}`
  return inclusive ? `must be at least ${minimum}` : `must be greater than ${minimum}`
}

const tooBig = ({ origin, maximum, inclusive }: LimitIssue<'too_big'>) => {
  if (origin === 'string') return `can have at most ${maximum} characters`
  if (origin === 'array' || origin === 'set') return `can have at most ${entries(maximum)}`
  return inclusive ? `must be at most ${maximum}` : `must be less than ${maximum}`
}

const entries = (count: number | bigint) => (Number(count) === 1 ? '1 entry' : `${count} entries`)
