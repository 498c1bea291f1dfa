import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openMllpClient, segmentsOf } from '../../../test/mllp-client.ts'
import { nextNumber, openPartnerSystem, recently } from '../../../test/partner-system.ts'
import { onQuietMachine } from '../../../test/quiet-machine.ts'
import { mllpBlock } from '../../platform/hl7/mllp-decoder.ts'
import { findPartnerOrder } from '../deliveries/partner-orders.ts'

const system = openPartnerSystem({ blockMs: 5000 })

const codeOf = (answer: string) => segmentsOf(answer, 'MSA')[0]?.[1]
const faultsOf = (answer: string) => segmentsOf(answer, 'ERR').map((fields) => [fields[2], fields[3]?.split('^')[0]])
const requisitionsOf = async (clientId: number) => {
  const { rows } = await sql<{
    id: number
    ext_order_id: string
    is_fasting: boolean
    status_code: string
    collected_at: string
    deleted_at: string | null
  }>`
    select * from requisition where client_id = ${clientId} order by id`.execute(system.test.database.db)
  return rows
}
const testsOf = async (reqId: number) => {
  const { rows } = await sql<{ code: string }>`select t.code from requisition_test x join test t on t.id = x.test_id
    where x.requisition_id = ${reqId} and x.deleted_at is null order by t.sort_order`.execute(system.test.database.db)
  return rows.map(({ code }) => code)
}

describe('an order over MLLP', () => {
  it('IFC-12 IFC-14 IFC-22 makes one requisition with everything that it says, and is answered AA', async () => {
    const partner = await system.open()
    const answer = await partner.ask(
      partner.order({
        controlId: 'CTRL-1',
        placer: 'SO-1',
        obr: ['LIPID^Lipid panel^L', '2093-3^Cholesterol^LN'],
        more: [
          'OBX|1|CE|49541-6^Fasting^LN||Y',
          'TQ1|1||||||||S',
          'NTE|1||Left arm',
          'DG1|1||E11.9^Diabetes^I10',
          'IN1|1||77777^^^X|Unheard Of Insurance||||G-12||||||||Vargas^Inés||19790509||||||||||||||||||1EG4',
        ],
      }),
    )
    const [msh, msa] = [segmentsOf(answer, 'MSH')[0], segmentsOf(answer, 'MSA')[0]]
    expect([msh?.[2], msh?.[3], msh?.[4], msh?.[8], msh?.[11]]).toEqual(['LIS', 'LAB', partner.app, 'ACK^O01', '2.5.1'])
    expect(msa?.slice(0, 3)).toEqual(['MSA', 'AA', 'CTRL-1'])
    const [made, ...more] = await requisitionsOf(partner.clientId)
    expect(more).toEqual([])
    expect(made).toMatchObject({ status_code: 'LOG', ext_order_id: 'SO-1', is_fasting: true })
    const id = made?.id as number
    expect(await testsOf(id)).toContain('CHOL')
    const { rows } = await sql<Record<string, unknown>>`select
      (select array_agg(f.code) from requisition_flag x join flag f on f.id = x.flag_id where x.requisition_id = ${id}) as flags,
      (select array_agg(i.code) from requisition_icd x join icd i on i.id = x.icd_id where x.requisition_id = ${id}) as icds,
      (select array_agg(n.note) from lab_note n where n.requisition_id = ${id}) as notes,
      (select array_agg(i.company_name || ' ' || i.policy_no || ' ' || i.group_no) from insurance i join billing b on b.id = i.billing_id where b.requisition_id = ${id}) as insurances,
      (select p.city || ' ' || p.zip || ' ' || p.home_phone from patient p join requisition r on r.patient_id = p.id where r.id = ${id}) as contact`.execute(
      system.test.database.db,
    )
    expect(rows[0]).toEqual({
      flags: ['STAT'],
      icds: ['E11.9'],
      notes: ['Left arm'],
      insurances: ['Unheard Of Insurance 1EG4 G-12'],
      contact: 'Salem 97301 15035550163',
    })
    const { rows: history } = await system.test.database.owner.query(
      "select actor_name, new_data ->> 'Source' as source from audit_entry where requisition_id = $1",
      [id],
    )
    expect(history.length).toBeGreaterThan(3)
    expect(history.every((row) => row.actor_name === partner.name && row.source === 'HL7 CTRL-1')).toBe(true)
    expect(await partner.messages()).toMatchObject([
      { state: 'ACCEPTED', controlId: 'CTRL-1', messageType: 'ORM^O01', ackCode: 'AA', reqId: id, attempts: 1 },
    ])
  })

  it.each([
    ['2.3', 'ORM^O01'],
    ['2.5.1', 'OML^O21'],
    ['2.8', 'OML^O21'],
  ])('IFC-11 IFC-14 reads guarantor, payer, group, specimen and phones of version %s', async (version, type) => {
    const partner = await system.open()
    const { db } = system.test.database
    await db.updateTable('client').set({ zone: 'America/Denver' }).where('id', '=', partner.clientId).execute()
    const [payer] = await db
      .insertInto('insurance_company')
      .values({ name: `Payer ${nextNumber()}`, payer_no: `PN${nextNumber()}` })
      .returning(['name', 'payer_no'])
      .execute()
    const day = recently().slice(0, 8)
    const answer = await partner.ask(
      partner
        .order({
          type,
          header: `P|${version}`,
          pid: `PID|1||M1^^^FAC^MR||Vargas${nextNumber()}^Inés||19790509|F|||410 Alder St^^Salem^OR^97301||^PRN^PH^^1^503^5550163|^WPN^PH^^1^503^5550164`,
          orc: `ORC|NW|SO-7^EHR||GRP-1^EHR|||^^^^^S|||||${partner.npi}^Okonjo^Ada^^^^^^NPI`,
          more: [
            `SPM|1|||SER|||||||||||||${day}0715`,
            `IN1|1||${payer?.payer_no}`,
            `GT1|1||Vargas^Otto||410 Alder St^^Salem^OR^97301|||19500101|M||FTH`,
          ],
        })
        .replace(/(OBR(?:\|[^|\r]*){7})/, '$1||||||NF'),
    )
    expect(codeOf(answer)).toBe('AA')
    const [made] = await requisitionsOf(partner.clientId)
    expect(made).toMatchObject({ ext_order_id: 'GRP-1', is_fasting: false })
    const { rows } = await sql<Record<string, unknown>>`select
        to_char(r.collected_at at time zone 'America/Denver', 'YYYYMMDDHH24MI') as collected, p.home_phone, p.work_phone,
        b.relation_type_code as relation, b.guarantor_first_name as guarantor, i.company_name as payer,
        array(select f.code from requisition_flag x join flag f on f.id = x.flag_id where x.requisition_id = r.id) as flags,
        array(select o.placer_number from interface_order_item o where o.requisition_id = r.id) as placers
      from requisition r join patient p on p.id = r.patient_id join billing b on b.requisition_id = r.id join insurance i on i.billing_id = b.id
      where r.id = ${made?.id}`.execute(db)
    expect(rows).toEqual([
      {
        collected: `${day}0715`,
        home_phone: '15035550163',
        work_phone: '15035550164',
        relation: 'PARENT',
        guarantor: 'Otto',
        payer: payer?.name,
        flags: ['STAT'],
        placers: ['SO-7'],
      },
    ])
  })

  it.each([
    ['between ORC and OBR, as OML^O21 has it', 'OML^O21', 'TQ1|1||||||||S^Stat^HL70485', []],
    ['after the OBR', 'ORM^O01', '', ['TQ1|1||||||||S']],
  ])('IFC-14 takes the priority of a TQ1 %s', async (_, type, before, more) => {
    const partner = await system.open()
    const orc = [`ORC|NW|P${nextNumber()}||||||||||${partner.npi}^Okonjo^Ada^^^^^^NPI`, before].filter(Boolean)
    expect(codeOf(await partner.ask(partner.order({ type, orc: orc.join('\r'), more })))).toBe('AA')
    const [made] = await requisitionsOf(partner.clientId)
    const { rows } = await sql`select f.code from requisition_flag x join flag f on f.id = x.flag_id
      where x.requisition_id = ${made?.id}`.execute(system.test.database.db)
    expect(rows).toEqual([{ code: 'STAT' }])
  })

  it('IFC-14 finds the client of a collaborator by ORC-21', async () => {
    const partner = await system.open({ colaId: 1 })
    const { db } = system.test.database
    const { legacy_client_id: code } = await db
      .selectFrom('client')
      .select('legacy_client_id')
      .where('id', '=', partner.clientId)
      .executeTakeFirstOrThrow()
    const orc = (facility: string) =>
      `ORC|NW|P${nextNumber()}||||||||||${partner.npi}^Okonjo^Ada^^^^^^NPI|||||||||${facility}`
    await partner.ask(partner.order({ orc: orc(`Practice^^^^^^^^^${code}`) }))
    expect(await requisitionsOf(partner.clientId)).toHaveLength(1)
    await partner.ask(partner.order({ orc: orc('Practice^^^^^^^^^NOBODY') }))
    expect((await partner.messages(',state:HELD'))[0]?.reason).toContain('NOBODY')
  })

  it('IFC-10 IFC-13 answers several messages of one packet in their order, and one that comes in pieces', async () => {
    const partner = await system.open()
    const [one, two, three] = ['A', 'B', 'C'].map((controlId) => mllpBlock(partner.order({ controlId })))
    const all = Buffer.concat([Buffer.from('noise'), one as Buffer, two as Buffer, (three as Buffer).subarray(0, 40)])
    partner.client.write(all)
    const first = [await partner.client.next(), await partner.client.next()]
    for (const byte of (three as Buffer).subarray(40)) partner.client.write(Buffer.from([byte]))
    const answers = [...first, await partner.client.next()]
    expect(answers.map((answer) => segmentsOf(answer, 'MSA')[0]?.slice(1, 3))).toEqual([
      ['AA', 'A'],
      ['AA', 'B'],
      ['AA', 'C'],
    ])
  })
})

describe('a header that is not accepted', () => {
  const order = (partner: Awaited<ReturnType<typeof system.open>>, over: object) => partner.order(over)

  it.each([
    ['another type', { type: 'SIU^S12' }, '200'],
    ['another event', { type: 'ORM^O02' }, '201'],
    ['a test message of no test partner', { header: 'T|2.5.1' }, '202'],
    ['another version', { header: 'P|2.2' }, '203'],
    ['no control id', { controlId: '' }, '101'],
  ])('IFC-11 is AR: %s', async (_, over, code) => {
    const partner = await system.open()
    const answer = await partner.ask(order(partner, over))
    expect(codeOf(answer)).toBe('AR')
    expect(answer).toContain(code)
    expect(await partner.messages()).toMatchObject([{ state: 'REJECTED' }])
    expect(await requisitionsOf(partner.clientId)).toEqual([])
  })

  it('IFC-11 IFC-12 is AR 204 from a sender of no active interface, and names its place', async () => {
    const partner = await system.open()
    const answer = await partner.ask(partner.order({}).replace(`|${partner.app}|`, '|NOBODY|'))
    expect([codeOf(answer), faultsOf(answer)]).toEqual(['AR', [['MSH^1^3', '204']]])
    await system.admin.put(`interfaces/${partner.id}`, { isActive: 0 })
    expect(codeOf(await partner.ask(partner.order({})))).toBe('AR')
  })

  it.each([
    ['MSH-3', '|FAC|', '\u0000|FAC|'],
    ['MSH-4', '|FAC|', '|FA\u0000C|'],
    ['MSH-10', '|P|2.5.1', '\u0000|P|2.5.1'],
  ])('IFC-12 IFC-18 answers a message with a NUL in %s: AE 102', async (_, from, to) => {
    const partner = await system.open()
    const answer = await partner.ask(partner.order({}).replace(from, to))
    expect([codeOf(answer), faultsOf(answer)]).toEqual(['AE', [['MSH^1^18', '102']]])
    const stranger = await partner.ask(partner.order({}).replace(`|${partner.app}|`, '|NO\u0000BODY|'))
    expect([codeOf(stranger), faultsOf(stranger)]).toEqual(['AR', [['MSH^1^3', '204']]])
  })

  it('IFC-11 is AR 100 with an empty MSA-2 for a block without MSH', async () => {
    const partner = await system.open()
    const answer = await partner.ask('PID|1||7')
    expect(segmentsOf(answer, 'MSA')[0]).toEqual(['MSA', 'AR'])
    expect(faultsOf(answer)).toEqual([['MSH', '100']])
  })

  it('IFC-11 processes test messages of a test partner, and creates nothing', async () => {
    const partner = await system.open({ isTest: 1 })
    expect(codeOf(await partner.ask(partner.order({ header: 'T|2.5.1', obr: ['LIPID', 'NOSUCH'] })))).toBe('AA')
    const [row] = await partner.messages()
    expect(row).toMatchObject({ state: 'ACCEPTED', reqId: null })
    const { data } = (await system.staff.get(`interface_messages/${row?.id}`)).body
    expect(data.preview.tests).toEqual([
      { code: 'LIPID', from: 'LIPID', isKnown: 1 },
      { code: 'NOSUCH', from: 'NOSUCH', isKnown: 0 },
    ])
    expect(await requisitionsOf(partner.clientId)).toEqual([])
    expect(codeOf(await partner.ask(partner.order({})))).toBe('AA')
    expect(await requisitionsOf(partner.clientId)).toHaveLength(1)
  })

  it('IFC-11 IFC-16 never answers an order with the AA of a test message that had its control id', async () => {
    const partner = await system.open({ isTest: 1 })
    const test = partner.order({ controlId: 'T1', header: 'T|2.5.1' })
    expect([codeOf(await partner.ask(test)), codeOf(await partner.ask(test))]).toEqual(['AA', 'AA'])
    const answer = await partner.ask(test.replace('|T1|T|', '|T1|P|'))
    expect([codeOf(answer), faultsOf(answer)]).toEqual(['AE', [['MSH^1^10', '205']]])
    expect(codeOf(await partner.ask(test.replace('|T1|T|', '|P1|P|')))).toBe('AA')
    expect(await requisitionsOf(partner.clientId)).toHaveLength(1)
  })
})

describe('the answer', () => {
  it('IFC-12 has MSA-1 of the enhanced mode when MSH-15 asks, and none when it wants none', async () => {
    const partner = await system.open()
    const header = (condition: string) => ({ header: `P|2.5.1|||${condition}` })
    expect(codeOf(await partner.ask(partner.order(header('AL'))))).toBe('CA')
    expect(codeOf(await partner.ask(partner.order({ ...header('ER'), type: 'SIU^S12' })))).toBe('CR')
    partner.client.write(mllpBlock(partner.order(header('NE'))))
    partner.client.write(mllpBlock(partner.order(header('ER'))))
    expect(codeOf(await partner.ask(partner.order({ controlId: 'LAST' })))).toBe('AA')
    expect(await partner.messages()).toHaveLength(5)
  })

  it('IFC-12 IFC-18 names every fault, in the form of the version', async () => {
    const partner = await system.open()
    const pid = 'PID|1||7^^^FAC||||19790231|X'
    const answer = await partner.ask(partner.order({ pid, obr: ['^Nothing'] }))
    expect(codeOf(answer)).toBe('AE')
    expect(faultsOf(answer)).toEqual([
      ['PID^1^5', '101'],
      ['PID^1^8', '103'],
      ['OBR^1^4', '101'],
      ['PID^1^7', '102'],
    ])
    const old = await partner.ask(partner.order({ pid: 'PID|1||7^^^FAC||||19790201|F', header: 'P|2.3' }))
    expect(old).toContain('\rERR|PID^1^5^101&Required field missing&HL70357')
    expect(segmentsOf(old, 'MSA')[0]?.[3]).toContain('Required field missing')
  })

  it.each([
    ['without PID', (text: string) => text.replace(/PID.*?\r/, ''), [['PID', '100']]],
    ['without ORC', (text: string) => text.replace(/ORC.*?\r/, ''), [['ORC', '100']]],
    ['without OBR', (text: string) => text.replace(/\rOBR.*/s, ''), [['OBR', '100']]],
    ['with ORC before PID', (text: string) => text.replace(/(PID.*?\r)(ORC.*?\r)/, '$2$1'), [['ORC^1', '100']]],
    [
      'that cancels and has an OBR without a test',
      (text: string) => text.replace('ORC|NW', 'ORC|CA').replace(/(OBR\|\d*\|[^|]*\|[^|]*\|)[^|\r]*/, '$1'),
      [['OBR^1^4', '101']],
    ],
    ['with an order control that is none', (text: string) => text.replace('ORC|NW', 'ORC|ZZ'), [['ORC^1^1', '103']]],
    ['with a NUL byte', (text: string) => text.replace('Inés', 'In\u0000s'), [['MSH^1^18', '102']]],
    [
      'with bytes outside its character set',
      (text: string) => text.replace('P|2.5.1', 'P|2.5.1||||||ASCII'),
      [['MSH^1^18', '102']],
    ],
  ])('IFC-18 is AE for a message %s, and creates nothing', async (_, damage, faults) => {
    const partner = await system.open()
    const answer = await partner.ask(damage(partner.order({})))
    expect([codeOf(answer), faultsOf(answer)]).toEqual(['AE', faults])
    expect(await partner.messages()).toMatchObject([{ state: 'REJECTED', ackCode: 'AE' }])
    expect(await requisitionsOf(partner.clientId)).toEqual([])
  })
})

describe('a fault of ours', () => {
  it('IFC-12 is AE 207 and on the desk, the connection stays open, and the control id stays free', async () => {
    const partner = await system.open()
    const { owner } = system.test.database
    await owner.query(`create function refuse_message() returns trigger language plpgsql as
      $$ begin raise exception 'a fault of ours' using errcode = 'XX000'; end $$`)
    await owner.query(`create trigger fault_of_ours before insert on interface_message for each row
      when (new.control_id = 'FAULT' and new.state = 'RECEIVED') execute function refuse_message()`)
    const text = partner.order({ controlId: 'FAULT' })
    const answer = await partner.ask(text)
    expect([codeOf(answer), faultsOf(answer)]).toEqual(['AE', [['MSH', '207']]])
    expect(await partner.messages()).toMatchObject([
      { state: 'REJECTED', ackCode: 'AE', reason: 'Application internal error: MSH' },
    ])
    await owner.query('drop trigger fault_of_ours on interface_message')
    expect(codeOf(await partner.ask(text))).toBe('AA')
    expect(await requisitionsOf(partner.clientId)).toHaveLength(1)
  })

  it('IFC-12 IFC-21 that passes by itself closes the connection without an answer, and the next try succeeds', async () => {
    const partner = await system.open()
    const { owner } = system.test.database
    await owner.query(`create function no_room() returns trigger language plpgsql as
      $$ begin raise exception 'no room' using errcode = '53100'; end $$`)
    await owner.query(`create trigger no_room before insert on interface_message for each row
      when (new.control_id = 'NO ROOM') execute function no_room()`)
    const text = partner.order({ controlId: 'NO ROOM' })
    const closed = new Promise<string>((done) => partner.client.socket.once('close', () => done('closed')))
    expect(await Promise.race([partner.ask(text), closed])).toBe('closed')
    await owner.query('drop trigger no_room on interface_message')
    const again = await openMllpClient(system.port())
    expect(codeOf(await again.ask(text))).toBe('AA')
    again.close()
    expect(await partner.messages()).toMatchObject([{ state: 'ACCEPTED', attempts: 1 }])
  })
})

describe('what comes again', () => {
  it('IFC-16 gets the first answer again and has no effect, a hundred times', async () => {
    const partner = await system.open()
    const text = partner.order({ controlId: 'SAME', placer: 'SO-9' })
    const first = await partner.ask(text)
    for (let time = 1; time < 100; time++) expect(await partner.ask(text)).toBe(first)
    expect(await requisitionsOf(partner.clientId)).toHaveLength(1)
    expect(await partner.messages()).toMatchObject([{ attempts: 100 }])
  })

  it('IFC-04 IFC-16 keeps an answer with many faults whole, for the repeat and for the desk', async () => {
    const partner = await system.open()
    const text = partner.order({ obr: Array.from({ length: 200 }, () => '^Nothing') })
    const first = await partner.ask(text)
    expect([segmentsOf(first, 'ERR').length, first.length > 10_000]).toEqual([200, true])
    expect(await partner.ask(text)).toBe(first)
    const [row] = await partner.messages()
    const { data } = (await system.staff.get(`interface_messages/${row?.id}`)).body
    expect(data.answer).toBe(first.replaceAll('\r', '\n'))
  })

  it('IFC-16 is AE 205 with other content under the same control id or placer number', async () => {
    const partner = await system.open()
    const pid = 'PID|1||M1^^^FAC||Doe^Jane||19790509|F'
    await partner.ask(partner.order({ controlId: 'C1', placer: 'SO-1', pid }))
    const other = await partner.ask(partner.order({ controlId: 'C1', placer: 'SO-1', pid, obr: ['CHOL'] }))
    expect([codeOf(other), faultsOf(other)]).toEqual(['AE', [['MSH^1^10', '205']]])
    const again = await partner.ask(partner.order({ controlId: 'C2', placer: 'SO-1', pid }))
    expect(codeOf(again)).toBe('AA')
    const changed = await partner.ask(partner.order({ controlId: 'C3', placer: 'SO-1', pid, obr: ['CHOL'] }))
    expect([codeOf(changed), faultsOf(changed)]).toEqual(['AE', [['ORC^1^2', '205']]])
    expect(await requisitionsOf(partner.clientId)).toHaveLength(1)
  })

  it.each(['A\\T\\1', 'A&x', 'A\\S\\1^EHR', ' A '])(
    'IFC-12 IFC-16 names the place of a placer number that was used, written as %s',
    async (placer) => {
      const partner = await system.open()
      await partner.ask(partner.order({ placer }))
      const answer = await partner.ask(partner.order({ placer, obr: ['CHOL'] }))
      expect([codeOf(answer), faultsOf(answer)]).toEqual(['AE', [['ORC^1^2', '205']]])
    },
  )

  it('IFC-16 makes one requisition of the same message over twenty connections at once', async () => {
    const partner = await system.open()
    const text = partner.order({ controlId: 'ONCE' })
    const clients = await Promise.all(Array.from({ length: 20 }, () => openMllpClient(system.port())))
    const answers = await Promise.all(clients.map((client) => client.ask(text)))
    for (const client of clients) client.close()
    expect(new Set(answers).size).toBe(1)
    expect(await requisitionsOf(partner.clientId)).toHaveLength(1)
  })
})

describe('the patient', () => {
  it('IFC-13 IFC-19 keeps the name when a message empties it', async () => {
    const partner = await system.open()
    const pid = (name: string) => ({ pid: `PID|1||M1^^^FAC||${name}||19790509|F` })
    const name = `Keeps${nextNumber()}`
    await partner.ask(partner.order(pid(`${name}^Ines^Maria`)))
    const news = partner.order({ type: 'ADT^A08', ...pid(`${name}^""^""`) })
    expect(codeOf(await partner.ask(news.replace(/\rORC.*/s, '')))).toBe('AA')
    expect(await partner.messages(',state:HELD')).toEqual([])
    const { rows } =
      await sql`select p.first_name, p.middle_name from requisition r join patient p on p.id = r.patient_id
      where r.client_id = ${partner.clientId}`.execute(system.test.database.db)
    expect(rows).toEqual([{ first_name: 'Ines', middle_name: null }])
  })

  it('IFC-15 is found by the number of the partner, or by name, birth date and sex', async () => {
    const partner = await system.open()
    const pid = (number: string, rest: string) => ({ pid: `PID|1||${number}^^^FAC||${rest}` })
    const name = `Alder${nextNumber()}`
    await partner.ask(partner.order(pid('M1', `${name}^Ines||19790509|F`)))
    await partner.ask(partner.order(pid('M1', `${name.toUpperCase()}^Ines||19790509|F`)))
    await partner.ask(partner.order(pid('M2', `${name}^Inés||19790509|F`)))
    const { rows } = await sql<{
      n: number
    }>`select count(distinct patient_id)::int as n from requisition where client_id = ${partner.clientId}`.execute(
      system.test.database.db,
    )
    expect(rows).toEqual([{ n: 1 }])
    expect(await requisitionsOf(partner.clientId)).toHaveLength(3)
  })

  const patientsOf = async (clientId: number) => {
    const { rows } = await sql<{ name: string; addr1: string | null }>`select p.last_name as name, p.addr1
      from requisition r join patient p on p.id = r.patient_id where r.client_id = ${clientId} order by r.id`.execute(
      system.test.database.db,
    )
    return rows
  }

  it('IFC-15 IFC-19 the same number of two authorities without a name is two patients', async () => {
    const partner = await system.open()
    const pid = (authority: string, rest: string) => ({ pid: `PID|1||7^^^${authority}||${rest}` })
    await partner.ask(partner.order(pid('&1.2.3&ISO', 'First^Ines||19790509|F')))
    await partner.ask(partner.order(pid('&4.5.6&ISO', 'Second^Otto||19611224|M')))
    await partner.ask(partner.order(pid('&1.2.3&ISO', 'First^Ines||19790509|F')))
    const news = partner.order({ type: 'ADT^A08', ...pid('&4.5.6&ISO', 'Second^Otto||19611224|M|||9 New St') })
    expect(codeOf(await partner.ask(news.replace(/\rORC.*/s, '')))).toBe('AA')
    expect(await patientsOf(partner.clientId)).toEqual([
      { name: 'First', addr1: null },
      { name: 'Second', addr1: '9 New St' },
      { name: 'First', addr1: null },
    ])
  })

  it('IFC-15 a number that was stored with the name of its authority only is found by that name, never by none', async () => {
    const partner = await system.open()
    const pid = (authority: string, rest: string) => ({ pid: `PID|1||7^^^${authority}||${rest}` })
    await partner.ask(partner.order(pid('FAC', 'First^Ines||19790509|F')))
    await partner.ask(partner.order(pid('FAC&1.2.3&ISO', 'First^Ines||19790905|F')))
    expect((await partner.messages(',state:HELD'))[0]?.reason).toContain('birth date')
    await partner.ask(partner.order(pid('&1.2.3&ISO', 'Second^Otto||19611224|M')))
    expect(await patientsOf(partner.clientId)).toMatchObject([{ name: 'First' }, { name: 'Second' }])
  })

  it('IFC-20 the results of an order go back under the number that it named, whatever others the patient has', async () => {
    const partner = await system.open()
    const rest = `Two${nextNumber()}^Ines||19790509|F`
    await partner.ask(partner.order({ pid: `PID|1||A1^^^FAC||${rest}` }))
    await partner.ask(partner.order({ pid: `PID|1||B2^^^FAC&1.2.3&ISO||${rest}`, placer: 'SO-B' }))
    const orders = await requisitionsOf(partner.clientId)
    const party = { kind: 'CLIENT', id: partner.clientId }
    const found = orders.map(({ id }) => findPartnerOrder(system.test.database.db, id, party))
    expect(await Promise.all(found)).toMatchObject([
      { identifier: 'A1', authority: 'FAC' },
      { identifier: 'B2', authority: 'FAC&1.2.3&ISO' },
    ])
    await partner.ask(partner.order({ control: 'XO', placer: 'SO-B', pid: `PID|1||A1^^^FAC||${rest}`, obr: ['CHOL'] }))
    expect(await findPartnerOrder(system.test.database.db, orders[1]?.id as number, party)).toMatchObject({
      identifier: 'A1',
    })
  })

  it.each([
    ['last name', 'Other^Ines||19790509|F'],
    ['birth date', 'Same^Ines||19790905|F'],
    ['sex', 'Same^Ines||19790509|M'],
  ])('IFC-15 IFC-18 holds the message when the same number has another %s', async (what, rest) => {
    const partner = await system.open()
    await partner.ask(partner.order({ pid: 'PID|1||M1^^^FAC||Same^Ines||19790509|F' }))
    expect(codeOf(await partner.ask(partner.order({ pid: `PID|1||M1^^^FAC||${rest}` })))).toBe('AA')
    const [held] = await partner.messages(',state:HELD')
    expect(held?.reason).toContain(what)
    expect(await requisitionsOf(partner.clientId)).toHaveLength(1)
  })
})

describe('what cannot be used', () => {
  it.each([
    ['an unknown test', { obr: ['LIPID', 'GLYHB^Glycated Hb^L'] }, 'UNKNOWN_TEST'],
    ['an unknown physician', { orc: 'ORC|NW|X1||||||||||1999999999^Nobody^No' }, 'UNKNOWN_PHYSICIAN'],
    ['no physician', { orc: 'ORC|NW|X2' }, 'MISSING_FIELD'],
    ['no birth date', { pid: 'PID|1||M1^^^FAC||Doe^Jane|||F' }, 'MISSING_FIELD'],
    ['no sex', { pid: 'PID|1||M1^^^FAC||Doe^Jane||19790509' }, 'MISSING_FIELD'],
    ['an emptied first name', { pid: 'PID|1||M1^^^FAC||Doe^""||19790509|F' }, 'MISSING_FIELD'],
    ['an emptied physician', { orc: 'ORC|NW|X3||||||||||""^""^""' }, 'MISSING_FIELD'],
  ])('IFC-18 is AA and held: %s', async (_, over, code) => {
    const partner = await system.open()
    expect(codeOf(await partner.ask(partner.order(over)))).toBe('AA')
    const [held] = await partner.messages()
    expect(held).toMatchObject({ state: 'HELD', reqId: null })
    const { data } = (await system.staff.get(`interface_messages/${held?.id}`)).body
    expect(data.problems.map((one: { code: string }) => one.code)).toEqual([code])
    expect(await requisitionsOf(partner.clientId)).toEqual([])
    const { rows } = await sql`select from interface_patient where partner_id = ${partner.id}`.execute(
      system.test.database.db,
    )
    expect(rows).toEqual([])
  })

  it('IFC-18 is held without a collection time, and when the interface wants a person to approve', async () => {
    const [partner, careful] = [await system.open(), await system.open({ autoAccept: 0 })]
    await partner.ask(partner.order({}).replace(`|||${recently()}`, ''))
    expect((await partner.messages())[0]?.reason).toContain('collection time')
    await careful.ask(careful.order({}))
    expect(await careful.messages()).toMatchObject([{ state: 'HELD' }])
  })
})

describe('a connection', () => {
  it('IFC-13 is closed after more than 1 MB without an end, and the desk says why', async () => {
    const client = await openMllpClient(system.port())
    const closed = new Promise((done) => client.socket.once('close', done))
    client.write(Buffer.concat([Buffer.from('\u000bMSH|^~\\&|'), Buffer.alloc(2 * 1024 * 1024, 0x41)]))
    await closed
    expect(await rejected('1 MB')).toBe(true)
  })

  it('IFC-13 is closed when a block does not end in time', async () => {
    const client = await openMllpClient(system.port())
    const closed = new Promise((done) => client.socket.once('close', done))
    client.write('\u000bMSH|^~\\&|half')
    await closed
    expect(await rejected('seconds')).toBe(true)
  })

  it('IFC-21 that breaks in the middle of a message stores nothing and affects no other', async () => {
    const partner = await system.open()
    const text = mllpBlock(partner.order({}))
    const broken = await openMllpClient(system.port())
    broken.write(text.subarray(0, text.length / 2))
    broken.close()
    expect(codeOf(await partner.ask(partner.order({})))).toBe('AA')
    expect(await requisitionsOf(partner.clientId)).toHaveLength(1)
  })

  it('IFC-21 of a partner that never reads does not slow the others', async () => {
    const [slow, quick] = [await system.open(), await system.open()]
    slow.client.socket.pause()
    for (let n = 0; n < 50; n++) slow.client.write(mllpBlock(slow.order({ type: 'SIU^S12' })))
    const started = Date.now()
    expect(codeOf(await quick.ask(quick.order({})))).toBe('AA')
    expect(Date.now() - started).toBeLessThan(onQuietMachine(5000))
  })
})

const rejected = async (words: string) => {
  for (let tries = 0; tries < 600; tries++) {
    const path = `interface_messages?filter=${encodeURIComponent('[state:REJECTED]')}&perPage=100`
    const { data } = (await system.staff.get(path)).body
    if (data.some((row: { reason: string }) => row.reason.includes(words))) return true
    await wait(50)
  }
  return false
}
