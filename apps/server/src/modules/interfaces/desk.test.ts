import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { segmentsOf } from '../../../test/mllp-client.ts'
import { nextNumber, type OpenPartner, openPartnerSystem } from '../../../test/partner-system.ts'
import { removeOldRaw } from './message-store.ts'

const system = openPartnerSystem()
const codeOf = (answer: string) => segmentsOf(answer, 'MSA')[0]?.[1]
const heldOf = async (partner: OpenPartner) =>
  (await partner.messages(',state:HELD')) as { id: number; reason: string; reqId: number | null }[]
const testIdOf = async (code: string) => {
  const { rows } = await sql<{ id: number }>`select id from test where code = ${code}`.execute(system.test.database.db)
  return rows[0]?.id as number
}
const stateOf = async (id: number) => (await system.staff.get(`interface_messages/${id}`)).body.data

describe('the desk', () => {
  it('IFC-05 maps a code, works the message again and those with the same cause', async () => {
    const partner = await system.open()
    for (let n = 0; n < 3; n++) await partner.ask(partner.order({ obr: ['GLYHB^Glycated Hb^L'] }))
    await partner.ask(partner.order({ obr: ['OTHER'] }))
    const held = await heldOf(partner)
    const id = held.find(({ reason }) => reason.includes('GLYHB'))?.id as number
    const same = (await system.staff.get(`interface_messages/${id}/same_cause`)).body.data
    expect(same).toHaveLength(2)
    const codes = [{ code: 'GLYHB', testId: await testIdOf('CHOL') }]
    const { status, body } = await system.staff.post(`interface_messages/${id}/reprocess`, { codes, alsoSame: 1 })
    expect([status, body.data.state, body.data.alsoSettled.length]).toEqual([200, 'ACCEPTED', 2])
    expect((await partner.messages(',state:ACCEPTED')).length).toBe(3)
    expect((await system.admin.get(`interfaces/${partner.id}/codes`)).body.data).toMatchObject([
      { code: 'GLYHB', testCode: 'CHOL' },
    ])
    expect(codeOf(await partner.ask(partner.order({ obr: ['GLYHB'] })))).toBe('AA')
    expect(await heldOf(partner)).toHaveLength(1)
  })

  it('IFC-05 takes the physician, the patient or a new patient, and an approval', async () => {
    const partner = await system.open()
    const name = `Chosen${nextNumber()}`
    const pid = (number: string, rest: string) => `PID|1||${number}^^^FAC||${name}^Ines||${rest}`
    await partner.ask(partner.order({ pid: pid('M1', '19790509|F') }))
    await partner.ask(partner.order({ pid: pid('M1', '19790905|F') }))
    await partner.ask(partner.order({ pid: pid('M1', '19790905|F') }))
    await partner.ask(partner.order({ orc: `ORC|NW|X${nextNumber()}||||||||||1999999999^Nobody^No` }))
    const [physician, second, first] = await heldOf(partner)
    const { candidates } = await stateOf(first?.id as number)
    expect(candidates[0]).toMatchObject({ patientName: `${name}, Ines`, why: 'same MRN' })
    const known = await system.staff.post(`interface_messages/${first?.id}/reprocess`, {
      patientId: candidates[0].patientId,
    })
    expect(known.body.data).toMatchObject({ state: 'ACCEPTED', patientId: candidates[0].patientId })
    const fresh = await system.staff.post(`interface_messages/${second?.id}/reprocess`, { newPatient: 1 })
    expect(fresh.body.data.state).toBe('ACCEPTED')
    expect(fresh.body.data.patientId).not.toBe(candidates[0].patientId)
    const mapped = await system.staff.post(`interface_messages/${physician?.id}/reprocess`, { physId: partner.physId })
    expect(mapped.body.data.state).toBe('ACCEPTED')
    const careful = await system.open({ autoAccept: 0 })
    await careful.ask(careful.order({}))
    const [waiting] = await heldOf(careful)
    expect((await stateOf(waiting?.id as number)).problems).toMatchObject([{ code: 'NEEDS_APPROVAL' }])
    const approved = await system.staff.post(`interface_messages/${waiting?.id}/reprocess`, { approve: 1 })
    expect(approved.body.data.state).toBe('ACCEPTED')
  })

  it('IFC-05 IFC-15 a choice of the patient settles messages about this patient only, and makes a new one once', async () => {
    const partner = await system.open()
    const name = `Same${nextNumber()}`
    const pid = (rest: string, authority = 'FAC') => `PID|1||M1^^^${authority}||${rest}`
    for (const authority of ['FAC', 'OTHER'])
      await partner.ask(partner.order({ pid: pid(`${name}^Ines||19790509|F`, authority) }))
    const others = [
      pid(`Else${name}^Bo||19500101|M`),
      pid(`${name}^Ida||19790905|F`),
      pid(`${name}^Ines||19790905|F`, 'OTHER'),
    ]
    for (const one of [...others, pid(`${name}^Ines||19790905|F`), pid(`${name}^Ines||19790905|F`)])
      await partner.ask(partner.order({ pid: one }))
    const [last, before] = await heldOf(partner)
    const path = `interface_messages/${last?.id}`
    expect((await system.staff.get(`${path}/same_cause`)).body.data.map(({ id }: { id: number }) => id)).toEqual([
      before?.id,
    ])
    const { body } = await system.staff.post(`${path}/reprocess`, { newPatient: 1, alsoSame: 1 })
    expect(body.data.alsoSettled).toEqual([before?.id])
    expect((await stateOf(before?.id as number)).patientId).toBe(body.data.patientId)
    expect(await heldOf(partner)).toHaveLength(others.length)
  })

  it('IFC-05 gives a physician only to messages whose own is missing or unknown', async () => {
    const partner = await system.open()
    const noBirthDate = () => `PID|1||M${nextNumber()}^^^FAC||Zed^Ida|||F`
    await partner.ask(partner.order({ pid: noBirthDate() }))
    await partner.ask(partner.order({ pid: noBirthDate(), orc: `ORC|NW|X${nextNumber()}` }))
    const [without, other] = await heldOf(partner)
    const spare = await system.test.given.physician()
    await system.test.given.clientPhysician(partner.clientId, spare.id)
    await system.staff.post(`interface_messages/${without?.id}/reprocess`, { physId: spare.id, alsoSame: 1 })
    const physicians = await Promise.all([without, other].map((one) => stateOf(one?.id as number)))
    expect(physicians.map(({ preview }) => preview.physName.startsWith('Okonjo'))).toEqual([false, true])
  })

  it('IFC-05 dismisses with a reason only, and refuses what is settled', async () => {
    const partner = await system.open()
    await partner.ask(partner.order({ obr: ['NOSUCH'], placer: 'SO-1' }))
    const [held] = await heldOf(partner)
    const path = `interface_messages/${held?.id}`
    expect((await system.staff.post(`${path}/dismiss`, {})).body.errors).toMatchObject([{ field: 'reason' }])
    expect((await system.staff.post(`${path}/dismiss`, { reason: 'Ordered twice' })).status).toBe(200)
    expect(await stateOf(held?.id as number)).toMatchObject({ state: 'DISMISSED', reason: 'Ordered twice' })
    for (const call of ['dismiss', 'reprocess', 'resend'])
      expect((await system.staff.post(`${path}/${call}`, { reason: 'Again' })).status).toBe(409)
    expect(codeOf(await partner.ask(partner.order({ placer: 'SO-1' })))).toBe('AA')
    expect(await partner.messages(',state:ACCEPTED')).toHaveLength(1)
  })

  it('IFC-04 shows the message with its fields, problems and preview, logs the look, and deletes the raw text in time', async () => {
    const partner = await system.open()
    await partner.ask(partner.order({ obr: ['LIPID', 'GLYHB^Hemoglobin^L^4548-4^^X'], controlId: 'LOOK' }))
    const [row] = await heldOf(partner)
    const reply = await system.staff.get(`interface_messages/${row?.id}`)
    const { data } = reply.body
    expect(data.rawMessage).toContain('GLYHB^Hemoglobin')
    expect(data.fields).toContainEqual({ path: 'MSH-10', name: 'Control id', value: 'LOOK' })
    expect(data.answer).toContain('MSA|AA|LOOK')
    expect(data.problems).toMatchObject([{ code: 'UNKNOWN_TEST', path: 'OBR-4', value: 'GLYHB' }])
    expect(data.preview).toMatchObject({ patientId: null, tests: [{ code: 'LIPID' }, { code: 'GLYHB', isKnown: 0 }] })
    await system.test.services.accessLog.flush()
    const { rows } = await system.test.database.owner.query('select route from access_log where request_id = $1', [
      reply.headers['x-request-id'],
    ])
    expect(rows).toEqual([{ route: 'interface_messages/{id}' }])
    const stored = await system.test.database.owner.query('select raw from interface_message where id = $1', [row?.id])
    expect(stored.rows[0].raw.includes('GLYHB')).toBe(false)
    await system.test.database.owner.query(
      "update interface_message set received_at = now() - interval '91 days' where id = $1",
      [row?.id],
    )
    await removeOldRaw(system.test.database.db, 90)
    expect(await stateOf(row?.id as number)).toMatchObject({
      rawMessage: null,
      fields: [],
      controlId: 'LOOK',
      state: 'HELD',
    })
  })

  it('HOME-02 IFC-06 a message that waits for a person is on Home and announced to open pages, one that was accepted is neither', async () => {
    const partner = await system.open()
    const heldOnHome = async () => {
      const { queues } = (await system.staff.get('home')).body.data as {
        queues: { code: string; count: number; call: string }[]
      }
      return queues.find(({ code }) => code === 'HELD_MESSAGE')
    }
    const heard: string[] = []
    const stop = system.test.services.events.subscribe({}, ({ topic }) => heard.push(topic))
    const before = (await heldOnHome())?.count as number
    await partner.ask(partner.order({ obr: ['NOSUCH'] }))
    const queue = await heldOnHome()
    expect(queue?.count).toBe(before + 1)
    expect((await system.staff.get(`${queue?.call}&page=1&perPage=1`)).body.total).toBe(before + 1)
    await expect.poll(() => ['interfaces', 'home'].every((topic) => heard.includes(topic))).toBe(true)
    stop()
    await partner.ask(partner.order({}))
    expect((await heldOnHome())?.count).toBe(before + 1)
  })

  it('IFC-03 lists messages with filters, search, sort and counts by state', async () => {
    const partner = await system.open()
    await partner.ask(partner.order({ controlId: 'FIND-ME' }))
    await partner.ask(partner.order({ obr: ['NOSUCH'] }))
    const of = async (query: string) => (await system.staff.get(`interface_messages?${query}`)).body
    const filter = (text: string) => `filter=${encodeURIComponent(`[interfaceId:${partner.id}${text}]`)}`
    expect((await of(`${filter('')}&sort=[state,ASC]`)).data.map((row: { state: string }) => row.state)).toEqual([
      'ACCEPTED',
      'HELD',
    ])
    for (const text of [
      'controlId:FIND-ME',
      'search:FIND-ME',
      'direction:IN,state:ACCEPTED',
      'messageType:ORM^O01,ackCode:AA,state:ACCEPTED',
    ])
      expect((await of(filter(`,${text}`))).total, text).toBe(1)
    const counts = await system.staff.get(`interface_messages/state_count?${filter('')}`)
    expect(counts.body.data).toEqual([
      { state: 'ACCEPTED', count: 1 },
      { state: 'HELD', count: 1 },
    ])
    expect((await system.staff.get('/report/v3.0/interface_messages/export')).body.retval).toBe('SUCCESS')
  })
})

describe('a change of an order', () => {
  const placed = async () => {
    const partner = await system.open()
    const pid = `PID|1||M1^^^FAC||Change${nextNumber()}^Ines||19790509|F|||1 Old St^^Salem^OR^97301|`
    await partner.ask(
      partner.order({
        placer: 'A',
        pid,
        obr: ['CHOL'],
        more: ['DG1|1||E11.9', `ORC|NW|B||||||||||${partner.npi}`, 'OBR|2|B||HDL'],
      }),
    )
    const [row] = await partner.messages()
    return { partner, pid, reqId: row?.reqId as number }
  }
  const testsOf = async (reqId: number) => {
    const { rows } = await sql<{ codes: string[]; is_deleted: boolean }>`select r.deleted_at is not null as is_deleted,
      array(select t.code from requisition_test x join test t on t.id = x.test_id where x.requisition_id = r.id and x.deleted_at is null order by t.code) as codes
      from requisition r where r.id = ${reqId}`.execute(system.test.database.db)
    return rows[0]
  }

  it('IFC-17 CA takes off the tests of its placer number, and deletes the requisition when none is left', async () => {
    const { partner, pid, reqId } = await placed()
    await partner.ask(partner.order({ control: 'CA', placer: 'B', pid, obr: [] }))
    expect(await testsOf(reqId)).toEqual({ is_deleted: false, codes: ['CHOL'] })
    await partner.ask(partner.order({ control: 'CA', placer: 'A', pid, obr: [] }))
    expect((await testsOf(reqId))?.is_deleted).toBe(true)
    const again = await partner.ask(partner.order({ placer: 'A', pid, obr: ['LDL'] }))
    expect([codeOf(again), again.includes('205')]).toEqual(['AE', true])
    expect(await partner.messages(',state:HELD')).toEqual([])
  })

  it('IFC-17 XO makes the order what it says: tests, ICD and the data of the patient', async () => {
    const { partner, reqId, pid } = await placed()
    const changed = pid.replace('1 Old St', '2 New St')
    await partner.ask(partner.order({ control: 'XO', placer: 'A', pid: changed, obr: ['TRIG'], more: ['DG1|1||I10'] }))
    expect(await testsOf(reqId)).toEqual({ is_deleted: false, codes: ['TRIG'] })
    const { rows } = await sql<{ codes: string[]; addr1: string }>`select p.addr1,
      array(select i.code from requisition_icd x join icd i on i.id = x.icd_id where x.requisition_id = r.id) as codes
      from requisition r join patient p on p.id = r.patient_id where r.id = ${reqId}`.execute(system.test.database.db)
    expect(rows).toEqual([{ codes: ['I10'], addr1: '2 New St' }])
  })

  it('IFC-17 an XO that renames a patient whom others share waits for a person', async () => {
    const { partner, pid, reqId } = await placed()
    const { rows } = await sql<{ id: number }>`select patient_id as id from requisition where id = ${reqId}`.execute(
      system.test.database.db,
    )
    await system.test.given.requisition({ patient_id: rows[0]?.id as number })
    const renamed = pid.replace('^Ines|', '^Zara|')
    await partner.ask(partner.order({ control: 'XO', placer: 'A', pid: renamed, obr: ['TRIG'] }))
    const [held] = await heldOf(partner)
    expect(held).toMatchObject({ reqId, reason: 'Others share this patient' })
    expect((await testsOf(reqId))?.codes).not.toEqual(['TRIG'])
    const { body } = await system.staff.post(`interface_messages/${held?.id}/reprocess`, { approve: 1 })
    expect([body.data.state, (await testsOf(reqId))?.codes]).toEqual(['ACCEPTED', ['TRIG']])
  })

  it('IFC-06 IFC-17 holds both once a specimen is received, with one issue for IT that closes itself', async () => {
    const { partner, pid, reqId } = await placed()
    await system.test.given.specimen(reqId)
    await partner.ask(partner.order({ control: 'CA', placer: 'A', pid, obr: [] }))
    await partner.ask(partner.order({ control: 'XO', placer: 'A', pid, obr: ['TRIG'] }))
    const held = await heldOf(partner)
    expect(held).toHaveLength(2)
    expect((await stateOf(held[0]?.id as number)).problems).toMatchObject([{ code: 'NOT_ALLOWED_NOW' }])
    const issues = async () => {
      const { rows } = await sql<{
        status_code: string
      }>`select i.status_code from issue i join issue_type t on t.id = i.issue_type_id
        where i.requisition_id = ${reqId} and t.code = 'INTERFACE'`.execute(system.test.database.db)
      return rows.map((row) => row.status_code)
    }
    expect(await issues()).toEqual(['OPEN'])
    for (const { id } of held) await system.staff.post(`interface_messages/${id}/dismiss`, { reason: 'Too late' })
    expect(await issues()).toEqual(['RESOLVED'])
  })

  const issuesOf = async (reqId: number) => {
    const { rows } = await sql<{ status: string; issue: string }>`select i.status_code as status, i.description as issue
      from issue i join issue_type t on t.id = i.issue_type_id where i.requisition_id = ${reqId} and t.code = 'INTERFACE'`.execute(
      system.test.database.db,
    )
    return rows
  }

  it('IFC-06 names the requisition of a change that a rule refuses, and raises its issue', async () => {
    const { partner, pid, reqId } = await placed()
    const tooLong = pid.replace('^Ines|', `^Ines^${'x'.repeat(300)}|`)
    await partner.ask(partner.order({ control: 'XO', placer: 'A', pid: tooLong, obr: ['TRIG'] }))
    const [held] = await heldOf(partner)
    expect(held).toMatchObject({ reqId, reason: expect.stringContaining('Middle') })
    expect(await issuesOf(reqId)).toMatchObject([{ status: 'OPEN' }])
    await system.staff.post(`interface_messages/${held?.id}/dismiss`, { reason: 'Sent again' })
    expect(await issuesOf(reqId)).toMatchObject([{ status: 'RESOLVED' }])
  })

  it('IFC-06 a message that fails by a fault of ours raises the issue of its requisition until it is processed', async () => {
    const { partner, pid, reqId } = await placed()
    const { owner } = system.test.database
    await owner.query(`create function broken() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
      create trigger broken before update on interface_order for each row when (new.partner_id = ${partner.id}) execute function broken()`)
    await partner.ask(partner.order({ control: 'CA', placer: 'A', pid, obr: [] }))
    await expect.poll(async () => (await partner.messages(',state:FAILED')).length).toBe(1)
    await owner.query('drop trigger broken on interface_order; drop function broken()')
    const [failed] = await partner.messages(',state:FAILED')
    expect(failed).toMatchObject({ reqId })
    expect(await issuesOf(reqId)).toMatchObject([{ status: 'OPEN', issue: expect.stringContaining('failed') }])
    await system.staff.post(`interface_messages/${failed?.id}/reprocess`, {})
    expect(await issuesOf(reqId)).toMatchObject([{ status: 'RESOLVED' }])
  })

  it('IFC-17 is AE 204 for a placer number that is not known', async () => {
    const partner = await system.open()
    for (const control of ['CA', 'XO']) {
      const answer = await partner.ask(partner.order({ control }))
      expect([codeOf(answer), segmentsOf(answer, 'ERR')[0]?.slice(2, 4)]).toEqual([
        'AE',
        ['ORC^1^2', '204^Unknown key identifier^HL70357'],
      ])
    }
  })

  it('IFC-17 a CA that names a known and an unknown number cancels nothing and names the unknown one', async () => {
    const { partner, pid, reqId } = await placed()
    const before = await testsOf(reqId)
    const text = partner.order({ control: 'CA', placer: 'A', pid, obr: [], more: ['ORC|CA|NONE', 'ORC|CA|B'] })
    const answer = await partner.ask(text)
    expect([codeOf(answer), segmentsOf(answer, 'ERR').map((fields) => fields.slice(2, 4))]).toEqual([
      'AE',
      [['ORC^2^2', '204^Unknown key identifier^HL70357']],
    ])
    expect(await testsOf(reqId)).toEqual(before)
  })
})

describe('a message about a patient', () => {
  const adt = (partner: OpenPartner, event: string, segments: string[]) =>
    [
      `MSH|^~\\&|${partner.app}|FAC|LIS|LAB|20261118||ADT^${event}|T${nextNumber()}|P|2.5.1`,
      'EVN||20261118',
      ...segments,
    ].join('\r')

  it('IFC-19 IFC-22 updates the patient of the partner; demographic QC is open again', async () => {
    const partner = await system.open()
    const name = `Adt${nextNumber()}`
    await partner.ask(partner.order({ pid: `PID|1||M1^^^FAC||${name}^Ines||19790509|F` }))
    const [row] = await partner.messages()
    await system.test.database.owner.query(
      `set session_replication_role = replica; update requisition set is_dem_qc_pass = true where id = ${row?.reqId}; set session_replication_role = origin`,
    )
    const answer = await partner.ask(
      adt(partner, 'A08', [`PID|1||M1^^^FAC||${name}x^Ines||19790509|F|||9 New St^^Salem^OR^97301`]),
    )
    expect([codeOf(answer), segmentsOf(answer, 'MSH')[0]?.[8]]).toEqual(['AA', 'ACK^A08'])
    const { rows } =
      await sql`select p.last_name, p.addr1, r.is_dem_qc_pass from requisition r join patient p on p.id = r.patient_id
      where r.id = ${row?.reqId}`.execute(system.test.database.db)
    expect(rows).toEqual([{ last_name: `${name}x`, addr1: '9 New St', is_dem_qc_pass: false }])
  })

  it('IFC-19 accepts messages about a patient whom the partner never sent, and changes nothing', async () => {
    const partner = await system.open()
    for (const event of ['A04', 'A31'])
      await partner.ask(adt(partner, event, ['PID|1||M9^^^FAC||Nobody^Known||19790509|F']))
    expect(await partner.messages()).toMatchObject([{ state: 'ACCEPTED', patientId: null }, { state: 'ACCEPTED' }])
  })

  it('IFC-19 DAY-30 holds a merge of two known patients until somebody who may merge approves it', async () => {
    const partner = await system.open()
    await partner.ask(partner.order({ pid: `PID|1||M1^^^FAC||Kept${nextNumber()}^Ines||19790509|F` }))
    await partner.ask(partner.order({ pid: `PID|1||M2^^^FAC||Gone${nextNumber()}^Ines||19790509|F` }))
    await partner.ask(adt(partner, 'A40', ['PID|1||M1^^^FAC||Kept^Ines||19790509|F', 'MRG|M2^^^FAC']))
    const [waiting] = await heldOf(partner)
    expect(waiting).toMatchObject({ state: 'HELD', reason: 'Two patients are to be merged' })
    const approve = `interface_messages/${waiting?.id}/reprocess`
    expect((await system.staff.post(approve, { approve: 1 })).status).toBe(403)
    const manager = await system.test.as('MGMT')
    expect((await manager.post(approve, { approve: 1 })).body.data.state).toBe('ACCEPTED')
    const orders = (await partner.messages()).filter(({ reqId }) => reqId !== null)
    const patients = await Promise.all(
      orders.map(async ({ reqId }) => (await manager.get(`requisitions/${reqId}/patient`)).body.data.patient.id),
    )
    expect([orders.length, new Set(patients).size]).toEqual([2, 1])
  })
})
