import { describe, expect, it } from 'vitest'
import { adHocForm, periodError, reportTabOf, reportTabs } from './reports-pages.ts'

describe('reports pages', () => {
  it('REP-05..REP-08 have three tabs; an unknown slug opens the first (REP-G4)', () => {
    expect(reportTabs).toEqual({
      qaReports: 'QA Reports',
      adHocReports: 'Misc Reports',
      summaryReports: 'Summary Reports',
    })
    expect([undefined, 'toString', 'nothing', 'summaryReports'].map(reportTabOf)).toEqual([
      'qaReports',
      'qaReports',
      'qaReports',
      'summaryReports',
    ])
  })

  it('REP-17 read a comma-separated list: blanks and repeats are dropped, anything but numbers is refused (REP-G9)', () => {
    const read = (reqIds: string) => adHocForm.safeParse({ colaId: 1, reqIds })
    expect(read(' 1000001, ,1000002,1000001,').data?.reqIds).toEqual([1000001, 1000002])
    const messageOf = (text: string) => read(text).error?.issues[0]?.message
    expect(messageOf('1, two')).toBe('Requisition(s) must be numbers separated by commas')
    expect(messageOf(' , ')).toBe('Requisition(s) is required')
  })

  it('REP-G3 refuse a reversed period and one of more than ten years', () => {
    expect(periodError('2026-01-02', '2026-01-01')).toBe('Date From cannot be after Date To')
    expect(periodError('2016-01-01', '2026-01-01')).toBeNull()
    expect(periodError('2016-01-01', '2026-01-02')).toBe('The period can be at most 10 years')
  })
})
