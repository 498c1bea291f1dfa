import { describe, expect, it } from 'vitest'
import { queuedFileNotice } from './queued-file.ts'

describe('a queued file', () => {
  it.each([
    [{ ahead: 0 }, 'Your file is next. It will be made as soon as another one is ready.'],
    [{ ahead: 1 }, 'Your file is waiting for 1 other. It will be made without further action.'],
    [{ ahead: 4 }, 'Your file is waiting for 4 others. It will be made without further action.'],
  ])('is announced to the user: %j', (data, message) => {
    expect(queuedFileNotice(data)).toEqual({ type: 'info', message })
  })

  it('is not announced after a gap in the stream', () => {
    expect(queuedFileNotice(null)).toBe(null)
  })
})
