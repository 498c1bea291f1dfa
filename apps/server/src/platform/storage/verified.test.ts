import { expect, it } from 'vitest'
import { openLog } from '../log.ts'
import { FileAlarm } from './verified.ts'

it('logs every changed file at error level with a fixed code, also when reporting it fails', async () => {
  const lines: Record<string, unknown>[] = []
  const log = openLog('error', { write: (line) => void lines.push(JSON.parse(line)) })
  const alarm = new FileAlarm(log, async () => {
    throw new Error('no database')
  })
  await alarm.onChanged('requisitions/1/a.pdf')
  expect(alarm.count).toBe(1)
  expect(lines).toMatchObject([
    { level: 50, code: 'FILE_CHANGED', key: 'requisitions/1/a.pdf' },
    { level: 50, msg: 'a changed file could not be reported' },
  ])
})
