import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'

const test = openTestApp()
let staff: Caller

beforeAll(async () => {
  staff = await test.as('STF')
})

const filter = (text: string) => `filter=${encodeURIComponent(text)}`
const created = async (over: Record<string, unknown> = {}) => {
  const person = { salesFirstName: 'Jane', salesLastName: 'Tiller', salesEmail: 'jane@example.com' }
  const { body } = await staff.post('sales', { ...person, salesTitle: 'Sales Rep.', salesTypeCode: 'SLS', ...over })
  return body.data.id as number
}

describe('GET sales as a list to choose from', () => {
  const names = ['id', 'salesFirstName', 'salesLastName', 'salesRepCode', 'salesTypeCode']
  /** A client with its sales rep and its service rep. */
  const world = async () => {
    const [rep, service] = [await created(), await created({ salesTypeCode: 'SVC' })]
    const collaborator = await test.given.collaborator()
    const client = await test.given.client({ collaborator_id: collaborator.id, service_person_id: service })
    await test.given.clientSales(client.id, rep)
    const physician = await test.given.physician()
    await test.given.clientPhysician(client.id, physician.id)
    return { rep, service, client, collaborator, physician }
  }
  const seen = async (who: Caller) =>
    (await who.get('sales?perPage=-1')).body.data.map((row: { id: number }) => row.id) as number[]

  it('LOOK-040 VIEW-52 VIEW-53 LOOK-041 gives names and codes only, within the reach of the role', async () => {
    const [mine] = [await world(), await world()]
    const readers = [
      await test.as('CLNT', mine.client.id),
      await test.as('COLA', mine.collaborator.id),
      await test.as('PHYS', mine.physician.id),
    ]
    for (const who of readers) {
      expect(await seen(who)).toEqual([mine.rep, mine.service])
      const { body } = await who.get(`sales?${filter('[salesTypeCode:SVC]')}`)
      expect([body.total, Object.keys(body.data[0]).toSorted()]).toEqual([1, names])
    }
    expect(await seen(await test.as('BILL'))).toEqual([])
    expect((await (await test.as('GST')).get('sales')).status).toBe(403)
  })

  it('shows sales users only their own team, on all levels', async () => {
    const top = await created()
    const middle = await created({ reportToId: top })
    const low = await created({ reportToId: middle })
    await created()
    expect(await seen(await test.as('SLS', top))).toEqual([top, middle, low])
    expect(await seen(await test.as('SLS', low))).toEqual([low])
  })

  it.each([
    'filter=[salesEmail:jane]',
    'filter=[salesTitle:Manager]',
    'sort=[salesEmail,ASC]',
    'sort=[salesTitle,ASC]',
  ])('does not tell hidden fields through %s', async (query) => {
    expect((await (await test.as('CLNT')).get(`sales?${query}`)).status).toBe(400)
  })
})
