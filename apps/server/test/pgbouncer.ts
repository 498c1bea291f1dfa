import { spawn } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { ordinaryUser, programPath } from './packages.ts'

export interface PgBouncer {
  port: number
  /** The address of a database, through the pooler. */
  urlOf: (databaseUrl: string) => string
  close: () => Promise<void>
}

/** PgBouncer as packaged, before every database of one PostgreSQL. */
export const openPgBouncer = async (
  databaseUrl: string,
  mode: 'transaction' | 'statement' | 'session' = 'transaction',
): Promise<PgBouncer> => {
  const user = ordinaryUser()
  const folder = mkdtempSync(join(tmpdir(), 'lis-pgbouncer-'))
  const port = await freePort()
  const { hostname, port: databasePort, username, password } = new URL(databaseUrl)
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${databasePort} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 12
max_client_conn = 500
`,
  )
  if (user.uid !== undefined && user.gid !== undefined)
    for (const path of [folder, file]) chownSync(path, user.uid, user.gid)
  const child = spawn(programPath('pgbouncer') as string, ['-q', file], { ...user, cwd: folder, stdio: 'ignore' })
  await untilListening(port)
  return {
    port,
    urlOf: (url) => {
      const through = new URL(url)
      through.host = `127.0.0.1:${port}`
      return through.href
    },
    close: async () => {
      child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const untilListening = async (port: number) => {
  for (let attempt = 0; attempt < 600; attempt++, await wait(100)) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const probe = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
      probe.on('connect', () => probe.destroy())
    })
    if (isOpen) return
  }
  throw new Error('PgBouncer does not start')
}
