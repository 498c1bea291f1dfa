import { describe, expect, it } from 'vitest'
import { reportFailure, reportUrl } from './report-outcome.ts'

describe('the download of a report', () => {
  it('DELIV-51 gives the URL to open', () => {
    expect(reportUrl({ data: { url: 'https://store/x' }, message: '' })).toBe('https://store/x')
  })

  it('a timeout says that the server took too long', () => {
    expect(reportFailure(new Error('aborted'), true)).toBe(
      'The server took too long to respond. Please try again later.',
    )
  })

  it('a reply without a URL shows its message', () => {
    expect(() => reportUrl({ data: null, message: 'No file' })).toThrow('No file')
    expect(() => reportUrl({ data: {}, message: '' })).toThrow('Could not find download URL in server response')
  })

  it("any other failure shows the server's message", () => {
    expect(reportFailure(new Error('Report a.pdf has not been released'), false)).toBe(
      'Report a.pdf has not been released',
    )
  })
})
