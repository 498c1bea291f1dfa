import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeApiClient } from '../../../test/api-client.ts'
import { fhirCaller } from '../../../test/fhir.ts'
import { segmentsOf } from '../../../test/mllp-client.ts'
import { openPartnerSystem } from '../../../test/partner-system.ts'
import { faultWords } from './hl7-faults.ts'

/** docs/interfaces.md as the partner's engineer reads it. */
const page = readFileSync(join(import.meta.dirname, '../../../../../docs/interfaces.md'), 'utf8')
const examples = [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, , text = '']) => text)
const example = (isIt: (text: string) => boolean): string => {
  const found = examples.find(isIt)
  if (found === undefined) throw new Error('The page has no such example')
  return found
}
const hl7 = (type: string) =>
  example((text) => text.startsWith('MSH|') && text.includes(`|${type}|`)).replaceAll('\n', '\r')

const system = openPartnerSystem()
let partner: Awaited<ReturnType<typeof system.open>>
const codes = [{ code: 'LIPID' }, { code: 'GLYHB' }]

beforeAll(async () => {
  const { test, admin } = system
  partner = await system.open({ sendingApp: 'SALTMARSH EHR', sendingFacility: 'SM-2041' })
  const { rows } = await test.database.owner.query("select id from test where code in ('CHOL', 'HDL') order by code")
  const table = codes.map(({ code }, place) => ({ code, testId: rows[place].id }))
  await admin.put(`interfaces/${partner.id}/codes`, { codes: table })
  await test.database.owner.query("update physician set npi_number = '1730556218' where id = $1", [partner.physId])
  const api = await makeApiClient(test, admin, { userRoleCode: 'CLNT', entityId: partner.clientId })
  const fhir = { name: 'Saltmarsh FHIR', kind: 'FHIR', clientId: partner.clientId, apiClientId: api.id }
  const { body } = await admin.post('interfaces', fhir)
  await admin.put(`interfaces/${body.data.id}/codes`, { codes: table })
  practice = fhirCaller(test, api.token)
})
let practice: ReturnType<typeof fhirCaller>

describe('the examples of docs/interfaces.md', () => {
  it('IFC-43 the HL7 order makes a requisition, and the answer is as the page shows it', async () => {
    const answer = await partner.ask(hl7('ORM^O01'))
    const [shown] = segmentsOf(example((text) => text.includes('ACK^O01')).replaceAll('\n', '\r'), 'MSA')
    expect(segmentsOf(answer, 'MSA')[0]?.slice(0, 3)).toEqual(shown)
    const [message, ...others] = await partner.messages()
    expect([message, others]).toMatchObject([{ state: 'ACCEPTED', reqId: expect.any(Number) }, []])
    const { rows } = await system.test.database.owner.query(
      'select i.policy_no, i.policy_holder from insurance i join billing b on b.id = i.billing_id where b.requisition_id = $1',
      [message?.reqId],
    )
    expect(rows).toEqual([{ policy_no: '1EG4TE5', policy_holder: 'Inés Vargas' }])
  })

  it('IFC-43 the ADT message changes the patient of that order', async () => {
    const answer = await partner.ask(hl7('ADT^A08'))
    expect(segmentsOf(answer, 'MSA')[0]?.[1]).toBe('AA')
    const [message] = await partner.messages(',messageType:ADT^A08')
    expect(message).toMatchObject({ state: 'ACCEPTED', patientId: expect.any(Number) })
    const { rows } = await system.test.database.owner.query('select addr1, zip from patient where id = $1', [
      message?.patientId,
    ])
    expect(rows).toEqual([{ addr1: '12 Cedar Ave', zip: '97302' }])
  })

  it('IFC-43 the Bundle is answered 200 with what was made', async () => {
    const { status, body } = await practice.post('', JSON.parse(example((text) => text.includes('"transaction"'))))
    expect([status, body.type], JSON.stringify(body)).toEqual([200, 'transaction-response'])
  })

  it('IFC-43 the page names every code of an HL7 fault and of an OAuth fault, and every status of FHIR', () => {
    const named = new Set(
      [...page.matchAll(/^\|([^|]+)\|/gm)].flatMap(([, cell = '']) => cell.split(',').map((one) => one.trim())),
    )
    const oauth = [
      'invalid_client',
      'invalid_scope',
      'unsupported_grant_type',
      'invalid_request',
      'server_error',
      'temporarily_unavailable',
    ]
    const fhir = [400, 401, 403, 404, 405, 406, 409, 412, 304, 413, 415, 422, 429, 500, 503]
    for (const one of [...Object.keys(faultWords), ...fhir, ...oauth.map((code) => `\`${code}\``)])
      expect(named, String(one)).toContain(String(one))
  })
})
