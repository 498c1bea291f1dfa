import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type AllowedListParams,
  addSort,
  formatFilter,
  formatListQuery,
  formatSort,
  type ListQuery,
  ListQueryError,
  listQuery,
  maxFilterLength,
  parseFilter,
  parseListQuery,
  parseSort,
  setPage,
  setPerPage,
  setSort,
} from './list-query.ts'

const allowed: AllowedListParams = { sort: ['id', 'name'], filter: ['id', 'name', 'shelf', 'sort'], defaultPerPage: 10 }
const parse = (raw: Record<string, unknown>) => parseListQuery(raw, allowed)
const faultOf = (run: () => unknown) => {
  try {
    run()
  } catch (error) {
    if (error instanceof ListQueryError) return [error.param, error.message]
    throw error
  }
  return 'no fault'
}

// Tokens of the grammar, escapes and lone surrogates are frequent; `binary` units are single UTF-16 code units.
const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom(',', ':', '[', ']', '{', '}', '"', '\\', ' ', '\n', '/', '-', '0', '1', 'é', '漢', '😀', '\ud800'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
})
const rangeLike = fc.constantFrom('[01/31/2025-02/28/2025]', '01/31/2025-02/28/2025', '[99/99/9999-00/00/0000]')
const text = fc.oneof(nasty, rangeLike, fc.string())

describe('parseFilter', () => {
  it.each([
    ['', {}],
    ['  ', {}],
    ['[]', {}],
    ['{}', {}],
    ['[name:Smith]', { name: 'Smith' }],
    ['[name:Smith,shelf:2]', { name: 'Smith', shelf: '2' }],
    ['[ name : Van Dyke , shelf : 2 ]', { name: 'Van Dyke', shelf: '2' }],
    ['[time:10:30]', { time: '10:30' }],
    ['[name:"Smith, Jr. [2]"]', { name: 'Smith, Jr. [2]' }],
    ['[name:"say \\"hi\\" \\\\ \\u00e9"]', { name: 'say "hi" \\ é' }],
    ['[path:C:\\temp]', { path: 'C:\\temp' }],
    ['[name:""]', { name: '' }],
    ['[id:[1,2]]', { id: ['1', '2'] }],
    ['[id:[]]', { id: [] }],
    ['[id:["a,b", c]]', { id: ['a,b', 'c'] }],
    ['[seen:[01/31/2025-02/28/2025],id:1]', { seen: '[01/31/2025-02/28/2025]', id: '1' }],
    ['[seen:["01/31/2025-02/28/2025"]]', { seen: ['01/31/2025-02/28/2025'] }],
    ['[id:1,id:1]', { id: '1' }],
  ])('TABLE-099 reads %s', (source, filters) => {
    expect(parseFilter(source)).toEqual(filters)
  })

  it.each([
    ['{id:[1,2]}', { id: ['1', '2'] }],
    ['{id:7}', { id: '7' }],
    ['{screen:list,name:"a,b"}', { screen: 'list', name: 'a,b' }],
  ])('TABLE-106 reads the unquoted braces %s', (source, filters) => {
    expect(parseFilter(source)).toEqual(filters)
  })

  it.each([
    ['{"a":"b","n":5,"ids":[1,2]}', { a: 'b', n: '5', ids: ['1', '2'] }],
    ['{"on":true,"gone":null}', { on: 'true' }],
    ['{"seen":"[01/31/2025-02/28/2025]"}', { seen: '[01/31/2025-02/28/2025]' }],
  ])('TABLE-115 reads the JSON object %s', (source, filters) => {
    expect(parseFilter(source)).toEqual(filters)
  })

  it.each([
    ['name:Smith', 'filter: must start with [ or {'],
    ['[name:Smith', 'filter: expected , or ] at the end'],
    ['{id:1]', 'filter: expected , or } at "]"'],
    ['[name]', 'filter: "name" has no value (text with a comma needs double quotes, a list needs [ ])'],
    ['[codes:A,B]', 'filter: "B" has no value (text with a comma needs double quotes, a list needs [ ])'],
    ['[name:]', 'filter: expected a value for "name" at "]"'],
    ['[:Smith]', 'filter: expected a field name at ":Smith]"'],
    ['[name:a,]', 'filter: expected a field name at "]"'],
    ['[name:a]b', 'filter: unexpected text at "b"'],
    ['[name:a[1]]', 'filter: expected , or ] at "[1]]"'],
    ['[id:[1,2]', 'filter: expected , or ] at the end'],
    ['[id:[1,[2]]]', 'filter: expected a value for "id" at "[2]]]"'],
    ['[name:"a]', 'filter: expected a value for "name" at "\\"a]"'],
    ['[name:"\\x"]', 'filter: "\\x" is not a JSON text'],
    ['[id:1,id:2]', 'filter: "id" is given twice'],
    ['{"a":{"b":1}}', 'filter: the value of "a" must be a text, a number or a list of them'],
    ['{"a":[null]}', 'filter: the value of "a" must be a text, a number or a list of them'],
    ['{"a":}', 'filter: expected a value for "a" at "}"'],
  ])('refuses %s and says why', (source, message) => {
    expect(faultOf(() => parseFilter(source))).toEqual(['filter', message])
  })

  it('refuses a text over 20,000 characters without parsing it', () => {
    const longest = `[name:${'a'.repeat(maxFilterLength - 7)}]`
    expect(parseFilter(longest).name).toHaveLength(maxFilterLength - 7)
    expect(faultOf(() => parseFilter(`${longest} `))).toEqual(['filter', 'filter is longer than 20000 characters'])
  })

  it('parses any text or throws a ListQueryError', () => {
    fc.assert(
      fc.property(nasty, (inside) => {
        for (const source of [inside, `[${inside}]`, `{${inside}}`, `[a:${inside}]`]) {
          const result = faultOf(() => parseFilter(source))
          expect(result === 'no fault' || result[0] === 'filter').toBe(true)
        }
      }),
    )
  })
})

describe('formatFilter', () => {
  it.each([
    [{}, ''],
    [{ name: 'Smith', id: ['1', '2'] }, '[name:Smith,id:[1,2]]'],
    [{ name: 'Smith, Jr.' }, '[name:"Smith, Jr."]'],
    [{ name: ' a' }, '[name:" a"]'],
    [{ name: '' }, '[name:""]'],
    [{ seen: '[01/31/2025-02/28/2025]' }, '[seen:[01/31/2025-02/28/2025]]'],
    [{ seen: ['01/31/2025-02/28/2025'] }, '[seen:["01/31/2025-02/28/2025"]]'],
  ])('TABLE-099 formats %j as %s', (filters, printed) => {
    expect(formatFilter(filters)).toBe(printed)
  })

  it('is the inverse of parseFilter for any text', () => {
    const filters = fc.dictionary(text, fc.oneof(text, fc.array(text, { maxLength: 4 })))
    fc.assert(
      fc.property(filters, (value) => {
        expect(Object.entries(parseFilter(formatFilter(value)))).toEqual(Object.entries(value))
      }),
      { numRuns: 2000 },
    )
  })

  it('survives URL encoding', () => {
    fc.assert(
      fc.property(nasty, (value) => {
        const address = new URLSearchParams({ filter: formatFilter({ name: value }) }).toString()
        expect(parseFilter(new URLSearchParams(address).get('filter') ?? '')).toEqual({ name: value })
      }),
    )
  })
})

describe('parseSort', () => {
  it.each([
    ['[id,ASC]', { field: 'id', order: 'ASC' }],
    ['[id,desc]', { field: 'id', order: 'DESC' }],
    ['[ id , Desc ]', { field: 'id', order: 'DESC' }],
    ['id,asc', { field: 'id', order: 'ASC' }],
    ['["id","DESC"]', { field: 'id', order: 'DESC' }],
    ['[name,ASC,id,DESC]', { field: 'name', order: 'ASC', thenBy: [{ field: 'id', order: 'DESC' }] }],
    ['', null],
    ['[]', null],
  ])('TABLE-100 reads %s', (source, sort) => {
    expect(parseSort(source)).toEqual(sort)
  })

  it.each([
    ['[id]', 'sort: the order of "id" must be ASC or DESC'],
    ['[id,up]', 'sort: the order of "id" must be ASC or DESC'],
    ['[,ASC]', 'sort must be written [field,order]'],
    ['[id,ASC,name]', 'sort must be written [field,order]'],
    ['[id,ASC,id,DESC]', 'sort: a field is given twice'],
    ['[a,ASC,b,ASC,c,ASC,d,ASC,e,ASC,f,ASC]', 'sort: at most 5 fields can be given'],
  ])('refuses %s and says why', (source, message) => {
    expect(faultOf(() => parseSort(source))).toEqual(['sort', message])
  })

  it('is the inverse of formatSort for every trimmed field', () => {
    const field = text.filter((name) => name !== '' && name === name.trim())
    fc.assert(
      fc.property(field, fc.constantFrom('ASC', 'DESC'), (name, order) => {
        expect(parseSort(formatSort({ field: name, order }))).toEqual({ field: name, order })
      }),
    )
    expect(formatSort(null)).toBe('')
  })
})

describe('addSort', () => {
  it('DAY-04 adds a key, turns the order of a known one, and keeps to the maximum', () => {
    const start = { page: 1, perPage: 10, filters: {}, sort: null }
    const named = addSort(start, 'name')
    expect(named.sort).toEqual({ field: 'name', order: 'DESC' })
    const both = addSort(named, 'id')
    expect(formatSort(both.sort)).toBe('[name,DESC,id,DESC]')
    expect(formatSort(addSort(both, 'name').sort)).toBe('[name,ASC,id,DESC]')
    const many = ['a', 'b', 'c', 'd', 'e', 'f'].reduce(addSort, start)
    expect(formatSort(many.sort)).toBe('[a,DESC,b,DESC,c,DESC,d,DESC,e,DESC]')
  })
})

describe('parseListQuery', () => {
  it('TABLE-012 starts at page 1 with the default size, no filter and the default order of the list', () => {
    expect(parse({})).toEqual({ page: 1, perPage: 10, filters: {}, sort: null })
  })
  it.each([
    ['TABLE-096', { page: '2', rows: '50' }],
    ['TABLE-097', { page: '2', perPage: '50' }],
    ['TABLE-097', { page: 2, perPage: 50, rows: '50' }],
  ])('%s reads %j alike', (_id, raw) => {
    expect(parse(raw)).toMatchObject({ page: 2, perPage: 50 })
  })
  it('TABLE-098 reads perPage -1 as all', () => {
    expect(parse({ perPage: '-1' }).perPage).toBe(-1)
  })
  it('reads filter and sort, and ignores filterActive and unknown parameters', () => {
    const raw = { filter: '[name:Smith]', sort: '[id,desc]', filterActive: 'true', format: 'csv' }
    expect(parse(raw)).toEqual({
      page: 1,
      perPage: 10,
      filters: { name: 'Smith' },
      sort: { field: 'id', order: 'DESC' },
    })
  })
  it('reads each filter as a separate parameter, except empty ones and reserved names', () => {
    const raw = { shelf: '2', name: '', sort: '[id,asc]', filter: '[shelf:2]' }
    expect(parse(raw).filters).toEqual({ shelf: '2' })
  })
  it('accepts a repeated parameter with the same value', () => {
    expect(parse({ page: ['3', '3'], shelf: ['2', '2'] })).toMatchObject({ page: 3, filters: { shelf: '2' } })
  })
  it('accepts sizes up to the limit of the list', () => {
    expect(parse({ perPage: '500' }).perPage).toBe(500)
    expect(parseListQuery({ perPage: '1000' }, { ...allowed, maxPerPage: 1000 }).perPage).toBe(1000)
  })

  it.each([
    [{ page: '0' }, 'page', 'page counts from 1'],
    [{ page: '-1' }, 'page', 'page counts from 1'],
    [{ page: '1.5' }, 'page', 'page must be a whole number'],
    [{ page: 'two' }, 'page', 'page must be a whole number'],
    [{ page: '9999999999' }, 'page', 'page must be a whole number'],
    [{ page: ['1', '2'] }, 'page', 'page is given twice with different values'],
    [{ perPage: '0' }, 'perPage', 'perPage must be -1 (all) or from 1 to 500'],
    [{ perPage: '-2' }, 'perPage', 'perPage must be -1 (all) or from 1 to 500'],
    [{ rows: '501' }, 'perPage', 'perPage must be -1 (all) or from 1 to 500'],
    [{ rows: '10', perPage: '20' }, 'perPage', 'perPage and rows disagree'],
    [{ rows: 'all' }, 'perPage', 'rows must be a whole number'],
    [{ sort: '[password,asc]' }, 'sort', 'Unknown sort field "password"'],
    [{ sort: '[__proto__,asc]' }, 'sort', 'Unknown sort field "__proto__"'],
    [{ sort: ['[id,asc]', '[id,desc]'] }, 'sort', 'sort is given twice with different values'],
    [{ filter: '[password:x]' }, 'filter', 'Unknown filter field "password"'],
    [{ filter: '{"__proto__":"x"}' }, 'filter', 'Unknown filter field "__proto__"'],
    [{ filter: '[name:' }, 'filter', 'filter: expected a value for "name" at the end'],
    [{ filter: { name: 'x' } }, 'filter', 'filter must be a text'],
    [{ filter: '[shelf:1]', shelf: '2' }, 'filter', 'filter: "shelf" is given twice'],
    [{ shelf: ['1', '2'] }, 'filter', 'shelf is given twice with different values'],
    [{ shelf: 'x'.repeat(maxFilterLength + 1) }, 'filter', 'filter: "shelf" is too long'],
  ])('refuses %j by name', (raw, param, message) => {
    expect(faultOf(() => parse(raw))).toEqual([param, message])
  })

  it('is the inverse of formatListQuery', () => {
    const query = fc.record({
      page: fc.integer({ min: 1, max: 999_999_999 }),
      perPage: fc.constantFrom(-1, 10, 25, 500),
      filters: fc.dictionary(fc.constantFrom('id', 'name', 'shelf'), fc.oneof(text, fc.array(text))),
      sort: fc.option(fc.record({ field: fc.constantFrom('id', 'name'), order: fc.constantFrom('ASC', 'DESC') })),
    })
    fc.assert(
      fc.property(query, (value) => {
        expect(parse(formatListQuery(value))).toEqual(value)
      }),
    )
  })

  it('formatListQuery leaves out absent values', () => {
    expect(formatListQuery({ page: 1, perPage: 25, filters: {}, sort: null })).toEqual({ page: '1', perPage: '25' })
  })
})

describe('listQuery', () => {
  const schema = listQuery(allowed)

  it('yields a list query', () => {
    expect(schema.parse({ page: '2', filter: '{id:[1,2]}' })).toEqual({
      page: 2,
      perPage: 10,
      filters: { id: ['1', '2'] },
      sort: null,
    })
  })
  it('reports an error under its parameter', () => {
    const issues = schema.safeParse({ sort: '[nope,asc]' }).error?.issues
    expect(issues).toMatchObject([{ path: ['sort'], message: 'Unknown sort field "nope"' }])
  })
  it('describes itself for the API page', () => {
    const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
    expect(json).toMatchObject({
      type: 'object',
      properties: {
        page: { type: 'integer' },
        rows: { type: 'integer' },
        perPage: { type: 'integer' },
        filter: { type: 'string', description: expect.stringContaining('id, name, shelf') },
        sort: { type: 'string' },
        filterActive: { type: 'string' },
      },
    })
    expect(json.required).toBeUndefined()
    expect(json.additionalProperties).not.toBe(false)
  })
})

describe('changes of table state', () => {
  const start: ListQuery = { page: 4, perPage: 25, filters: { name: 'a' }, sort: null }

  it('TABLE-021 changing the page size resets to page 1', () => {
    expect(setPerPage(start, 100)).toEqual({ ...start, page: 1, perPage: 100 })
  })
  it('TABLE-018 TABLE-019 clicks on a column sort descending, ascending, descending again', () => {
    const orders: unknown[] = []
    let query = start
    for (let click = 0; click < 3; click++) {
      query = setSort(query, 'name')
      orders.push(query.sort?.order)
    }
    expect(orders).toEqual(['DESC', 'ASC', 'DESC'])
    expect(setSort(setSort(start, 'id'), 'name').sort).toEqual({ field: 'name', order: 'DESC' })
    expect(query.page).toBe(4)
  })
  it('goes to a page, at least the first', () => {
    expect(setPage(start, 7)).toEqual({ ...start, page: 7 })
    expect(setPage(start, 0).page).toBe(1)
  })
  it('does not modify the given state', () => {
    const frozen = Object.freeze({ ...start, filters: Object.freeze({ ...start.filters }) })
    setSort(setPerPage(frozen, 10), 'id')
    expect(frozen).toEqual(start)
  })
})
