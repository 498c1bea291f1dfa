import { routeName, showsPatientData } from '@lis/contract/access/patient-data.ts'
import { download, exported } from '@lis/contract/kit/envelope.ts'
import type { Route } from '@lis/contract/kit/route.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp, type Reply } from '../../../test/app.ts'
import { makeWorld, mark, recordsOf, type World } from '../../../test/authorization/world.ts'
import { modules } from '../../app.ts'

const test = openTestApp()
let admin: Caller
let world: World
let labId: number
beforeAll(async () => {
  admin = await test.as('ADM')
  labId = (await test.given.lab()).id
  world = await makeWorld(test, mark.own, labId)
})

const routes: Route[] = modules.flatMap((module) => Object.values(module.routes))
const nameOf = (route: Route) => `${route.method} ${routeName(route)}`
const marked = routes.filter(showsPatientData)

/** Files without a patient in them; every other file must say that it shows patient data. */
const otherFiles = [
  'GET users/export',
  'GET clients/export',
  'GET physicians/export',
  'GET sales/export',
  'GET clients/{id}/docs/{recordId}/download',
  'GET bulk_csv_uploader/templates/{loadFileTypeCode}',
  'GET bulk_report_uploader/{id}/failed',
]

/** What a call needs beyond the numbers in its address. */
interface Special {
  query?: string
  body?: object
  /** Values of parameters that the address does not tell. */
  params?: Record<string, string | number>
  /** Makes what the call is about. */
  before?: () => Promise<Record<string, string | number> | undefined>
  /** Whom the row must name; the requisition of the world unless told. */
  names?: 'patient' | 'nobody'
}

const period = 'fromDate=2020-01-01&toDate=2030-01-01'
const report = async (path: string) => {
  const [one] = (await admin.get(path)).body.data as { reportCode: string }[]
  return one?.reportCode ?? ''
}

const specials: Record<string, () => Special> = {}

const call = async (route: Route): Promise<Reply> => {
  const special = specials[nameOf(route)]?.() ?? {}
  const made = { ...special.params, ...(await special.before?.()) }
  const records = recordsOf(world, route.path.split('/')[0] ?? '', 0)
  const segments = route.path.split('/')
  const path = segments
    .map((segment, index) => {
      const name = /^:(\w+)/.exec(segment)?.[1]
      if (!name) return segment
      return String(made[name] ?? records[segments[index - 1] ?? ''] ?? 'missing')
    })
    .join('/')
  const address = special.query ? `${path}?${special.query}` : path
  if (route.method === 'GET') return admin.get(address)
  return { POST: admin.post, PUT: admin.put, DELETE: admin.del }[route.method](address, special.body ?? {})
}

describe('every call that shows patient data', () => {
  it('SOUT-11 is marked in the OpenAPI document, files among them', async () => {
    const { body } = await admin.get('openapi.json')
    const shown = marked.map(nameOf).sort()
    const found = Object.entries(body.paths as Record<string, Record<string, Record<string, unknown>>>).flatMap(
      ([path, methods]) =>
        Object.entries(methods)
          .filter(([, operation]) => operation['x-patient-data'] === true)
          .map(([method]) => `${method.toUpperCase()} ${path.slice(1)}`),
    )
    expect(found.sort()).toEqual([...new Set(shown)])
    const files = routes.filter(({ reply }) => reply === download || reply === exported)
    expect(files.filter((route) => !showsPatientData(route)).map(nameOf)).toEqual(otherFiles)
  })

  it.each(marked.map((route) => ({ name: nameOf(route), route })))(
    'SOUT-11 $name leaves its row',
    async ({ route }) => {
      const { status, headers, body } = await call(route)
      expect(status, JSON.stringify(body)).toBe(200)
      await test.services.accessLog.flush()
      const { rows } = await test.database.owner.query('select * from access_log where request_id = $1', [
        headers['x-request-id'],
      ])
      expect(rows).toMatchObject([
        { user_id: admin.userId, user_role_code: 'ADM', method: route.method, route: routeName(route) },
      ])
      const { names } = specials[nameOf(route)]?.() ?? {}
      if (names === 'nobody') return
      if (names !== 'patient') expect(rows[0].requisition_ids).toContain(world.reqId)
      expect(rows[0].patient_ids).toContain(world.patientId)
    },
  )
})
