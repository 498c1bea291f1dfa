import type { InterfaceMessageDetail } from '@lis/contract/interfaces.ts'
import { describe, expect, it } from 'vitest'
import { offersOf } from './offers.ts'

const held = (sameCauseCount: number, ...codes: string[]) =>
  ({
    sameCauseCount,
    problems: codes.map((code) => ({ code, path: '', value: '', message: '' })),
  }) as unknown as InterfaceMessageDetail
const undecided = { codes: {}, physId: null, patient: null }
const mapped = { ...undecided, codes: { GLYHB: 'test-14' } }

describe('IFC-05 the buttons of a held message', () => {
  it('map a code for every message that has it', () => {
    expect(offersOf(held(2, 'UNKNOWN_TEST'), mapped)).toEqual({
      main: { label: 'Map and reprocess 3', alsoSame: true },
      second: { label: 'Only this', alsoSame: false },
    })
    expect(offersOf(held(0, 'UNKNOWN_TEST'), mapped)).toEqual({
      main: { label: 'Map and reprocess', alsoSame: false },
      second: null,
    })
  })

  it('approve this message only, and all of them by a button that says so', () => {
    const second = { label: 'Approve all 3', alsoSame: true }
    expect(offersOf(held(2, 'NEEDS_APPROVAL'), undecided)).toEqual({
      main: { label: 'Approve', alsoSame: false },
      second,
    })
    expect(offersOf(held(2, 'UNKNOWN_TEST', 'NEEDS_APPROVAL'), mapped)).toEqual({
      main: { label: 'Map and reprocess', alsoSame: false },
      second,
    })
  })
})
