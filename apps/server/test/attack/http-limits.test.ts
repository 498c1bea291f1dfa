import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../app.ts'

const test = openTestApp({ env: { RATE_LIMIT_PER_MINUTE: '60', SIGN_IN_LIMIT_PER_MINUTE: '10' } })
const behindProxy = openTestApp({ env: { SIGN_IN_LIMIT_PER_MINUTE: '10', TRUST_PROXY: '1' } })

/** Too many for the limit however the minute turns in between. */
const tries = <T>(count: number, call: (no: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, no) => call(no)))

const signIn = (headers: Record<string, string>, remoteAddress = '192.0.2.1') => ({
  method: 'POST' as const,
  url: '/idp',
  remoteAddress,
  headers: {
    'content-type': 'application/x-amz-json-1.1',
    'x-amz-target': 'AWSCognitoIdentityProviderService.InitiateAuth',
    ...headers,
  },
  payload: JSON.stringify({
    AuthFlow: 'USER_PASSWORD_AUTH',
    ClientId: 'lis-web',
    AuthParameters: { USERNAME: `nobody-${randomUUID()}`, PASSWORD: 'x' },
  }),
})
const invented = () => ({ authorization: `Bearer ${randomUUID()}` })
const claimed = (no: number) => ({
  'x-forwarded-for': `203.0.113.${no}`,
  forwarded: `for=203.0.113.${no}`,
  'x-real-ip': `203.0.113.${no}`,
})
const refused = (replies: { status: number }[]) => replies.filter(({ status }) => status === 429).length

describe('limits', () => {
  it('on signing in cannot be evaded by an invented token or address', async () => {
    const replies = await tries(30, (no) => test.inject(signIn({ ...invented(), ...claimed(no) })))
    expect(refused(replies)).toBeGreaterThanOrEqual(10)
  })

  it('on calls without a session cannot be evaded by invented tokens, and callers with a session are not affected', async () => {
    const staff = await test.as('STF')
    expect((await staff.get('flags')).status).toBe(200)
    const replies = await tries(180, (no) =>
      test.nobody.put(`users/${randomUUID()}/unsubscribe`, {}, { ...invented(), ...claimed(no) }),
    )
    expect(refused(replies)).toBeGreaterThanOrEqual(60)
    expect((await staff.get('flags')).status).toBe(200)
  })

  it('on signing in apply to every way to try a name, a password or a code', async () => {
    const staff = await test.as('STF')
    const bearer = { authorization: `Bearer ${staff.token}` }
    const newPwd = 'Correct-Horse-2026!'
    const ways = [
      ['PUT', 'mfa/forgot_pwd/nobody', {}],
      ['PUT', 'mfa/confirm_pwd', { userName: 'nobody', newPwd, token: 'x' }],
      ['PUT', 'mfa/check_link', { token: 'x' }],
      ['PUT', 'mfa/profile/chg_exp_pwd', { currentPwd: 'x', newPwd, accessToken: 'x' }],
      ['POST', 'login', { userName: 'nobody', pwd: 'x' }],
    ] as const
    for (const [no, [method, path, payload]] of ways.entries()) {
      const call = { method, url: `/api/v3.0/${path}`, payload, headers: bearer, remoteAddress: `192.0.2.${50 + no}` }
      const replies = await tries(30, () => test.inject(call))
      expect([path, refused(replies) >= 10]).toEqual([path, true])
    }
    expect((await staff.get('flags')).status).toBe(200)
  })

  it('HOME-10 let ten wall boards behind one address read every ten seconds without using up its sign-ins, but not without limit', async () => {
    const address = '192.0.2.80'
    const board = { method: 'GET' as const, url: `/api/v3.0/boards/view/${'x'.repeat(32)}`, remoteAddress: address }
    const replies = await tries(50, () => test.inject(board))
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 404))
    expect((await test.inject(signIn({}, address))).status).not.toBe(429)
    expect(refused(await tries(180, () => test.inject(board)))).toBeGreaterThanOrEqual(60)
    expect((await test.inject(signIn({}, address))).status).not.toBe(429)
  })

  it('let everyone in a practice renew tokens at once from one address, even when sign-ins are used up, but not without limit', async () => {
    const address = '192.0.2.90'
    const renew = (token: string) => ({
      ...signIn({}, address),
      payload: JSON.stringify({
        AuthFlow: 'REFRESH_TOKEN_AUTH',
        ClientId: 'lis-web',
        AuthParameters: { REFRESH_TOKEN: token },
      }),
    })
    await tries(30, () => test.inject(signIn({}, address)))
    const replies = await tries(40, (no) => test.inject(renew(`token of person ${no}`)))
    expect(refused(replies)).toBe(0)
    expect(refused(await tries(180, (no) => test.inject(renew(`invented ${no}`))))).toBeGreaterThanOrEqual(60)
  })

  it('trust only the address that the proxy has added itself', async () => {
    const forged = await tries(30, (no) =>
      behindProxy.inject(signIn({ 'x-forwarded-for': `203.0.113.${no}, 198.51.100.7` })),
    )
    expect(refused(forged)).toBeGreaterThanOrEqual(10)
    const other = await behindProxy.inject(signIn({ 'x-forwarded-for': '203.0.113.1, 198.51.100.8' }))
    expect(other.status).toBe(400)
  })
})

describe('bodies', () => {
  const send = (payload: string | Buffer, headers: Record<string, string> = {}) =>
    behindProxy.inject({
      method: 'POST',
      url: '/api/v3.0/mfa/login',
      headers: { 'content-type': 'application/json', ...headers },
      payload,
    })

  it('nested deeper than any form are rejected before parsing, brackets inside strings are not', async () => {
    const deep = await send(`{"accessToken":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)
    expect([deep.status, deep.body.message]).toEqual([400, 'The body is nested too deeply'])
    const { id } = await behindProxy.given.requisition()
    const note = await (await behindProxy.as('MGMT')).post(`requisitions/${id}/bill_notes`, {
      note: '[{"\\'.repeat(400),
    })
    expect(note.status).toBe(200)
  })

  it.each([
    '{"__proto__":{"role":"ADM"},"accessToken":"x"}',
    '{"constructor":{"prototype":{"role":"ADM"}},"accessToken":"x"}',
  ])('that reach for the prototype of all things are refused: %s', async (payload) => {
    expect((await send(payload)).status).toBe(400)
    expect(({} as { role?: string }).role).toBeUndefined()
  })

  it('are never decompressed', async () => {
    for (const encoding of ['gzip', 'br', 'deflate', 'x-gzip'])
      expect((await send(gzipSync(Buffer.alloc(20_000_000)), { 'content-encoding': encoding })).status).toBe(400)
  })

  it('of another site are not read: a form is not JSON, no reply allows another origin, and no cookie authenticates a call', async () => {
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']
    for (const type of types) {
      const { status, headers } = await send('{"accessToken":"x"}', {
        'content-type': type,
        origin: 'https://evil.example',
      })
      expect([type, status]).toEqual([type, 415])
      expect(Object.keys(headers).filter((name) => /^access-control|set-cookie/.test(name))).toEqual([])
    }
    const asked = await behindProxy.inject({
      method: 'OPTIONS',
      url: '/api/v3.0/flags',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'PUT' },
    })
    expect([asked.status, asked.headers['access-control-allow-origin']]).toEqual([404, undefined])
    const staff = await behindProxy.as('STF')
    const cookie = await behindProxy.nobody.get('flags', { cookie: `token=${staff.token}; auth=${staff.token}` })
    expect(cookie.status).toBe(401)
  })
})

describe('every reply, also an error', () => {
  const addresses = [
    '/healthz',
    '/api/v3.0/config',
    '/api/v3.0/flags',
    '/nothing/here.txt',
    '/storage/x',
    '/docs/api',
    '/demo/outbox',
    '/%zz',
    '/idp/.well-known/jwks.json',
    '/metrics',
  ]

  it.each(addresses)('%s forbids frames, guessing of types and sending of addresses', async (url) => {
    const { headers } = await behindProxy.inject({ method: 'GET', url })
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
  })

  it('does not repeat a malformed URL', async () => {
    const { status, body } = await behindProxy.inject({ method: 'GET', url: '/%zz<script>' })
    expect([status, body]).toEqual([
      400,
      { code: 'invalid', message: 'The address is not valid', requestId: expect.any(String) },
    ])
  })
})

describe('fields that a caller may not set', () => {
  const more = {
    id: 1,
    version: 99,
    createdBy: 1,
    createdAt: '1970-01-01',
    deletedAt: '1970-01-01',
    roleCode: 'ADM',
    userRoleCode: 'ADM',
  }

  it('are not changed when a client user sends them', async () => {
    const own = await behindProxy.given.client()
    const other = await behindProxy.given.client()
    const user = await behindProxy.as('CLNT', own.id)
    const put = (fields: object) =>
      user.put(`mfa/profile/${user.userId}`, {
        userFirstName: 'Ann',
        userLastName: 'Lee',
        clientId: other.id,
        entityId: other.id,
        ...fields,
      })
    // A version is the one that the caller has read.
    expect((await put(more)).status).toBe(409)
    expect((await put({ ...more, version: undefined })).status).toBe(200)
    const { rows } = await behindProxy.database.owner.query(
      'select role_code, client_id, deleted_at from app_user where id = $1',
      [user.userId],
    )
    expect(rows).toEqual([{ role_code: 'CLNT', client_id: own.id, deleted_at: null }])
    expect((await user.get('clients')).body.total).toBe(1)
  })

  it('are not set when a record is created', async () => {
    const lab = await behindProxy.as('MGMT')
    const note = await behindProxy.given.requisition()
    const { status, body } = await lab.post(`requisitions/${note.id}/bill_notes`, {
      note: 'Called',
      requisitionId: 1,
      ...more,
    })
    expect(status).toBe(200)
    const { rows } = await behindProxy.database.owner.query('select * from billing_note where requisition_id = $1', [
      note.id,
    ])
    expect(rows).toMatchObject([{ created_by: lab.userId }])
    expect([rows.length, body.data?.version === 99]).toEqual([1, false])
  })
})
