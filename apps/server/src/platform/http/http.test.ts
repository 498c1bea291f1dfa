import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'
import { onQuietMachine } from '../../../test/quiet-machine.ts'
import { buildApp } from '../../app.ts'
import { openPool, type Pool } from '../db/pool.ts'
import { openS3Store } from '../storage/s3-store.ts'
import { toAppError } from './error-handler.ts'

const test = openTestApp()

describe('every answer', () => {
  it('TABLE-093 TABLE-094 is given under the primary and the report base', async () => {
    const staff = await test.as('STF')
    for (const base of ['/api/v3.0', '/report/v3.0']) {
      const { status, body } = await staff.get(`${base}/flags`)
      expect([status, body.total > 0]).toEqual([200, true])
    }
  })

  it('TABLE-105 returns one record also by the name of its resource alone', async () => {
    const { status, body } = await test.nobody.get('config')
    expect([status, body.message, typeof body.data.productName]).toEqual([200, '', 'string'])
    const staff = await test.as('STF')
    for (const patient of [await test.given.patient(), await test.given.patient()]) {
      const { id } = await test.given.requisition({ patient_id: patient.id })
      const reply = await staff.get(`requisitions/${id}/patient`)
      expect([reply.status, reply.body.data.patient.id]).toEqual([200, patient.id])
    }
  })

  it('carries a request id and strict security headers', async () => {
    const { headers } = await test.nobody.get('config')
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(headers['content-security-policy']).toContain("script-src 'self';")
    expect(headers['content-security-policy']).not.toContain('unsafe-inline')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['cache-control']).toBe('no-store')
  })

  it.each([
    [{ endpoint: 'https://s3.example.org', forcePathStyle: false }, 'https://lis-files.s3.example.org'],
    [{ endpoint: 'https://s3.example.org:9000', forcePathStyle: true }, 'https://s3.example.org:9000'],
    [{ forcePathStyle: false }, 'https://lis-files.s3.eu-west-1.amazonaws.com'],
  ])(
    'lets the page send files to the S3 store, wherever the bucket name is in the URL: %j',
    async (options, origin) => {
      const keys = { accessKeyId: 'id', secretAccessKey: 'key', region: 'eu-west-1', bucket: 'lis-files' }
      const store = openS3Store({ ...keys, ...options })
      const { url } = await store.uploadSlot('a/b', { maxBytes: 1, expiresSeconds: 60 })
      const app = await buildApp({ ...test.services, store, disk: null })
      const { headers } = await app.inject('/api/v3.0/config')
      await app.close()
      expect(new URL(url).origin).toBe(origin)
      expect(headers['content-security-policy']).toContain(`connect-src 'self' ${origin};`)
    },
  )

  it('is 404 in the envelope at an unknown path, with the request id', async () => {
    const { status, body } = await test.nobody.get('nothing_here')
    expect(status).toBe(404)
    expect(body).toEqual({
      code: 'notFound',
      message: 'There is nothing at this address',
      requestId: expect.any(String),
    })
  })

  it('is 404 for a method that the path does not have', async () => {
    expect((await test.nobody.del('config')).status).toBe(404)
  })
})

describe('a body that cannot be read', () => {
  const send = (payload: string, type = 'application/json') =>
    test.inject({ method: 'POST', url: '/api/v3.0/mfa/login', headers: { 'content-type': type }, payload })

  it('is 400 when it is not JSON', async () => {
    const { status, body } = await send('{"accessToken":')
    expect([status, body.code]).toEqual([400, 'invalid'])
    expect(body.message).toBe('The body is not valid JSON')
  })
  it('is 400 and names the field when its shape is wrong', async () => {
    const { status, body } = await send('{"accessToken":5}')
    expect([status, body.errors]).toEqual([400, [{ field: 'accessToken', message: 'Access token is required' }]])
  })
  it('is 400 when it is a list', async () => {
    expect((await send('[1,2]')).status).toBe(400)
  })
  it('is 413 when it is too large', async () => {
    const { status, body } = await send(JSON.stringify({ accessToken: 'x'.repeat(1_100_000) }))
    expect([status, body.message]).toEqual([413, 'The body is too large'])
  })
  it('is 415 when it is something else', async () => {
    expect((await send('<a/>', 'text/xml')).status).toBe(415)
  })
  it('is 400, never 500, when a path parameter is not a number', async () => {
    const admin = await test.as('ADM')
    for (const id of ['abc', '0', '-1', '1.5', '99999999999999999999', '%00', "1'--"]) {
      const { status } = await admin.get(`users/${id}`)
      expect([id, status]).toEqual([id, 400])
    }
  })
})

describe('who may call', () => {
  it('is 401 without a session', async () => {
    const { status, body } = await test.nobody.get('flags')
    expect([status, body.code, body.message]).toEqual([401, 'unauthenticated', 'Please sign in'])
  })
  it('is 401 with an unknown token', async () => {
    const { status } = await test.nobody.get('flags', { authorization: `Bearer ${'x'.repeat(43)}` })
    expect(status).toBe(401)
  })
  it('PERM-019 is 403 for a guest', async () => {
    expect((await (await test.as('GST')).get('flags')).status).toBe(403)
  })
  it('is 420 when the session token has expired', async () => {
    const staff = await test.as('STF')
    await test.database.owner.query('update session set token_expires_at = now() where user_id = $1', [staff.userId])
    const { status, body } = await staff.get('flags')
    expect([status, body.code]).toEqual([420, 'tokenExpired'])
  })
  it.each([
    ['idle', "last_seen_at = now() - interval '31 minutes'"],
    ['absolute', 'absolute_expires_at = now()'],
    ['ended', 'ended_at = now()'],
  ])('is 408 when the session is over (%s)', async (_, change) => {
    const staff = await test.as('STF')
    await test.database.owner.query(`update session set ${change} where user_id = $1`, [staff.userId])
    const { status, body } = await staff.get('flags')
    expect([status, body.code, body.message]).toEqual([408, 'sessionEnded', 'Session expired, please re-login.'])
  })
  it('is 408 at once when the account is disabled', async () => {
    const staff = await test.as('STF')
    expect((await staff.get('flags')).status).toBe(200)
    await test.database.owner.query("update app_user set status_code = 'LCK' where id = $1", [staff.userId])
    expect((await staff.get('flags')).status).toBe(408)
  })
})

describe('lists', () => {
  it('TABLE-095 TABLE-101 TABLE-102 TABLE-103 give data, total and message', async () => {
    const { body } = await (await test.as('STF')).get('countries?page=2&perPage=10')
    expect(body).toMatchObject({ data: expect.any(Array), total: expect.any(Number), message: '' })
    expect(body.data).toHaveLength(10)
    expect(body.total).toBeGreaterThan(200)
  })
  it('TABLE-096 TABLE-097 TABLE-098 accept rows and perPage alike, and -1 for all', async () => {
    const staff = await test.as('STF')
    const [rows, perPage, all] = await Promise.all([
      staff.get('countries?page=1&rows=5'),
      staff.get('countries?page=1&perPage=5'),
      staff.get('countries?perPage=-1'),
    ])
    expect(rows.body.data).toEqual(perPage.body.data)
    expect(all.body.data).toHaveLength(all.body.total)
  })
  it('TABLE-099 TABLE-100 TABLE-106 accept filter and sort in the spellings of the specification', async () => {
    const staff = await test.as('STF')
    const us = (await staff.get(`countries?filter=${encodeURIComponent('[countryCode:US]')}`)).body.data
    expect(us).toMatchObject([{ countryCode: 'US' }])
    const many = await staff.get(`countries?filter=${encodeURIComponent(`{id:[${us[0].id}]}`)}`)
    expect(many.body.data).toEqual(us)
    const sorted = await staff.get(`countries?perPage=3&sort=${encodeURIComponent('[countryLongName,DESC]')}`)
    const names = sorted.body.data.map((row: { countryLongName: string }) => row.countryLongName)
    expect(names).toEqual([...names].sort().reverse())
  })
  it.each([
    ['filter', '[nope:1]', 'Unknown filter field "nope"'],
    ['filter', '[id:abc]', 'id: "abc" is not a whole number'],
    ['sort', '[nope,ASC]', 'Unknown sort field "nope"'],
    ['sort', '[id,SIDEWAYS]', 'sort: the order of "id" must be ASC or DESC'],
    ['page', '0', 'page counts from 1'],
    ['filter', '[unclosed', expect.any(String)],
  ])('reject a wrong %s (%s) with 400 and its name', async (param, value, message) => {
    const { status, body } = await (await test.as('STF')).get(`countries?${param}=${encodeURIComponent(value)}`)
    expect([status, body.message]).toEqual([400, message])
    expect(body.errors[0].field).toBe(param)
  })
  it('treat quotes, percent signs and SQL in a filter as text', async () => {
    const staff = await test.as('STF')
    for (const text of ["'; drop table icd; --", '100%', '_', '\\', '" or 1=1']) {
      const { status, body } = await staff.get(`icds?filter=${encodeURIComponent(JSON.stringify({ q: text }))}`)
      expect([text, status]).toEqual([text, 200])
      expect(body.total).toBe(0)
    }
  })
  it('give an empty page past the end', async () => {
    const { status, body } = await (await test.as('STF')).get('countries?page=9999&perPage=10')
    expect([status, body.data.length, body.total > 0]).toEqual([200, 0, true])
  })
})

describe('the API documentation', () => {
  it('describes every route with its roles', async () => {
    const { body } = await test.nobody.get('openapi.json')
    expect(body.openapi).toBe('3.1.0')
    expect(body.paths['/users/{id}'].get['x-roles']).not.toContain('GST')
    expect(body.paths['/mfa/login'].post.requestBody.content['application/json'].schema.required).toEqual([
      'accessToken',
    ])
  })
  it('has an HTML page', async () => {
    const { status, body } = await test.nobody.get('/docs/api')
    expect(status).toBe(200)
    expect(body).toContain('/mfa/login')
  })
})

describe('readiness and metrics', () => {
  it('says ok while the database answers', async () => {
    expect((await test.nobody.get('/healthz')).body).toMatchObject({ status: 'ok' })
  })
  it('counts by route pattern, never by address', async () => {
    const name = `secret-${randomUUID()}`
    await test.nobody.put(`mfa/forgot_pwd/${name}`)
    const { body } = await test.nobody.get('/metrics')
    expect(body).toContain('route="/api/v3.0/mfa/forgot_pwd/:username"')
    expect(body).not.toContain(name)
  })
})

describe('a database that is unavailable', () => {
  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', '53100', '25006'])(
    'is 503, not an internal error: %s',
    (code) => {
      const { status, message } = toAppError(Object.assign(new Error('x'), { code }) as never)
      expect([status, message]).toEqual([503, expect.stringMatching(/^The database .*, please try again/)])
    },
  )

  it('and does not answer is 503 at /healthz within five seconds, with one pending query however often it is called', async () => {
    let connections = 0
    const silent = createServer(() => connections++).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const pool = openPool(`postgres://u:p@127.0.0.1:${port}/lis`)
    const app = await buildApp({ ...test.services, pool })
    try {
      const began = performance.now()
      const replies = await Promise.all([app.inject('/healthz'), app.inject('/healthz')])
      expect(performance.now() - began).toBeLessThan(onQuietMachine(5000))
      expect(replies.map(({ statusCode }) => statusCode)).toEqual([503, 503])
      expect(connections).toBe(1)
    } finally {
      silent.close()
      await app.close()
    }
  })

  it('detects a vanished server by keep-alives, and ends idle transactions', async () => {
    const settings = async (pool: Pool) =>
      (
        await pool.query(
          `select current_setting('tcp_keepalives_idle') as idle, current_setting('tcp_user_timeout') as unanswered,
             current_setting('idle_in_transaction_session_timeout') as silent`,
        )
      ).rows[0]
    expect(await settings(test.services.pool)).toEqual({ idle: '60', unanswered: '120000', silent: '15min' })
    expect(await settings(test.database.owner)).toMatchObject({ idle: '60', silent: '0' })
  })
})
