import { describe, expect, it } from 'vitest'
import { downloadFailure, downloadOutcome, exportFailure, exportOutcome } from './download-outcome.ts'

const notice = { type: 'info', message: 'If download failed, please click here', url: '/file' }

describe('exports', () => {
  it.each([
    { retval: 'SUCCESS', data: { url: '/file', exportUrl: '/file' } },
    { retval: 'SUCCESS', url: '/file' },
    { data: { exportUrl: '/file' } },
  ])('TABLE-045 TABLE-046 TABLE-130 find the file in %j', (reply) => expect(exportOutcome(reply)).toEqual(notice))

  it('TABLE-041 an empty list is an info notice', () => {
    const empty = { type: 'info', message: 'No matching records found for export' }
    expect(exportOutcome({ retval: 'EMPTY', data: null, message: 'No matching records found for export' })).toEqual(
      empty,
    )
  })
  it.each([null, undefined, {}, 'text', { data: { url: 7 } }])('TABLE-042 %j is an unexpected response', (reply) =>
    expect(exportOutcome(reply)).toEqual({
      type: 'warning',
      message: 'Export failed with unexpected response format',
    }),
  )
  it("without a URL the server's message is shown as an error", () => {
    expect(exportOutcome({ data: null, message: 'Busy' })).toEqual({ type: 'error', message: 'Busy' })
  })
  it('TABLE-043 TABLE-044 a failure shows its message, or a general one', () => {
    expect(exportFailure(new Error('Too many')).message).toBe('Too many')
    expect(exportFailure(new Error('')).message).toBe('Export failed')
    expect(exportFailure(new Error('Unknown Error')).message).toBe('Export failed')
  })
})

describe('other downloads', () => {
  it('TABLE-130 TABLE-131 offer the file', () => expect(downloadOutcome({ data: { url: '/file' } })).toEqual(notice))
  it("BLG-132 keep the server's remark about the file", () =>
    expect(downloadOutcome({ data: { url: '/file' }, message: 'Billing batch 7 not found' })).toEqual({
      ...notice,
      remark: 'Billing batch 7 not found',
    }))
  it('a missing URL shows the message, or that it is missing', () => {
    expect(downloadOutcome({ message: 'No report' })).toEqual({ type: 'error', message: 'No report' })
    expect(downloadOutcome({}).message).toBe('Could not find download URL in server response')
  })
  it('a failure is an error, with its message or the general one', () => {
    expect(downloadFailure(new Error('Gone'))).toMatchObject({ type: 'error', message: 'Gone' })
    expect(downloadFailure({}).message).toBe('Error during download process. Please try again later.')
  })
})
