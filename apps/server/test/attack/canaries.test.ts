import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp, type Reply } from '../app.ts'

const lines: string[] = []
const test = openTestApp({ env: { LOG_LEVEL: 'trace' }, log: { write: (line) => void lines.push(line) } })

/** Values that occur nowhere else; where one is found, it has leaked. */
const canary = {
  patientFirstName: 'Canaryfirst',
  patientLastName: 'Canarylast',
  patientMiddleName: 'Canarymiddle',
  patientSsn: '519-28-3746',
  patientDob: '1939-08-27',
  note: 'canary-note-text',
  userName: 'canary.person',
  password: 'Canary-Password-2026!',
  wrongPassword: 'Canary-Wrong-2026!',
  email: 'canary@mail.example',
  phone: '19998887766',
  search: 'canarysearch',
}
const secrets = new Map<string, string>(Object.entries({ ...canary, ssnDigits: '519283746' }))

const idp = (operation: string, body: object): Promise<Reply> =>
  test
    .inject({
      method: 'POST',
      url: '/idp',
      headers: { 'content-type': 'application/json', 'x-amz-target': `AWSCognitoIdentityProviderService.${operation}` },
      payload: { ClientId: 'lis-web', ...body },
    })
    .then((reply) => ({ ...reply, body: typeof reply.body === 'string' ? JSON.parse(reply.body || '{}') : reply.body }))
const password = (value: string) =>
  idp('InitiateAuth', {
    AuthFlow: 'USER_PASSWORD_AUTH',
    AuthParameters: { USERNAME: canary.userName, PASSWORD: value },
  })
const newest = async (column: 'recipient' | 'body', value: string) =>
  (
    await test.database.owner.query(`select body from outbox_message where ${column} = $1 order by id desc limit 1`, [
      value,
    ])
  ).rows[0]?.body as string

const outside: string[] = []
const { fetch } = globalThis
beforeAll(() => {
  globalThis.fetch = (input, init) => {
    outside.push(String(input instanceof Request ? input.url : input))
    return fetch(input, init)
  }
})
afterAll(() => {
  globalThis.fetch = fetch
})

describe('patient data and credentials', () => {
  beforeAll(async () => {
    await signInOut()
    await patientFlow()
    await failInside()
  })

  /** Wrong and right passwords, codes, tokens, a forgotten password. */
  const signInOut = async () => {
    const { id } = await test.given.user('MGMT', undefined, {
      user_name: canary.userName,
      email: canary.email,
      phone: canary.phone,
    })
    const { identity } = test.services
    const { userName } = canary
    await identity.createUser(test.database.db, {
      userId: id,
      userName,
      temporaryPassword: canary.password,
    })
    await identity.setPassword(test.database.db, userName, canary.password, true)
    expect((await password(canary.wrongPassword)).status).toBe(400)
    const { Session } = (await password(canary.password)).body
    const code = /\b\d{6}\b/.exec(await newest('recipient', canary.phone))?.[0] ?? ''
    const step = { ChallengeName: 'SMS_MFA', Session, ChallengeResponses: { USERNAME: userName, SMS_MFA_CODE: code } }
    const tokens = (await idp('RespondToAuthChallenge', step)).body.AuthenticationResult
    const opened = await test.nobody.post('mfa/login', { accessToken: tokens.AccessToken })
    expect(opened.status).toBe(200)
    await test.nobody.put(`mfa/forgot_pwd/${userName}`)
    const link = /reset\/([\w-]+)/.exec(await newest('recipient', canary.email))?.[1] ?? ''
    await test.nobody.put('mfa/confirm_pwd', { userName, newPwd: canary.password, token: link, verificationCode: code })
    for (const [name, value] of Object.entries({ code, session: opened.body.data.token, link, ...tokens }))
      if (typeof value === 'string' && name !== 'TokenType') secrets.set(name, value)
    expect([code.length, link.length > 20]).toEqual([6, true])
  }

  /** Created, searched for in every way, refused, shown, exported. */
  const patientFlow = async () => {
    const lab = await test.as('MGMT')
    const { patientFirstName, patientLastName, patientMiddleName, patientSsn, patientDob } = canary
    const named = { patientFirstName, patientLastName, patientMiddleName, patientSsn, patientDob }
    const made = await lab.post('requisitions', await test.given.requisitionBody(named))
    expect(made.status, JSON.stringify(made.body)).toBe(200)
    const { id } = made.body.data
    const patientId = (await lab.get(`requisitions/${id}/patient`)).body.data.patient.id
    const asked = [
      `patients?filter=[patientLastName:${patientLastName}]`,
      `patients?search=${patientLastName}`,
      `requisitions/ALL?filter=[search:${canary.search}]`,
      `requisitions/ALL?patientLastName=${patientLastName}&patientDob=${patientDob}`,
      `requisitions/ALL?filter=[nothing:${patientLastName}]`,
      `requisitions/ALL?sort=${patientLastName}`,
      `quick_jump?q=${patientLastName}`,
      `nothing/${patientLastName}?ssn=${patientSsn}`,
    ]
    for (const path of asked) await lab.get(path)
    await lab.post(`requisitions/${id}/bill_notes`, { note: canary.note })
    await lab.post(`requisitions/${id}/bill_notes`, { note: canary.note.repeat(1000) })
    await lab.put(`requisitions/${id}/patients/${patientId}`, { ...named, patientEmail: canary.email.repeat(2) })
    await lab.post('requisitions', { ...named, clientId: canary.note })
    await lab.post(`requisitions/${id}/patients/${patientId}/ssn`, { reason: canary.note })
    const link = (await lab.get(`requisitions/ALL/export?format=csv&patientLastName=${patientLastName}`)).body.data.url
    secrets.set('signature', new URL(link).searchParams.get('signature') ?? '')
    const file = await test.inject({ method: 'GET', url: link.slice(new URL(link).origin.length) })
    expect(file.body).toContain(patientLastName)
    await test.inject({ method: 'GET', url: `/storage/x?name=${patientLastName}` })
  }

  /** A database error that quotes its input. */
  const failInside = async () => {
    const lab = await test.as('MGMT')
    const { id } = await test.given.requisition()
    await test.database.owner.query(`
      create function fail_loudly() returns trigger language plpgsql as
        $$ begin raise exception 'cannot store "%" here', new.note using detail = new.note, hint = new.note; end $$;
      create trigger fail_loudly before insert on billing_note for each row execute function fail_loudly()`)
    const { status, body } = await lab.post(`requisitions/${id}/bill_notes`, { note: canary.note })
    await test.database.owner.query('drop trigger fail_loudly on billing_note')
    expect([status, JSON.stringify(body).includes(canary.note)]).toEqual([500, false])
  }

  const found = (text: string) =>
    [...secrets].filter(([, value]) => text.toLowerCase().includes(value.toLowerCase())).map(([name]) => name)

  it('are not in the log, even at the most verbose level', () => {
    const log = lines.join('')
    expect(lines.length).toBeGreaterThan(20)
    expect(log).toContain('request failed')
    expect(found(log)).toEqual([])
  })

  it('are not in the metrics', async () => {
    expect(found((await test.nobody.get('/metrics')).body)).toEqual([])
  })

  it('are not sent to any external service', () => {
    expect(outside).toEqual([])
  })
})
