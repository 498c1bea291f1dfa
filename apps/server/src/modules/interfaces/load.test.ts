import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { segmentsOf } from '../../../test/mllp-client.ts'
import { type OpenPartner, openPartnerSystem } from '../../../test/partner-system.ts'
import { mllpBlock } from '../../platform/hl7/mllp-decoder.ts'

const system = openPartnerSystem()
const partnersAtOnce = 50
const ordersOfEach = 4

it('IFC-21 takes orders of 50 partners at once, one of which never reads its answers: each order is made once', async () => {
  const partners: OpenPartner[] = []
  for (let n = 0; n < partnersAtOnce; n++) partners.push(await system.open())
  const [silent, ...others] = partners as [OpenPartner, ...OpenPartner[]]
  silent.client.socket.pause()
  for (let n = 0; n < ordersOfEach; n++) silent.client.write(mllpBlock(silent.order()))
  // All at once on each connection; the answers come in the order of the orders.
  const codesOf = async ({ client, order }: OpenPartner) => {
    const ids = Array.from({ length: ordersOfEach }, (_, n) => `AT-ONCE-${n}`)
    const answers = await Promise.all(ids.map((controlId) => client.ask(order({ controlId }))))
    return answers.map((answer) => segmentsOf(answer, 'MSA')[0]?.slice(1, 3))
  }
  const expected = Array.from({ length: ordersOfEach }, (_, n) => ['AA', `AT-ONCE-${n}`])
  for (const codes of await Promise.all(others.map(codesOf))) expect(codes).toEqual(expected)

  const { db } = system.test.database
  const countStates = async () =>
    (await sql`select state, count(*)::int as n from interface_message group by 1`.execute(db)).rows
  const all = ordersOfEach * partnersAtOnce
  await expect.poll(countStates, { timeout: 120_000, interval: 250 }).toEqual([{ state: 'ACCEPTED', n: all }])
  const { rows } =
    await sql`select count(*)::int as requisitions, count(distinct client_id)::int as clients from requisition`.execute(
      db,
    )
  expect(rows).toEqual([{ requisitions: all, clients: partnersAtOnce }])
}, 240_000)
