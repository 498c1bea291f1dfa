import { can } from '@lis/contract/access/permissions.ts'
import { roles } from '@lis/contract/access/roles.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'

const test = openTestApp()
let staff: Caller
/** Two practices with the same names: users of the first must never see the second. */
let mine: Awaited<ReturnType<typeof world>>
let foreign: Awaited<ReturnType<typeof world>>

const world = async () => {
  const collaborator = await test.given.collaborator()
  const client = await test.given.client({ collaborator_id: collaborator.id, name: 'Lakeside Family Medicine' })
  const rep = await test.given.salesPerson()
  await test.given.clientSales(client.id, rep.id)
  const physician = await test.given.physician({ first_name: 'Gregory', last_name: 'Houseman' })
  const patient = await test.given.patient({ first_name: 'Jané', last_name: 'Doerington' })
  const { id } = await test.given.requisition({
    client_id: client.id,
    physician_id: physician.id,
    patient_id: patient.id,
  })
  return { collaborator, client, rep, physician, patient, id }
}

beforeAll(async () => {
  staff = await test.as('STF')
  mine = await world()
  foreign = await world()
})

const find = async (who: Caller, q: string) => (await who.get(`quick_jump?q=${encodeURIComponent(q)}`)).body.data
const ids = async (who: Caller, q: string, kind: string) =>
  (await find(who, q)).filter((hit: { kind: string }) => hit.kind === kind).map((hit: { id: number }) => hit.id)

describe('GET quick_jump', () => {
  it('finds a requisition by its accession number', async () => {
    expect(await find(staff, ` #${mine.id} `)).toEqual([
      {
        kind: 'requisition',
        id: mine.id,
        label: `#${mine.id}`,
        detail: 'Doerington, Jané · Logged',
        href: `/requisitions/${mine.id}/show`,
      },
    ])
  })

  it('finds requisitions by the beginning of the number, the exact one first', async () => {
    const prefix = String(mine.id).slice(0, -1)
    const found = await ids(staff, prefix, 'requisition')
    expect(found).toEqual(expect.arrayContaining([mine.id, foreign.id]))
    expect(await ids(staff, '9999999', 'requisition')).toEqual([])
    expect(await ids(staff, String(mine.id).slice(0, 2), 'requisition')).toEqual([])
  })

  it('finds a name of several words however many spaces are typed within it', async () => {
    const { id: patient_id } = await test.given.patient({ first_name: 'Anna Lena', last_name: 'De La Quiroz' })
    await test.given.requisition({ patient_id })
    for (const q of ['De  La Quiroz, Anna', 'de la quiroz, anna\u00a0 lena', 'De  La  Quiroz'])
      expect([q, await ids(staff, q, 'patient')]).toEqual([q, [patient_id]])
  })

  it.each(['Doerington, Jane', 'jane doerington', 'DOERINGTON JANE', 'doering', 'doering, j', 'janÉ doer', 'jane'])(
    'finds a patient by "%s", whatever case and accents',
    async (q) => {
      expect((await ids(staff, q, 'patient')).toSorted()).toEqual([mine.patient.id, foreign.patient.id].toSorted())
    },
  )

  it('shows what distinguishes patients of the same name, and links to the latest requisition', async () => {
    const patient = await test.given.patient({ first_name: 'Una', last_name: 'Unicum', dob: '1961-02-03' })
    await test.given.requisition({ patient_id: patient.id })
    const { id } = await test.given.requisition({ patient_id: patient.id })
    expect(await find(staff, 'unicum')).toEqual([
      {
        kind: 'patient',
        id: patient.id,
        label: 'Unicum, Una',
        detail: '02/03/1961 · Female · 2 requisition(s)',
        href: `/requisitions/${id}/show`,
      },
    ])
  })

  it.each(['Jon Smithson 1/2/60', 'smithson, jon 01/02/1960', '1/2/60 jón smi', '1960-01-02 smithson'])(
    'finds a patient by name and birth date: "%s"',
    async (q) => {
      const born = { first_name: 'Jon', last_name: 'Smithson' }
      const patient = await test.given.patient({ ...born, dob: '1960-01-02' })
      const other = await test.given.patient({ ...born, dob: '1961-01-02' })
      await test.given.requisition({ patient_id: patient.id })
      await test.given.requisition({ patient_id: other.id })
      const found = await ids(staff, q, 'patient')
      expect(found).toContain(patient.id)
      expect(found).not.toContain(other.id)
      const who = await test.as('CLNT', mine.client.id)
      expect(await ids(who, q, 'patient')).toEqual([])
    },
  )

  it('finds nobody by a day that does not exist', async () => {
    expect(await ids(staff, 'doerington 2/31/60', 'patient')).toEqual([])
  })

  it('finds clients by words of the name or their id, and physicians by name or NPI', async () => {
    expect(await ids(staff, 'medicine lakeside', 'client')).toEqual([mine.client.id, foreign.client.id])
    const { rows } = await test.database.owner.query('select legacy_client_id from client where id = $1', [
      mine.client.id,
    ])
    expect(await ids(staff, rows[0].legacy_client_id, 'client')).toEqual([mine.client.id])
    expect(await ids(staff, 'greg houseman', 'physician')).toEqual([mine.physician.id, foreign.physician.id])
    const npi = await test.database.owner.query('select npi_number from physician where id = $1', [mine.physician.id])
    expect(await find(staff, npi.rows[0].npi_number)).toMatchObject([
      { kind: 'physician', id: mine.physician.id, href: `/physicians/${mine.physician.id}/show` },
    ])
  })

  it('gives at most five of a kind', async () => {
    for (let n = 0; n < 7; n++) await test.given.client({ name: `Manifold Clinic ${n}` })
    expect(await find(staff, 'manifold')).toHaveLength(5)
  })

  it.each(['CLNT', 'COLA', 'SLS'] as const)('%s never finds a foreign row', async (role) => {
    const entity = { CLNT: mine.client.id, COLA: mine.collaborator.id, SLS: mine.rep.id }[role]
    const who = await test.as(role, entity)
    expect(await ids(who, String(mine.id), 'requisition')).toEqual([mine.id])
    expect(await ids(who, String(foreign.id), 'requisition')).toEqual([])
    expect(await ids(who, String(mine.id).slice(0, -1), 'requisition')).toEqual([mine.id])
    expect(await ids(who, 'doerington', 'patient')).toEqual([mine.patient.id])
    expect(await ids(who, 'lakeside', 'client')).toEqual(role === 'CLNT' ? [mine.client.id] : [])
    expect(await ids(who, 'houseman', 'physician')).toEqual(role === 'CLNT' ? [mine.physician.id] : [])
  })

  it('counts for a client only the requisitions of its own', async () => {
    await test.given.requisition({ patient_id: mine.patient.id })
    const [hit] = await find(await test.as('CLNT', mine.client.id), 'doerington')
    expect([hit.detail, hit.href]).toEqual([
      expect.stringContaining('1 requisition(s)'),
      `/requisitions/${mine.id}/show`,
    ])
  })

  it('a billing user, who opens none of these pages, finds nothing', async () => {
    const who = await test.as('BILL')
    for (const q of [String(mine.id), 'doerington', 'lakeside', 'houseman']) expect(await find(who, q)).toEqual([])
  })

  it('a physician finds the own requisitions and those copied to them, in the list, and no others', async () => {
    const who = await test.as('PHYS', mine.physician.id)
    const { id: copied } = await test.given.requisition({ copy_physician_id: mine.physician.id })
    const listOf = (filters: Record<string, string>) => {
      const entries = Object.entries(filters).map(([id, value]) => ({ id, value, viewValue: value }))
      return `/requisitions?smartFilter=${encodeURIComponent(JSON.stringify(entries))}`
    }
    const [hit] = await find(who, String(mine.id))
    expect([hit.kind, hit.id, hit.href]).toEqual(['requisition', mine.id, listOf({ reqId: String(mine.id) })])
    expect(await ids(who, String(copied), 'requisition')).toEqual([copied])
    expect(await find(who, String(foreign.id))).toEqual([])
    const [patient, ...others] = await find(who, 'doerington')
    expect([patient.kind, patient.id, patient.href, others]).toEqual([
      'patient',
      mine.patient.id,
      listOf({ patientLastName: 'Doerington', patientFirstName: 'Jané' }),
      [],
    ])
    for (const q of ['lakeside', 'houseman']) expect(await find(who, q)).toEqual([])
    const stranger = await test.as('PHYS', (await test.given.physician()).id)
    for (const q of [String(mine.id), 'doerington']) expect(await find(stranger, q)).toEqual([])
  })

  it.each(['S', 's', 'DP'])('finds a requisition by its label with the suffix %s', async (suffix) => {
    expect(await ids(staff, `${mine.id}${suffix}`, 'requisition')).toEqual([mine.id])
    expect(await ids(staff, `${mine.id}X`, 'requisition')).toEqual([])
  })

  it.each(roles)('%s: for registered users only', async (role) => {
    const { status } = await (await test.as(role)).get('quick_jump?q=doe')
    expect(status).toBe(can(role, 'profile.own') ? 200 : 403)
  })

  it.each(['', ' ', 'x', '%', '__', ',', "'; drop table patient; --", '\\', '%%%%', '1'.repeat(30), '# ', ', ,'])(
    'finds nothing for "%s" and breaks nothing',
    async (q) => {
      const { status, body } = await staff.get(`quick_jump?q=${encodeURIComponent(q)}`)
      expect([status, body.data]).toEqual([200, []])
    },
  )
  it.each([`q=${'x'.repeat(5000)}`, 'q=%00ab', 'q=a&q=b'])('refuses %s', async (query) => {
    expect((await staff.get(`quick_jump?${query}`)).status).toBe(400)
  })
  it('needs no q', async () => {
    expect((await staff.get('quick_jump')).body.data).toEqual([])
  })

  it('leaves a record of whose data was shown', async () => {
    const who = await test.as('ADM')
    await find(who, String(mine.id))
    await test.services.accessLog.flush()
    const { rows } = await test.database.owner.query(
      'select route, requisition_ids from access_log where user_id = $1',
      [who.userId],
    )
    expect(rows).toEqual([{ route: 'quick_jump', requisition_ids: [mine.id] }])
  })
})
