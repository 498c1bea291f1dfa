import { describe, expect, it } from 'vitest'
import { waitingNotice } from './waiting-file.ts'

describe('a file that waits for its turn', () => {
  it.each([
    [{ ahead: 0 }, 'Your file is next. It will be made as soon as another one is ready.'],
    [{ ahead: 1 }, 'Your file is waiting for 1 other. It will be made without further action.'],
    [{ ahead: 4 }, 'Your file is waiting for 4 others. It will be made without further action.'],
  ])('is told to the person who waits for it: %j', (data, message) => {
    expect(waitingNotice(data)).toEqual({ type: 'info', message })
  })

  it('is not told of after a gap in the stream', () => {
    expect(waitingNotice(null)).toBe(null)
  })
})
