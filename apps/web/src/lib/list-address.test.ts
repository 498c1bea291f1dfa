import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ListChange,
  listDefaults,
  readListAddress,
  type SmartFilterEntry,
  toListQuery,
  withFilter,
  writeListAddress,
} from './list-address.ts'

const read = (text: string) => readListAddress(new URLSearchParams(text), listDefaults)
const write = (text: string, change: ListChange) => writeListAddress(new URLSearchParams(text), change).toString()
const client: SmartFilterEntry = { id: 'clientId', value: ['4', '7'], viewValue: 'Acme, Northfen' }

const text = fc.string({ minLength: 1, unit: 'binary' })
const entries: fc.Arbitrary<SmartFilterEntry[]> = fc.uniqueArray(
  fc.record({ id: text, value: fc.oneof(text, fc.array(text, { minLength: 1 })), viewValue: fc.string() }),
  { selector: ({ id }) => id },
)
const changes = fc.record({
  page: fc.integer({ min: 1, max: 99_999 }),
  perPage: fc.constantFrom(...listDefaults.perPageOptions),
  sort: fc.option(
    fc.record({ field: fc.stringMatching(/^[a-zA-Z]\w*$/), order: fc.constantFrom('ASC' as const, 'DESC' as const) }),
  ),
  filters: entries,
})

describe('the list address', () => {
  it('TABLE-012 TABLE-015 VIEW-28 an empty address is page 1 with ten rows in the default order', () => {
    expect(read('')).toEqual({ page: 1, perPage: 10, sort: null, filters: [], isFilterBroken: false })
  })

  it('VIEW-29 VIEW-30 whatever is written can be read again, through a real URL', () => {
    fc.assert(
      fc.property(changes, (change) => {
        const address = new URL(`http://lis/users?${write('', change)}`).searchParams
        expect(readListAddress(address, listDefaults)).toEqual({ ...change, isFilterBroken: false })
      }),
    )
  })

  it('never throws, and never gives an invalid page or page size', () => {
    const anything = fc.dictionary(fc.constantFrom('page', 'perPage', 'sort', 'smartFilter', 'x'), fc.string())
    fc.assert(
      fc.property(anything, (params) => {
        const address = readListAddress(new URLSearchParams(params), listDefaults)
        expect(address.page).toBeGreaterThanOrEqual(1)
        expect(listDefaults.perPageOptions).toContain(address.perPage)
      }),
    )
  })

  it.each(['{', '{"id":1}', '[1]', '[{"id":""}]', '[{"id":"a","value":{}}]', '[{"id":"a"}]', '"text"', 'null'])(
    'reports smartFilter %s as broken, and filters by nothing',
    (smartFilter) => {
      const address = readListAddress(new URLSearchParams({ smartFilter }), listDefaults)
      expect(address).toMatchObject({ filters: [], isFilterBroken: true })
    },
  )

  it('reads bare numbers, and shows the value if there is no display value', () => {
    const smartFilter = JSON.stringify([{ id: 'clientId', value: [4, '7'] }])
    expect(readListAddress(new URLSearchParams({ smartFilter }), listDefaults).filters).toEqual([
      { id: 'clientId', value: ['4', '7'], viewValue: '4, 7' },
    ])
  })

  it('TABLE-020 TABLE-021 a change of filter, page size or status goes back to page 1', () => {
    expect(write('page=3', { perPage: 25 })).toBe('perPage=25')
    expect(write('page=3', { filters: [client] })).not.toContain('page=')
    expect(write('page=3&status=LOG', { params: { status: 'ACC' } })).toBe('status=ACC')
  })

  it('a change of page or order keeps the rest', () => {
    expect(write('tab=2&perPage=25&page=3', { page: 4 })).toBe('tab=2&perPage=25&page=4')
    expect(write('page=3', { sort: { field: 'id', order: 'DESC' } })).toBe('page=3&sort=%5Bid%2CDESC%5D')
  })

  it('removes parameters that are no longer needed', () => {
    const full = write('', { filters: [client], sort: { field: 'id', order: 'ASC' }, page: 2 })
    expect(write(full, { filters: [], sort: null })).toBe('')
  })

  it('sends only field and value to the server', () => {
    const address = { ...read('page=2'), filters: [client] }
    expect(toListQuery(address)).toEqual({ page: 2, perPage: 10, sort: null, filters: { clientId: ['4', '7'] } })
  })

  it('replaces a filter in its position and removes it when it is empty', () => {
    const other = { id: 'search', value: 'x', viewValue: 'x' }
    const changed = { ...client, value: ['9'] }
    expect(withFilter([client, other], changed)).toEqual([changed, other])
    expect(withFilter([client], other)).toEqual([client, other])
    expect(withFilter([client, other], { ...client, value: [] })).toEqual([other])
  })
})
