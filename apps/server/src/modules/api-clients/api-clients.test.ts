import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { UnsecuredJWT } from 'jose'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  askToken,
  assertionType,
  basic,
  bearer,
  makeApiClient,
  makeKey,
  signAssertion,
} from '../../../test/api-client.ts'
import { type Caller, openTestApp } from '../../../test/app.ts'

const test = openTestApp({ env: { OUTBOUND_ALLOW: 'localhost, 127.0.0.1' } })
let admin: Caller
beforeAll(async () => {
  admin = await test.as('ADM')
})

const audience = () => `${test.services.config.publicUrl}/oauth2/token`
const fieldsOf = (body: { errors: { field: string }[] }) => body.errors.map(({ field }) => field)
const input = (over: Record<string, unknown> = {}) => ({
  name: 'Portal',
  userRoleCode: 'ADM',
  scopes: ['lis/read', 'system/*.rs'],
  useSecret: 1,
  ...over,
})
const read = (token: string, path = 'users') =>
  test.inject({ method: 'GET', url: `/api/v3.0/${path}`, headers: bearer(token) })

describe('API clients', () => {
  it('IFC-40 are made, listed, changed and deleted, and the secret is shown once', async () => {
    const client = await test.given.client()
    const sent = input({
      name: 'Saltmarsh portal',
      userRoleCode: 'CLNT',
      entityId: client.id,
      expiryDate: '2031-12-31',
    })
    const { status, body } = await admin.post('api_clients', sent)
    expect([status, body.data]).toEqual([
      200,
      { id: expect.any(Number), clientId: expect.any(String), clientSecret: expect.any(String) },
    ])
    const path = `api_clients/${body.data.id}`
    const one = (await admin.get(path)).body.data
    expect(one).toMatchObject({
      ...sent,
      clientId: body.data.clientId,
      entityName: expect.any(String),
      state: 'ACTIVE',
      lastUsedDate: null,
    })
    expect(JSON.stringify(one)).not.toContain(body.data.clientSecret)
    const stored = await test.database.owner.query('select * from api_client where id = $1', [body.data.id])
    expect(JSON.stringify(stored.rows)).not.toContain(body.data.clientSecret)
    await askToken(test, {}, basic(body.data.clientId, body.data.clientSecret))
    expect((await admin.get('api_clients?filter=[search:Saltmarsh]')).body.data[0].lastUsedDate).not.toBeNull()
    expect((await admin.put(path, { expiryDate: '2020-01-01' })).body.data.state).toBe('EXPIRED')
    expect((await admin.del(path)).status).toBe(200)
    expect((await admin.get(path)).status).toBe(404)
    expect(
      (await admin.get('users?perPage=100')).body.data.map((user: { userName: string }) => user.userName).join(),
    ).not.toContain('api:')
  })

  const privateKey = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ format: 'jwk' })
  it.each([
    [{ name: '' }, 'name'],
    [{ userRoleCode: 'GST' }, 'userRoleCode'],
    [{ userRoleCode: 'CLNT' }, 'entityId'],
    [{ userRoleCode: 'CLNT', entityId: 999_999 }, 'entityId'],
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['system/Patient.sr'] }, 'scopes'],
    [{ expiryDate: 'soon' }, 'expiryDate'],
    [{ useSecret: 0 }, 'jwks'],
    [{ jwksUrl: 'https://keys.example.com/jwks' }, 'jwks'],
    [{ useSecret: 0, jwks: { keys: [{ ...privateKey, kid: 'a' }] } }, 'jwks'],
    [{ useSecret: 0, jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'a' }] } }, 'jwks'],
    [{ useSecret: 0, jwks: { keys: [] } }, 'jwks'],
    [{ useSecret: 0, jwksUrl: 'http://keys.example.com/jwks' }, 'jwksUrl'],
    [{ useSecret: 0, jwksUrl: 'https://0xA9FEA9FE/latest' }, 'jwksUrl'],
  ])('IFC-40 refuses %j and names %s', async (over, field) => {
    const { status, body } = await admin.post('api_clients', input(over))
    expect(status).toBe(400)
    expect(fieldsOf(body).map((name) => name.split('.')[0])).toContain(field)
  })
})

describe('POST /oauth2/token', () => {
  it('IFC-44 gives a token for the secret, not to be stored, and opens the API as the client', async () => {
    const { body } = await admin.post('api_clients', input({ name: 'Reader' }))
    const answer = await askToken(test, { scope: 'lis/read' }, basic(body.data.clientId, body.data.clientSecret))
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      token_type: 'bearer',
      expires_in: 300,
      scope: 'lis/read',
    })
    expect((await read(answer.body.access_token)).status).toBe(200)
    const write = await test.inject({
      method: 'POST',
      url: '/api/v3.0/clients',
      headers: bearer(answer.body.access_token),
      payload: {},
    })
    expect([write.status, write.body.message]).toEqual([403, 'The access token does not have the scope lis/write'])
  })

  it.each(['ES384', 'RS384'])('IFC-44 takes an assertion signed with %s, and the same jti once', async (alg) => {
    const key = await makeKey('one', alg)
    const { body } = await admin.post('api_clients', input({ useSecret: 0, jwks: { keys: [key.jwk] } }))
    expect(body.data.clientSecret).toBeNull()
    const assertion = await signAssertion(body.data.clientId, key, audience())
    const form = { client_assertion_type: assertionType, client_assertion: assertion, scope: 'system/*.read lis/write' }
    const answer = await askToken(test, form)
    expect([answer.status, answer.body.scope]).toEqual([200, 'system/*.read'])
    const again = await askToken(test, form)
    expect([again.status, again.body.error]).toEqual([401, 'invalid_client'])
  })

  const old = () => Math.floor(Date.now() / 1000) - 60
  it.each([
    ['a wrong audience', { claims: { aud: 'https://elsewhere.example/oauth2/token' } }],
    ['an old exp', { claims: { exp: old() } }],
    ['an exp far ahead', { claims: { exp: old() + 3600 } }],
    ['no exp', { claims: { exp: undefined } }],
    ['no jti', { claims: { jti: undefined } }],
    ['another subject', { claims: { sub: 'somebody' } }],
    ['an unknown kid', { header: { kid: 'two' } }],
  ])('IFC-44 refuses %s', async (_, over) => {
    const key = await makeKey('one')
    const { body } = await admin.post('api_clients', input({ useSecret: 0, jwks: { keys: [key.jwk] } }))
    const assertion = await signAssertion(body.data.clientId, key, audience(), over as object)
    const answer = await askToken(test, { client_assertion_type: assertionType, client_assertion: assertion })
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client'])
  })

  it('IFC-44 refuses alg none, the signature of another key, and other algorithms', async () => {
    const key = await makeKey('one')
    const { body } = await admin.post('api_clients', input({ useSecret: 0, jwks: { keys: [key.jwk] } }))
    const { clientId } = body.data
    const unsigned = new UnsecuredJWT({ jti: 'x' })
      .setIssuer(clientId)
      .setSubject(clientId)
      .setAudience(audience())
      .setExpirationTime('2m')
      .encode()
    const foreign = await signAssertion(clientId, await makeKey('one'), audience())
    const other = await signAssertion(clientId, await makeKey('one', 'RS256'), audience())
    for (const assertion of [unsigned, foreign, other, 'not.a.token', '']) {
      const answer = await askToken(test, { client_assertion_type: assertionType, client_assertion: assertion })
      expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client'])
    }
  })

  it.each([
    ['a header that is no JSON', (parts: string[]) => ['e30x', ...parts.slice(1)]],
    ['a header that is a list', (parts: string[]) => ['W10', ...parts.slice(1)]],
    ['an empty header', (parts: string[]) => ['', ...parts.slice(1)]],
    ['no signature', (parts: string[]) => parts.slice(0, 2)],
    ['a signature that is no Base64', (parts: string[]) => [...parts.slice(0, 2), '!']],
  ])('IFC-44 answers invalid_client to an assertion with %s', async (_, spoil) => {
    const key = await makeKey('one')
    const { body } = await admin.post('api_clients', input({ useSecret: 0, jwks: { keys: [key.jwk] } }))
    const parts = (await signAssertion(body.data.clientId, key, audience())).split('.')
    const answer = await askToken(test, {
      client_assertion_type: assertionType,
      client_assertion: spoil(parts).join('.'),
    })
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client'])
  })

  it.each([
    ['a point that is not on its curve', { x: 'A'.repeat(64), y: `${'A'.repeat(63)}E` }],
    ['a point of another length', { x: 'AQ', y: 'AQ' }],
    ['no point', { x: undefined, y: undefined }],
  ])('IFC-44 answers invalid_client when the key of the client has %s', async (_, point) => {
    const key = await makeKey('one')
    const { body } = await admin.post('api_clients', input({ useSecret: 0, jwks: { keys: [key.jwk] } }))
    await test.database.owner.query('update api_client set jwks = $2 where id = $1', [
      body.data.id,
      JSON.stringify({ keys: [{ ...key.jwk, ...point }] }),
    ])
    const assertion = await signAssertion(body.data.clientId, key, audience())
    const answer = await askToken(test, { client_assertion_type: assertionType, client_assertion: assertion })
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client'])
  })

  it('IFC-44 reports other errors as in RFC 6749', async () => {
    const { body } = await admin.post('api_clients', input())
    const { clientId, clientSecret, id } = body.data
    const who = basic(clientId, clientSecret)
    const errorOf = async (form: Record<string, string>, headers = who) =>
      (await askToken(test, form, headers)).body.error
    expect(await errorOf({ grant_type: 'password' })).toBe('unsupported_grant_type')
    expect(await errorOf({ grant_type: '' })).toBe('unsupported_grant_type')
    expect(await errorOf({ scope: 'lis/write system/Patient.c' })).toBe('invalid_scope')
    expect(await errorOf({ client_assertion: 'x', client_assertion_type: assertionType })).toBe('invalid_request')
    expect(await errorOf({}, basic(clientId, 'wrong'))).toBe('invalid_client')
    expect(await errorOf({}, basic('nobody', clientSecret))).toBe('invalid_client')
    const json = await test.inject({
      method: 'POST',
      url: '/oauth2/token',
      headers: who,
      payload: { grant_type: 'client_credentials' },
    })
    expect([json.status, json.body.error]).toEqual([400, 'invalid_request'])
    await admin.put(`api_clients/${id}`, { expiryDate: '2020-01-01' })
    expect(await errorOf({})).toBe('invalid_client')
  })

  it('IFC-40 reads keys from a URL, and uses new ones at once', async () => {
    const keys = [await makeKey('one')]
    const server = createServer((_, response) => response.end(JSON.stringify({ keys: keys.map(({ jwk }) => jwk) })))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => void server.close())
    const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`
    const { body } = await admin.post('api_clients', input({ useSecret: 0, jwksUrl }))
    const ask = async (key: Awaited<ReturnType<typeof makeKey>>) =>
      askToken(test, {
        client_assertion_type: assertionType,
        client_assertion: await signAssertion(body.data.clientId, key, audience()),
      })
    expect((await ask(keys[0] as never)).status).toBe(200)
    expect((await ask(await makeKey('two'))).body.error).toBe('invalid_client')
  })
})

describe('a token', () => {
  it.each(['revoke', 'rotate_secret'])('IFC-40 ends at once by %s', async (how) => {
    const client = await makeApiClient(test, admin, { userRoleCode: 'ADM', scopes: ['lis/read'] })
    expect((await read(client.token)).status).toBe(200)
    const { status, body } = await admin.post(`api_clients/${client.id}/${how}`, {})
    expect(status).toBe(200)
    expect((await read(client.token)).status).toBe(401)
    expect((await askToken(test, {}, basic(client.clientId, client.clientSecret))).body.error).toBe('invalid_client')
    if (how === 'rotate_secret') {
      const again = await askToken(test, {}, basic(client.clientId, body.data.clientSecret))
      expect((await read(again.body.access_token)).status).toBe(200)
    } else expect((await admin.get(`api_clients/${client.id}`)).body.data.state).toBe('REVOKED')
  })

  it('IFC-40 IFC-41 has the role and the rows of its client, also after a change of them', async () => {
    const [own, foreign] = [await test.given.client(), await test.given.client()]
    const client = await makeApiClient(test, admin, { userRoleCode: 'CLNT', entityId: own.id, scopes: ['lis/read'] })
    const { body } = await read(client.token, 'clients')
    expect(body.data.map(({ id }: { id: number }) => id)).toEqual([own.id])
    expect((await read(client.token, 'users')).status).toBe(403)
    await admin.put(`api_clients/${client.id}`, { entityId: foreign.id })
    expect((await read(client.token, 'clients')).status).toBe(401)
  })

  it("IFC-41 writes the history under the client's name", async () => {
    const client = await makeApiClient(test, admin, {
      name: 'Registry',
      userRoleCode: 'ADM',
      scopes: ['lis/read', 'lis/write'],
    })
    const given = await test.given.client()
    const { status } = await test.inject({
      method: 'PUT',
      url: `/api/v3.0/clients/${given.id}`,
      headers: bearer(client.token),
      payload: { clientNote: 'By a system' },
    })
    expect(status).toBe(200)
    const { rows } = await test.database.owner.query(
      `select actor_name from audit_entry where entity = 'client' and entity_id = $1 order by id desc limit 1`,
      [given.id],
    )
    expect(rows).toEqual([{ actor_name: 'Registry' }])
  })
})
