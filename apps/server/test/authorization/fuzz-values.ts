import fc from 'fast-check'

export interface JsonSchema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  additionalProperties?: JsonSchema | boolean
  format?: string
  description?: string
}

/** Values that break programs: limits of ranges, other scripts, wrong types, excessive lengths. */
export const nasty = fc.constantFrom<unknown>(
  ...[
    '',
    ' ',
    "' or 1=1 --",
    '\u0000',
    'a\u0000b',
    '\ud800',
    '../../etc/passwd',
    '<img src=x onerror=alert(1)>',
    '%',
    '_',
    '\\',
    '💥',
  ],
  ...[
    'x'.repeat(5000),
    '9'.repeat(40),
    'Infinity',
    'NaN',
    '-0',
    '1e400',
    '2026-13-45',
    '02/30/2026',
    '{}',
    '[]',
    '[id:',
    '[id:1',
    'null',
  ],
  ...[
    null,
    true,
    false,
    0,
    -1,
    0.1,
    1e21,
    -1e308,
    2 ** 31,
    2 ** 53,
    -(2 ** 63),
    [],
    {},
    [[[]]],
    ['x', null],
    { toString: 1 },
    { length: -1 },
  ],
)

const words = fc.constantFrom(
  'Smith',
  'a@b.example',
  '1',
  '7',
  '120',
  '2026-11-02',
  '11/02/2026',
  '2026-11-02T10:00:00Z',
  '6175550100',
  'CHOL',
  'LOG',
  'SERUM',
  'FEMALE',
  'a.pdf',
)
const lists: Record<string, fc.Arbitrary<unknown>> = {
  filter: fc.constantFrom(
    '[id:1]',
    '[search:Own]',
    '[search:%]',
    '{"id":[1,2]}',
    '{"id":"x"}',
    '[id:99999999999999999999]',
    '[search:\u0000]',
    '[id:1,id:2]',
    '{"search":{"a":1}}',
    '[',
    '{',
  ),
  sort: fc.constantFrom('[id,ASC]', '["id","DESC"]', '[id:DESC]', '[nothing,ASC]', '[id,UP]', '[;drop,ASC]', '['),
  page: fc.constantFrom('1', '0', '-1', '999999999999', 'x'),
  perPage: fc.constantFrom('10', '-1', '0', '100000', 'x'),
  rows: fc.constantFrom('10', '-1', 'x'),
  id: fc.constantFrom('1', '1,2', '1,x', ',', '99999999999999999999', '\u0000'),
}

/** Mostly a valid value, now and then anything else. */
export const valueFor = (schema: JsonSchema, name = ''): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 5, arbitrary: lists[name] ?? fitting(schema, valueFor) }, { weight: 1, arbitrary: nasty })
const cleanValueFor = (schema: JsonSchema): fc.Arbitrary<unknown> => fitting(schema, cleanValueFor)

/** A valid body, or one with strange parts; rarely something else altogether. */
export const bodyFor = (schema: JsonSchema): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 5, arbitrary: cleanValueFor(schema) },
    { weight: 5, arbitrary: fitting(schema, valueFor) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>({}, [], { a: 1 }, [null]) },
  )

type Inner = (schema: JsonSchema) => fc.Arbitrary<unknown>

const fitting = (schema: JsonSchema, inner: Inner): fc.Arbitrary<unknown> => {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const either = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (either) return fc.oneof(...either.map((one) => fitting(one, inner)))
  const [type] = Array.isArray(schema.type) ? schema.type : [schema.type]
  switch (type) {
    case 'integer':
    case 'number':
      return fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1_000_001, max: 1_000_003 }), fc.integer())
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(inner(schema.items ?? {}), { maxLength: 3 })
    case 'object':
      return objectFor(schema, inner)
    case 'string':
      return fc.oneof(
        { weight: 3, arbitrary: words },
        { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
      )
    default:
      return fc.oneof(words, fc.integer({ min: 0, max: 6 }))
  }
}

const objectFor = ({ properties = {}, additionalProperties }: JsonSchema, inner: Inner): fc.Arbitrary<unknown> => {
  const known = fc.record(Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, inner(one)])), {
    requiredKeys: [],
  })
  if (typeof additionalProperties !== 'object') return known
  const more = fc.dictionary(words, inner(additionalProperties), { maxKeys: 3 })
  return fc.tuple(known, more).map(([one, other]) => ({ ...one, ...other }))
}
