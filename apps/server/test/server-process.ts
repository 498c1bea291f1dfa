import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from './free-port.ts'

export interface ServerProcess {
  child: ChildProcess
  url: string
  output: () => string
  stop: (signal?: NodeJS.Signals) => Promise<number | null>
  exited: Promise<number | null>
}

/** Starts the product as a user would, with the settings of the test. */
export const runServer = async (
  env: Record<string, string>,
  file = 'main.ts',
  args: readonly string[] = [],
): Promise<ServerProcess> => {
  const port = env.PORT ?? String(await freePort())
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, '../src', file), ...args],
    {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: port, LIS_DEMO: '0', DRAIN_SECONDS: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  const exited = new Promise<number | null>((done) => child.once('exit', (code) => done(code)))
  return {
    child,
    url: `http://localhost:${port}`,
    output: () => text,
    exited,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal)
      return exited
    },
  }
}

const longestStartMs = 150_000

/** What /healthz says until the server has ended. One that does not end by itself is killed after some minutes. */
export const healthUntilExit = async ({ url, child, exited }: ServerProcess): Promise<number[]> => {
  const statuses: number[] = []
  let isOver = false
  void exited.then(() => {
    isOver = true
  })
  for (const end = Date.now() + longestStartMs; !isOver && Date.now() < end; ) {
    const reply = await fetch(`${url}/healthz`).catch(() => null)
    if (reply) statuses.push(reply.status)
    await Promise.race([exited, wait(20)])
  }
  if (!isOver) child.kill('SIGKILL')
  await exited
  return statuses
}

/** Waits until the server prints that it is ready; throws with its output when it ends before. */
export const untilReady = async (server: ServerProcess) => {
  const isOver = server.exited.then(() => 'over' as const)
  for (;;) {
    if (server.output().includes('is ready')) return server
    const turn = await Promise.race([isOver, new Promise<'wait'>((later) => setTimeout(() => later('wait'), 50))])
    if (turn === 'over') throw new Error(`The server ended: ${server.output()}`)
  }
}
