import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { configRoutes } from './config.ts'
import { jobRoutes } from './jobs.ts'
import type { Route } from './kit/route.ts'
import { lookupRoutes, lookups, lovTypes, toOption } from './lookups.ts'
import { sessionRoutes } from './session.ts'
import { userRoutes } from './users.ts'

const paths = Object.values(lookups).map(({ path }) => path)

describe('the lookup table', () => {
  it.each([
    ['LOOK-001', 'lovs/CLIENTREQTYPE'],
    ['LOOK-002', 'lovs/SALESTYPE'],
    ['LOOK-003', 'lovs/WEIGHTUOM'],
    ['LOOK-004', 'lovs/HEIGHTUOM'],
    ['LOOK-005', 'lovs/FAMHISTT2D'],
    ['LOOK-006', 'lovs/COLLECTIONMETHOD'],
    ['LOOK-007', 'lovs/RACE'],
    ['LOOK-008', 'lovs/ETHNICITY'],
    ['LOOK-009', 'lovs/SPECIMENTYPE'],
    ['LOOK-010', 'lovs/TEMPERATURETYPE'],
    ['LOOK-011', 'lovs/CONTAINERTYPE'],
    ['LOOK-012', 'lovs/SPECLOCTYPE'],
    ['LOOK-013', 'lovs/SAMPLESIZE'],
    ['LOOK-014', 'lovs/RELATIONTYPE'],
    ['LOOK-015', 'lovs/PAYMENTTYPE'],
    ['LOOK-016', 'lovs/PAYERTYPE'],
    ['LOOK-017', 'lovs/LABQCSTATUS'],
    ['LOOK-018', 'lovs/PORTALPREF'],
    ['LOOK-019', 'lovs/TRANSMITMETHOD'],
    ['LOOK-020', 'lovs/BILLTYPE'],
    ['LOOK-021', 'lovs/REQBILLTYPE'],
    ['LOOK-022', 'lovs/ISSUESTATUS'],
    ['LOOK-023', 'lovs/REPORTNAMEFORMAT'],
    ['LOOK-024', 'lovs/REPORTDELIVERTO'],
    ['LOOK-025', 'lovs/IDPRINTOUT'],
    ['LOOK-026', 'lovs/CURRENCY'],
    ['LOOK-027', 'lovs/BATCHTYPE'],
    ['LOOK-028', 'lovs/LOADFILETYPE'],
    ['LOOK-029', 'lovs/PASSCODE'],
    ['LOOK-030', 'lovs/FAILCODE'],
    ['LOOK-031', 'lovs/LABNOTE'],
    ['LOOK-032', 'lovs/TESTCODE'],
    ['LOOK-033', 'lovs/TESTCOMBO'],
    ['LOOK-034', 'reasons/PASS'],
    ['LOOK-035', 'reasons/FAIL'],
    ['LOOK-036', 'labs'],
    ['LOOK-037', 'countries'],
    ['LOOK-038', 'states'],
    ['LOOK-039', 'collaborators'],
    ['LOOK-040', 'sales'],
    ['LOOK-042', 'flags'],
    ['LOOK-043', 'depts'],
    ['LOOK-044', 'issue_types'],
    ['LOOK-045', 'req_status_types'],
    ['LOOK-046', 'lab_note_types'],
    ['LOOK-047', 'ins_co'],
    ['LOOK-048', 'icds'],
    ['LOOK-049', 'default_tests'],
    ['LOOK-050', 'programs'],
    ['LOOK-051', 'roles'],
    ['LOOK-052', 'clients'],
    ['LOOK-053', 'physicians'],
    ['LOOK-054', 'filter_dd/clients'],
    ['LOOK-055', 'filter_dd/physicians'],
    ['LOOK-056', 'clients/:id/labs'],
    ['LOOK-057', 'clients/:id/physicians'],
    ['LOOK-058', 'clients/:id/events'],
    ['LOOK-059', 'countries/:id/states'],
    ['LOOK-060', 'labs/:labId/dd_freezer'],
    ['LOOK-061', 'labs/:labId/dd_freezer/:freezer/dd_shelf'],
    ['LOOK-062', 'labs/:labId/dd_freezer/:freezer/dd_shelf/:shelf/dd_rack'],
    ['LOOK-063', 'labs/:labId/dd_freezer/:freezer/dd_shelf/:shelf/dd_rack/:rack/dd_box'],
  ])('%s has %s, once', (_id, path) => {
    expect(paths.filter((known) => known === path)).toHaveLength(1)
  })

  it('has the forty-three lists of codes, each once', () => {
    expect([lovTypes.length, new Set(lovTypes).size]).toEqual([43, 43])
  })

  it('LOOK-036 LOOK-037 LOOK-038 LOOK-039 LOOK-043 uses the field names of the specification', () => {
    const { labs, countries, states, collaborators, depts, flags } = lookups
    expect([labs, countries, states, collaborators, depts, flags].map(({ label }) => label[0])).toEqual([
      'labName',
      'countryLongName',
      'stateLongname',
      'colaName',
      'deptName',
      'flagDesc',
    ])
    expect(Object.keys(depts.row.shape)).toContain('deptCode')
  })

  it('turns rows into options', () => {
    const race = { code: 'NA', description: 'Not answered', sortOrder: 1, isDefault: 1, shortKeyCode: 'N' }
    expect(toOption(lookups.race, race)).toEqual({ value: 'NA', label: 'Not answered', shortKeyCode: 'N' })
    const physician = { id: 4, physFirstName: 'Ann', physLastName: 'Lee' }
    expect(toOption(lookups.physicians, physician)).toEqual({ value: 4, label: 'Ann Lee' })
  })
})

describe('the lookup calls', () => {
  it('serve every lookup that belongs to no other resource, for registered roles', () => {
    const served = Object.values(lookupRoutes).map(({ path }) => path)
    const owned = /^(collaborators|sales|clients|physicians|filter_dd|labs\/)/
    const expected = paths.filter((path) => !path.startsWith('lovs/') && !owned.test(path))
    expect(served.toSorted()).toEqual([...expected, 'lovs/:type'].toSorted())
    expect(new Set(Object.values(lookupRoutes).map(({ access }) => access))).toEqual(new Set(['lookups.read']))
  })

  it('TABLE-025 return the whole list unless a page is requested', () => {
    expect(lookupRoutes.labs.query.parse({}).perPage).toBe(-1)
    expect(lookupRoutes.icds.query.parse({ perPage: '-1' }).perPage).toBe(-1)
    expect(lookupRoutes.icds.query.parse({}).perPage).toBe(25)
  })

  it('TABLE-106 read many by their ids, and refuse an unknown field', () => {
    expect(lookupRoutes.labs.query.parse({ filter: '{id:[1,2]}' }).filters).toEqual({ id: ['1', '2'] })
    expect(lookupRoutes.labs.query.safeParse({ filter: '[q:x]' }).error?.issues[0]?.message).toBe(
      'Unknown filter field "q"',
    )
    expect(lookupRoutes.icds.query.parse({ filter: '[q:E11]' }).filters).toEqual({ q: 'E11' })
  })

  it('have fixed types of code lists', () => {
    expect(lookupRoutes.lovs.params.safeParse({ type: 'RACE' }).success).toBe(true)
    expect(lookupRoutes.lovs.params.safeParse({ type: 'race' }).success).toBe(false)
  })
})

describe('every route of the contract', () => {
  const routes: Route[] = [lookupRoutes, sessionRoutes, userRoutes, configRoutes, jobRoutes].flatMap((group) =>
    Object.values(group),
  )

  it.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s can be documented',
    (_, route) => {
      for (const schema of [route.params, route.query, route.body]) {
        if (schema) expect(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).type).toBe('object')
      }
      expect(z.toJSONSchema(route.reply, { unrepresentable: 'any' }).type).toBe('object')
    },
  )

  it('has exactly the params of its path', () => {
    const faults = routes.filter(({ path, params }) => {
      const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name)
      const inParams = params instanceof z.ZodObject ? Object.keys(params.shape) : []
      return inPath.join() !== inParams.join()
    })
    expect(faults.map(({ path }) => path)).toEqual([])
  })

  it('has a unique method and path', () => {
    const names = routes.map(({ method, path }) => `${method} ${path}`)
    expect(new Set(names).size).toBe(names.length)
  })
})
