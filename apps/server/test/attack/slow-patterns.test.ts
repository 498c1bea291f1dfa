import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { datesIn, labelledDates } from '../../src/modules/guard/guard-dates.ts'
import { compareName, fold, statedNames } from '../../src/modules/guard/guard-names.ts'
import { compareWithRecord, describeContent } from '../../src/modules/guard/service.ts'
import { modules } from '../../src/modules.ts'
import { exactFor, placesOf, withChange } from '../authorization/fuzz-exact.ts'
import type { JsonSchema } from '../authorization/fuzz-values.ts'

/** Texts that make a pattern backtrack from every position: long runs with a wrong end. */
const long = 60_000
const evil = [
  `${'1'.repeat(long)}x`,
  `${'a'.repeat(long)}!`,
  `${' '.repeat(long)}x`,
  `${'a@'.repeat(long / 2)}`,
  `${'a.'.repeat(long / 2)}@`,
  `${'1-'.repeat(long / 2)}`,
  `${'['.repeat(long)}`,
  `${'A/'.repeat(long / 2)}!`,
]

/** Of processor time: a pattern with quadratic time takes seconds for such a text, one with linear time less than a hundredth of that. */
const limitMs = 1000
const timed = (what: string, run: () => unknown) => {
  const before = process.threadCpuUsage()
  run()
  const used = process.threadCpuUsage(before)
  const ms = (used.user + used.system) / 1000
  expect(ms < limitMs, `${what}: ${Math.round(ms)} ms`).toBe(true)
}

const routes = modules.flatMap((module) => Object.values(module.routes))

describe('every pattern takes linear time', () => {
  it('in any place of any body', () => {
    for (const { method, path, body } of routes) {
      if (!body) continue
      const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as JsonSchema
      const right = exactFor(schema, '', {})
      for (const place of placesOf(right))
        for (const text of evil)
          timed(`${method} ${path} ${place.join('.')} ${text.slice(0, 3)}`, () =>
            body.safeParse(withChange(right, place, text)),
          )
    }
  })

  it('in any parameter of an address', () => {
    const short = evil.map((text) => text.slice(-19_000))
    for (const { method, path, query, params } of routes)
      for (const schema of [query, params])
        for (const text of schema ? short : [])
          for (const name of Object.keys(((schema as z.ZodObject).shape ?? { filter: 1, sort: 1 }) as object))
            timed(`${method} ${path} ${name} ${text.slice(0, 3)}`, () => schema?.safeParse({ [name]: text }))
    const lists = [
      `[${'a:1,'.repeat(4000)}`,
      `{${'"a":['.repeat(3000)}`,
      `[${'a:['.repeat(5000)}`,
      `["${'\\"'.repeat(9000)}`,
    ]
    const list = routes.find(({ path, method }) => path === 'clients' && method === 'GET')
    for (const text of lists)
      for (const name of ['filter', 'sort'])
        timed(`list ${name} ${text.slice(0, 6)}`, () => list?.query?.safeParse({ [name]: text }))
  })

  it('in what a scanned page says', () => {
    const person = { firstName: 'Ann Mary Lou', middleName: 'B', lastName: "O'Brien-Smith" }
    const lines = [
      `REQ${'\u00a0'.repeat(5000)}x`,
      `REQ ID${'\t'.repeat(5000)}x`,
      `REQUISITION ${'# '.repeat(5000)}x`,
      'ANN '.repeat(15_000),
      `PATIENT NAME${' '.repeat(long)}`,
      'PATIENT '.repeat(8000),
      `1JAN${'A'.repeat(long)}`,
      '1 JAN '.repeat(10_000),
      `JAN${','.repeat(long)}`,
      'D.O.B '.repeat(3000),
      '1/1/'.repeat(15_000),
    ]
    const record = { ...person, reqId: 1_000_001, dob: '1980-02-03', extIds: [] }
    for (const line of lines) {
      const content = { lines: [line], barCodes: [], unreadPages: 0, fault: null }
      timed(`all of ${line.slice(0, 8)}`, () => [
        compareWithRecord(content, record, new Set()),
        describeContent(content, new Set()),
      ])
      timed(`dates of ${line.slice(0, 8)}`, () => [datesIn(line), labelledDates([line])])
      timed(`names of ${line.slice(0, 8)}`, () => [fold(line), statedNames([line]), compareName([line], person)])
    }
  })

  it('in as much text of a file as is read', () => {
    const record = {
      reqId: 1_000_001,
      firstName: 'Ann',
      middleName: 'B',
      lastName: 'Lee',
      dob: '1961-05-06',
      extIds: [],
    }
    for (const words of [
      'DOB ',
      'DOB 1 ',
      'DOB: 1/2/1960 ',
      'REQ ',
      'REQ\t',
      'REQ NO: # ',
      'PATIENT: ',
      'ANN ',
      '12345 ',
    ]) {
      const line = words.repeat(5000).slice(0, 5000)
      const content = { lines: Array<string>(50).fill(line), barCodes: [], unreadPages: 0, fault: null }
      timed(`pages of ${words}`, () => [
        compareWithRecord(content, record, new Set()),
        describeContent(content, new Set()),
      ])
    }
  })
})
