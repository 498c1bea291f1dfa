import { randomBytes } from 'node:crypto'
import fastify from 'fastify'
import { buildApp } from '../apps/server/src/app.ts'
import { hashToken } from '../apps/server/src/platform/auth/sessions.ts'
import { readConfig } from '../apps/server/src/platform/config.ts'
import { appRole, openPool } from '../apps/server/src/platform/db/pool.ts'
import { openLog } from '../apps/server/src/platform/log.ts'
import { assembleServices } from '../apps/server/src/start.ts'
import { bareCalls } from './calls.ts'

/** The product itself, listening, with sessions made straight in its table. */
export const ourServer = async (url: string, folder: string) => {
  const config = readConfig({
    LIS_DATA_DIR: folder,
    LIS_DEMO: '0',
    LOG_LEVEL: 'error',
    RATE_LIMIT_PER_MINUTE: '1000000',
  })
  const assembled = await assembleServices(config, url, openLog(config.LOG_LEVEL))
  const app = await buildApp(assembled.services)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const signIn = async (role: string): Promise<string> => {
    const token = randomBytes(32).toString('base64url')
    const owner = openPool(url, { max: 1 })
    await owner.query(
      `insert into session (token_hash, user_id, token_expires_at, absolute_expires_at)
       select $1, id, now() + interval '1 hour', now() + interval '1 hour' from app_user where role_code = $2 and status_code = 'ACT' order by id limit 1`,
      [hashToken(token), role],
    )
    await owner.end()
    return token
  }
  const close = async () => {
    await app.close()
    await assembled.stop()
  }
  return { address, signIn, close }
}

/** What a bare route over the same pool settings reaches: the yardstick. */
export const bareServer = async (url: string) => {
  const pool = openPool(url, { max: 10, role: appRole })
  // The yardstick sees every row, as the administrator does whom it is compared with.
  pool.on('connect', (client) => client.query("set lis.role = 'ADM'"))
  const app = fastify()
  const calls = bareCalls.map((call, index) => ({ ...call, route: `/bare/${index}` }))
  for (const call of calls) {
    app.get(call.route, async () => {
      const [page, total] = await Promise.all([pool.query(call.page), pool.query(call.total)])
      return { data: page.rows, total: total.rows[0]?.total, message: '' }
    })
  }
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const close = async () => {
    await app.close()
    await pool.end()
  }
  return { address, calls, close }
}
