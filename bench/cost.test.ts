import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { type BesideRow, measureBeside, printBeside } from './beside.ts'
import { type CostRow, costLine, isTooExpensive, printCost, writeCost } from './cost.ts'
import { costCalls } from './cost-calls.ts'
import { printCostParts, sharesOf } from './cost-parts.ts'
import { printVerdict } from './report.ts'

const folder = mkdtempSync(join(tmpdir(), 'lis-cost-'))
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const printed = (print: () => void): string[] => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  print()
  return log.mock.calls.flatMap(([text]) => String(text).split('\n'))
}
const words = (line = '') => line.split(/ {2,}/).filter(Boolean)

/** A table in which every call costs as many units as given. */
const table = (units: number): CostRow[] =>
  costCalls.map(({ name, most = null }) => ({ name, server: units * 0.25, database: units * 0.5, units, most }))
const noProfile = { startTime: 0, samples: [], timeDeltas: [], nodes: [] }
const parts = { server: sharesOf(noProfile, 0, 1), database: { plan: 9, rows: 2, json: 1 } }

describe('the table of costs', () => {
  it('SCALE-07 has a row for each call, with the most that it may cost, and ends with code 1 over a limit', () => {
    const lines = printed(() => printCost(10_000, table(2.5)))
    expect(lines[1]).toBe('cost, 10,000 requisitions, processor time per call, 8 at once')
    expect(lines[2]?.split(/ +/).join(' ')).toBe('call server ms database ms units most')
    expect(lines.slice(3).map(words)).toEqual([
      ['healthz', '0.625', '1.250', '2.5'],
      ['lookup', '0.625', '1.250', '2.5', '2.5'],
      ['status_count', '0.625', '1.250', '2.5', '4'],
      ['list', '0.625', '1.250', '2.5', '8'],
      ['requisition', '0.625', '1.250', '2.5', '4'],
      ['clients', '0.625', '1.250', '2.5', '5'],
      ['save', '0.625', '1.250', '2.5'],
      ['bulk move', '0.625', '1.250', '2.5'],
      ['sign-in', '0.625', '1.250', '2.5'],
      ['export row', '0.625', '1.250', '2.5'],
    ])
    vi.restoreAllMocks()
    const missed = table(4.5).filter(isTooExpensive)
    expect(missed.map(({ name }) => name)).toEqual(['lookup', 'status_count', 'requisition'])
    let code: number | undefined
    const verdict = printed(() => {
      code = printVerdict(missed.map(costLine))
    })
    expect([verdict[1], verdict.length, code]).toEqual(['Over a limit:', 5, 1])
    expect(printVerdict([])).toBe(0)
  })

  it('SCALE-07 is written as JSON with where the time goes, and with the other server if there is one', () => {
    const file = join(folder, 'cost.json')
    const beside: BesideRow[] = [{ name: 'list of 25', ours: 400, beside: 100, ratio: 4 }]
    const written = () => JSON.parse(readFileSync(file, 'utf8'))
    writeCost(file, { size: 10_000, rows: table(1), parts, beside: null })
    expect(written()).toEqual({ requisitions: 10_000, at: expect.any(String), rows: table(1), parts })
    writeCost(file, { size: 10_000, rows: table(1), parts, beside })
    expect(written().beside).toEqual(beside)
  })
})

describe('where the time goes', () => {
  it('SCALE-07 names session, scope, plan, rows, JSON and writing, also those without a sample', () => {
    const text = printed(() => printCostParts(parts)).join('\n')
    for (const part of ['session', 'scope', 'rows', 'JSON', 'reading', 'writing'])
      expect(text).toMatch(new RegExp(`^server: .*\\b${part} 0 %`, 'm'))
    expect(text).toMatch(/^database: plan 9\.00 ms once, rows 2\.00 ms, JSON 1\.00 ms$/m)
  })

  it('SCALE-07 tells writing to a socket from reading of it', () => {
    const frames: [functionName: string, url: string][] = [
      ['(root)', ''],
      ['onStreamRead', 'node:internal/stream_base_commons'],
      ['Readable.push', 'node:internal/streams/readable'],
      ['writeGeneric', 'node:internal/stream_base_commons'],
      ['writeUtf8String', ''],
      ['findSession', 'file:///lis/apps/server/src/platform/auth/sessions.ts'],
      ['writeSetting', 'file:///lis/apps/server/seeds/settings.ts'],
      ['Socket._unrefTimer', 'node:net'],
    ]
    const children: Record<number, number[]> = { 0: [1, 3, 5, 6], 1: [2, 7], 3: [4] }
    const nodes = frames.map(([functionName, url], id) => ({
      id,
      callFrame: { functionName, url },
      ...(children[id] && { children: children[id] }),
    }))
    const samples = [7, 1, 2, 3, 4, 4, 4, 5, 5, 6]
    const shares = sharesOf({ startTime: 0, samples, timeDeltas: samples.map(() => 10), nodes }, 0, 100)
    expect(shares).toMatchObject({ reading: 0.3, writing: 0.4, session: 0.2, scope: 0, rows: 0, JSON: 0 })
  })
})

/** Answers every call with what is given for its address. */
const openServer = async (replies: Record<string, unknown>) => {
  const asked = new Set<string>()
  const server = createServer(({ url = '', headers }, reply) => {
    asked.add(`${url} ${headers.authorization}`)
    reply.statusCode = url in replies ? 200 : 404
    reply.end(JSON.stringify(replies[url] ?? null))
  })
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done)
  })
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}`, asked, close }
}

describe('--beside', () => {
  it('SCALE-07 gives the calls per second of both and their ratio, for a list of 25 and for one by its id', async () => {
    const lis = await openServer({ '/requisitions/ALL?page=1&perPage=25': {}, '/requisitions/7': {} })
    const list = '/fhir/R4/ServiceRequest?_count=25'
    const one = '/fhir/R4/ServiceRequest/abc'
    const medplum = await openServer({ [list]: { entry: [{ resource: { id: 'abc' } }] }, [one]: {} })
    try {
      const ours = { api: lis.url, headers: { authorization: 'Bearer mine' }, ids: [7, 8] }
      const rows = await measureBeside(ours, { url: `${medplum.url}/`, token: 'theirs' }, 1)
      expect(rows.map(({ name }) => name)).toEqual(['list of 25', 'one by id'])
      for (const row of rows) {
        expect(Math.min(row.ours, row.beside)).toBeGreaterThan(0)
        expect(row.ratio).toBeCloseTo(row.ours / row.beside)
      }
      expect([...medplum.asked]).toEqual([`${list} Bearer theirs`, `${one} Bearer theirs`])
      expect([...lis.asked].every((call) => call.endsWith(' Bearer mine'))).toBe(true)
      const lines = printed(() => printBeside(medplum.url, rows))
      expect([words(lines[2]), ...lines.slice(3).map((line) => words(line).length)]).toEqual([
        ['call', 'ours', 'beside', 'ratio'],
        4,
        4,
      ])
    } finally {
      lis.close()
      medplum.close()
    }
  })
})
