import { describe, expect, it } from 'vitest'
import { lookupRequest } from './lookup-request.ts'

describe('reading a lookup', () => {
  it('fills in the path parameters and reads the whole list', () => {
    expect(lookupRequest('countryStates', { id: 3 })).toEqual({ path: 'countries/3/states', query: { perPage: -1 } })
    expect(lookupRequest('shelves', { labId: 1, freezer: 'A/1' }).path).toBe('labs/1/dd_freezer/A%2F1/dd_shelf')
  })
  it('sends other parameters as filters', () => {
    expect(lookupRequest('passReasons', { scope: ['REQ', 'BOTH'] }).query).toEqual({
      perPage: -1,
      filter: '[scope:[REQ,BOTH]]',
    })
  })
  it('searches long lists on the server, a page at a time', () => {
    expect(lookupRequest('icds', {}, 'type 2').query).toEqual({ perPage: 25, filter: '[q:type 2]' })
    expect(lookupRequest('clients', {}, '').query).toEqual({ perPage: 25 })
  })
})
