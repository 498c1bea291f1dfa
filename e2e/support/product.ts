import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../apps/server/test/free-port.ts'

const root = join(import.meta.dirname, '../..')
const startMs = 900_000
const stopMs = 60_000

const pinnedNode = () => {
  const pinned = join(root, 'node_modules/node/bin/node')
  return existsSync(pinned) ? pinned : process.execPath
}

/** Of the downtime kits that the product makes. */
export const downtimePassword = 'journeys without a server'

export interface Product {
  url: string
  dataDir: string
  stop: () => Promise<void>
}

/** The whole product as a newcomer starts it, with its own port and its own fresh data. */
export const startProduct = async (settings: Record<string, string> = {}): Promise<Product> => {
  const port = await freePort()
  const dataDir = mkdtempSync(join(tmpdir(), 'lis-e2e-'))
  const url = `http://localhost:${port}`
  const env = { ...process.env, PORT: String(port), LIS_DATA_DIR: dataDir, ...settings }
  const server = spawn(pinnedNode(), [join(root, 'apps/server/src/main.ts')], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [server.stdout, server.stderr]) {
    stream.on('data', (text: Buffer) => {
      said = (said + text).slice(-20_000)
    })
  }
  const hasEnded = new Promise<void>((resolve) => server.on('exit', () => resolve()))
  const stop = async () => {
    server.kill('SIGTERM')
    await Promise.race([hasEnded, wait(stopMs, undefined, { ref: false }).then(() => server.kill('SIGKILL'))])
    rmSync(dataDir, { recursive: true, force: true })
  }
  for (const giveUpAt = Date.now() + startMs; !(await isReady(url)); await wait(200)) {
    if (server.exitCode === null && Date.now() < giveUpAt) continue
    await stop()
    throw new Error(`The product did not start:\n${said}`)
  }
  return { url, dataDir, stop }
}

const isReady = (url: string) =>
  fetch(`${url}/healthz`).then(
    (response) => response.ok,
    () => false,
  )
