import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const web = join(import.meta.dirname, '..')

/** Code that would format a time in the browser's zone, or in another format. */
const otherClocks =
  /toLocale(Date|Time)String|Intl\.DateTimeFormat|\.get(Hours|Minutes|Day)\(|\.toFormat\(|toLocaleString\(DateTime|resolvedOptions/

/** The formatter itself, and the calendar, whose days have no time. */
const allowed = ['lib/formats.ts', 'ui/form/calendar.tsx']

it('TABLE-086 TABLE-G17 every screen formats times with the one formatter, which requires a zone', () => {
  const files = readdirSync(web, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file) && !allowed.includes(file))
  expect(files.length).toBeGreaterThan(100)
  expect(files.filter((file) => otherClocks.test(readFileSync(join(web, file), 'utf8')))).toEqual([])
})
