import { expect, it } from 'vitest'
import { refusalOf } from '../../ui/upload/file-rules.ts'
import { csvFileRules } from './csv-file-rules.ts'

it('a file of another kind is refused with what to do', () => {
  const refusal = (name: string) => refusalOf({ name, size: 9 }, csvFileRules)
  expect(refusal('orders.CSV')).toBeUndefined()
  for (const name of ['orders.xlsx', 'ORDERS.XLS']) expect(refusal(name)).toBe('This is an Excel file; save it as CSV')
  expect(refusal('orders.ods')).toBe('This is a spreadsheet; save it as CSV')
  expect(refusal('orders.zip')).toBe('This is a ZIP file; unpack it and choose the CSV file in it')
  expect(refusal('orders.pdf')).toBe('This is a PDF; a CSV file is needed')
  for (const name of ['orders.png', 'IMG_1.HEIC']) expect(refusal(name)).toBe('This is an image; a CSV file is needed')
  expect(refusal('orders.doc')).toBe('Only CSV files are accepted')
})
