import { type DemoPartner, demoPartners } from '../seeds/demo/partners.ts'
import { openPartnerMessages } from '../seeds/laboratory/partner-messages.ts'
import { receiveHl7 } from './modules/interfaces/intake.ts'
import { openWorkQueue } from './modules/interfaces/work-queue.ts'
import type { Config } from './platform/config.ts'
import type { Pool } from './platform/db/pool.ts'
import { scopedDatabases } from './platform/db/scope.ts'
import type { Log } from './platform/log.ts'

interface Practice {
  partnerId: number
  clientId: number
  npi: string
  physician: string
}

/**
 * Sets up the interfaces of the demo laboratory and receives their messages, by the same path as any message: some are accepted, some held,
 * some rejected. A few results are on their way to a system that does not answer.
 */
export const loadDemoPartners = async (owner: Pool, config: Config, log: Log) => {
  const services = { config, log, databases: scopedDatabases(owner) }
  const queue = openWorkQueue(services)
  for (const [index, partner] of demoPartners.entries()) {
    const practice = await addPartner(owner, partner, index)
    if (!practice) continue
    for (const text of messagesOf(partner, practice, index + 1)) {
      const { work } = await receiveHl7(services, Buffer.from(text))
      if (work) await queue.add(work)
    }
    await addResults(owner, partner, practice)
  }
  await queue.stop()
  await spreadOverMorning(owner)
}

/** A client that orders by HL7, has all that an order needs, and is not the one of the demo's account. */
const addPartner = async (owner: Pool, partner: DemoPartner, index: number): Promise<Practice | undefined> => {
  const { rows } = await owner.query<Practice>(
    `with practice as (
       select c.id as client_id, c.name, ph.npi_number, ph.last_name || '^' || ph.first_name as physician
       from client c join lateral (select ph.* from client_physician cp join physician ph on ph.id = cp.physician_id and ph.deleted_at is null
           where cp.client_id = c.id and cp.deleted_at is null and ph.npi_number ~ '^\\d{10}$' order by cp.id limit 1) ph on true
       where c.req_type_code = 'HL7' and c.deleted_at is null and c.zone <> 'TZNA'
         and exists (select from client_lab l where l.client_id = c.id) and exists (select from client_event e where e.client_id = c.id and e.deleted_at is null)
         and not exists (select from app_user u where u.client_id = c.id)
       order by c.id offset $1 limit 1),
     made as (
       insert into interface_partner (name, kind, client_id, auto_accept, sending_app, sending_facility, result_url)
       select name, 'HL7', client_id, $2, $3, $4, $5 from practice returning id)
     select m.id as "partnerId", p.client_id as "clientId", p.npi_number as npi, p.physician from made m, practice p`,
    [index, partner.autoAccept, partner.app, partner.facility, partner.resultUrl],
  )
  const [practice] = rows
  if (practice)
    await owner.query(
      `insert into interface_code (partner_id, code, test_id) select $1, w.code, t.id from json_each_text($2) as w(code, ours) join test t on t.code = w.ours`,
      [practice.partnerId, JSON.stringify(partner.codes)],
    )
  return practice
}

const messagesOf = (
  { app, facility, tests, kinds }: DemoPartner,
  { npi, physician }: Practice,
  seed: number,
): string[] => {
  const system = openPartnerMessages({ app, facility, npi, physician, tests }, { run: facility, seed })
  return kinds.flatMap((kind) => {
    if (kind === 'unknown code') return [system.order({ tests: ['LIPID^Lipid panel^L', 'GLYHB^Glycated Hb^L'] }).text]
    if (kind !== 'other birth date') return [system.next(kind).text]
    const first = system.order()
    const pid = first.text.split('\r').find((segment) => segment.startsWith('PID')) ?? ''
    const swapped = pid.replace(
      /\|(\d{4})(\d{2})(\d{2})\|([MF])\|/,
      (_, year, month, day, sex) => `|${year}${Number(day) <= 12 ? day : '07'}${month}|${sex}|`,
    )
    return [first.text, system.order({ pid: swapped }).text]
  })
}

/** Results of reports that were released before: delivered ones, refused ones, and those for a system that is down. */
const addResults = async (owner: Pool, { results, resultUrl }: DemoPartner, { partnerId, clientId }: Practice) => {
  for (const [index, { state, reason }] of results.entries())
    await owner.query(
      `with report_of as (select r.id, r.patient_id from requisition r where r.client_id = $1 and r.status_code in ('RELEASE', 'DELIVER') and r.deleted_at is null
         order by r.id desc offset $2 limit 1),
       sent as (insert into outbox_message (channel, recipient, body, state, attempts, sent_at)
         select 'HL7', $3, 'MSH|^~\\&|LIS|LAB|||20260101||ORU^R01|{reference}|P|2.5.1', $4, 1, case when $4 = 'SENT' then now() end from report_of returning id)
       insert into interface_message (direction, kind, partner_id, message_type, control_id, state, ack_code, reason, requisition_id, patient_id, outbox_message_id, settled_at)
       select 'OUT', 'HL7', $5, 'ORU^R01', 'lis-' || s.id, $6, $7, $8, o.id, o.patient_id, s.id, case when $6 = 'SENT' then now() end from report_of o, sent s`,
      [
        clientId,
        index,
        resultUrl ?? 'mllp://results.example.com:6661',
        { SENT: 'SENT', FAILED: 'DEAD', RETRYING: 'FAILED' }[state],
        partnerId,
        state,
        state === 'RETRYING' ? null : state === 'SENT' ? 'AA' : 'AE',
        reason,
      ],
    )
}

const minutesBetween = 9

/** They were all made at this moment; here they are spread over a morning. */
const spreadOverMorning = async (owner: Pool) => {
  await owner.query(
    `with placed as (select id, row_number() over (order by id desc) as place from interface_message)
     update interface_message m set received_at = now() - make_interval(mins => p.place::int * ${minutesBetween}),
       settled_at = case when m.settled_at is not null then now() - make_interval(mins => p.place::int * ${minutesBetween}) + interval '0.4 seconds' end
     from placed p where p.id = m.id`,
  )
}
