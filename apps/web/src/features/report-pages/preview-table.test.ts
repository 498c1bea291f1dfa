import type { ReportColumn } from '@lis/contract/reports-pages.ts'
import { expect, it } from 'vitest'
import { cellText } from './preview-table.tsx'

const column = (name: string, type: ReportColumn['type']) => ({ name, header: name, type }) as ReportColumn

it('the preview of a report shows days, birth dates and moments as every other table does', () => {
  expect(cellText(column('reportedDay', 'date'), '2026-11-08')).toBe('11/08/26')
  expect(cellText(column('patientDob', 'date'), '1948-01-12')).toBe('01/12/1948')
  expect(cellText(column('releasedAt', 'datetime'), '2026-11-08T07:05:00 PST')).toBe('11/08/26 07:05 PST')
})
