import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../apps/server/test/free-port.ts'
import { ordinaryUser, postgresFolder, programPath } from '../apps/server/test/packages.ts'

const password = 'proof'

interface Node {
  name: string
  port: number
  apiPort: number
  process: ChildProcess
}

export interface PatroniCluster {
  /** Through HAProxy, to whichever node is the primary. */
  url: string
  /** All nodes, without HAProxy. */
  directUrl: string
  leader: () => Promise<string>
  /** Ends all processes of the primary at once. Returns its name. */
  kill: () => Promise<string>
  /** Stops them without ending them: its connections stay open, and nobody answers. */
  cutOff: () => Promise<string>
  /** Resumes a node that was cut off. */
  reconnect: (name: string) => void
  /** Starts a killed node again. */
  restart: (name: string) => void
  switchOver: () => Promise<string>
  /** Waits until a node other than `former` is the primary, and has a synchronous standby. */
  untilReplaced: (former: string) => Promise<void>
  /** Waits until there is a synchronous standby, without which a switchover is refused. */
  untilSynchronous: () => Promise<void>
  close: () => Promise<void>
}

/** Three PostgreSQL nodes under Patroni and etcd, behind HAProxy: all started here, in one folder, and ended by `close`. */
export const openPatroniCluster = async (): Promise<PatroniCluster> => {
  const user = ordinaryUser()
  const folder = mkdtempSync(join(tmpdir(), 'lis-patroni-'))
  const children: ChildProcess[] = []
  const own = (path: string) => {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid)
    return path
  }
  own(folder)
  const start = (program: string, args: string[], logName: string): ChildProcess => {
    const child = spawn(program, args, { ...user, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    children.push(child)
    const log = join(folder, `${logName}.log`)
    const keep = (text: Buffer) => writeFileSync(log, text, { flag: 'a' })
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    return child
  }
  const [etcdPort, peerPort, haproxyPort] = await Promise.all([freePort(), freePort(), freePort()])
  start(
    programPath('etcd') as string,
    [
      ...['--data-dir', own(join(folder, 'etcd')), '--name', 'proof'],
      ...[
        '--listen-client-urls',
        `http://127.0.0.1:${etcdPort}`,
        '--advertise-client-urls',
        `http://127.0.0.1:${etcdPort}`,
      ],
      ...[
        '--listen-peer-urls',
        `http://127.0.0.1:${peerPort}`,
        '--initial-advertise-peer-urls',
        `http://127.0.0.1:${peerPort}`,
      ],
      ...['--initial-cluster', `proof=http://127.0.0.1:${peerPort}`],
    ],
    'etcd',
  )
  const startNode = (name: string) => start(programPath('patroni') as string, [join(folder, `${name}.yml`)], name)
  const nodes: Node[] = []
  const fail = (what: string) => {
    const output = readdirSync(folder)
      .filter((name) => name.endsWith('.log'))
      .map((name) => readFileSync(join(folder, name), 'utf8').slice(-600))
    endAll()
    throw new Error(`${what}: ${output.join('\n')}`)
  }
  const endAll = () => {
    for (const node of nodes) for (const pid of processesOf(node, folder)) signal(pid, 'SIGKILL')
    for (const child of children) child.kill('SIGKILL')
  }
  for (const name of ['n1', 'n2', 'n3']) {
    const [port, apiPort] = [await freePort(), await freePort()]
    const settings = nodeSettings({ name, port, apiPort, etcdPort, folder: own(join(folder, name)) })
    writeFileSync(join(folder, `${name}.yml`), JSON.stringify(settings))
    nodes.push({ name, port, apiPort, process: startNode(name) })
    // The first one is to become the primary; the others copy it.
    if (nodes.length === 1) await untilApi(apiPort, 'primary', fail)
  }
  for (const { apiPort } of nodes.slice(1)) await untilApi(apiPort, 'replica', fail)
  writeFileSync(join(folder, 'haproxy.cfg'), haproxySettings(haproxyPort, nodes))
  start(programPath('haproxy') as string, ['-db', '-f', join(folder, 'haproxy.cfg')], 'haproxy')

  const leader = async (): Promise<string> => {
    for (;;) {
      for (const { name, apiPort } of nodes) if (await isApi(apiPort, 'primary')) return name
      await wait(200)
    }
  }
  const untilSynchronous = async () => {
    for (const end = Date.now() + 120_000; Date.now() < end; await wait(200)) {
      const found = await Promise.all(nodes.map(({ apiPort }) => isApi(apiPort, 'synchronous')))
      if (found.includes(true)) return
    }
    throw new Error('No synchronous standby for two minutes')
  }
  const nodeOf = (name: string) => nodes.find((node) => node.name === name) as Node
  const cluster: PatroniCluster = {
    url: `postgres://postgres:${password}@127.0.0.1:${haproxyPort}/postgres`,
    directUrl: `postgres://postgres:${password}@${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}/postgres`,
    leader,
    kill: async () => {
      const name = await leader()
      for (const pid of processesOf(nodeOf(name), folder)) signal(pid, 'SIGKILL')
      return name
    },
    cutOff: async () => {
      const name = await leader()
      for (const pid of processesOf(nodeOf(name), folder)) signal(pid, 'SIGSTOP')
      return name
    },
    reconnect: (name) => {
      for (const pid of processesOf(nodeOf(name), folder)) signal(pid, 'SIGCONT')
    },
    restart: (name) => {
      nodeOf(name).process = startNode(name)
    },
    switchOver: async () => {
      const name = await leader()
      const reply = await fetch(`http://127.0.0.1:${nodeOf(name).apiPort}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: name }),
      })
      if (reply.status !== 200) throw new Error(`The switchover was refused: ${await reply.text()}`)
      return name
    },
    untilReplaced: async (former) => {
      for (const end = Date.now() + 120_000; Date.now() < end; await wait(200))
        if ((await leader()) !== former) return untilSynchronous()
      throw new Error('No other primary for two minutes')
    },
    untilSynchronous,
    close: async () => {
      endAll()
      await wait(500)
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await wait(2000) // HAProxy has looked at each node
  return cluster
}

interface NodeInput {
  name: string
  port: number
  apiPort: number
  etcdPort: number
  folder: string
}

/** Patroni reads YAML, of which JSON is a part. */
const nodeSettings = ({ name, port, apiPort, etcdPort, folder }: NodeInput) => ({
  scope: 'lis',
  name,
  restapi: { listen: `127.0.0.1:${apiPort}`, connect_address: `127.0.0.1:${apiPort}` },
  // The v2 interface of etcd 3.4 is off.
  etcd3: { host: `127.0.0.1:${etcdPort}` },
  bootstrap: {
    dcs: {
      ttl: 20,
      loop_wait: 2,
      retry_timeout: 5,
      maximum_lag_on_failover: 1_048_576,
      synchronous_mode: true,
      postgresql: { use_pg_rewind: true, use_slots: true, parameters: { max_connections: 200, wal_log_hints: 'on' } },
    },
    initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
  },
  postgresql: {
    listen: `127.0.0.1:${port}`,
    connect_address: `127.0.0.1:${port}`,
    data_dir: join(folder, 'data'),
    bin_dir: postgresFolder(),
    pgpass: join(folder, 'pgpass'),
    authentication: {
      superuser: { username: 'postgres', password },
      replication: { username: 'replicator', password },
      rewind: { username: 'rewind', password },
    },
    parameters: { unix_socket_directories: folder, shared_buffers: '128MB', jit: 'off' },
    pg_hba: ['local all all trust', 'host all all 127.0.0.1/32 md5', 'host replication replicator 127.0.0.1/32 md5'],
  },
})

const haproxySettings = (port: number, nodes: readonly Node[]) => `
global
  maxconn 2000
defaults
  mode tcp
  timeout connect 2s
  timeout client 30m
  timeout server 30m
  timeout check 2s
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map((node) => `  server ${node.name} 127.0.0.1:${node.port} check port ${node.apiPort}`).join('\n')}
`

const isApi = (port: number, role: string): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/${role}`, { signal: AbortSignal.timeout(1000) }).then(
    (reply) => reply.status === 200,
    () => false,
  )

const untilApi = async (port: number, role: string, fail: (what: string) => void) => {
  for (const end = Date.now() + 120_000; Date.now() < end; await wait(200)) if (await isApi(port, role)) return
  fail(`No ${role} within two minutes`)
}

/** Patroni, its PostgreSQL and all children of both. */
const processesOf = ({ name, process: patroni }: Node, folder: string): number[] => {
  const postmaster = (() => {
    try {
      return Number(readFileSync(join(folder, name, 'data/postmaster.pid'), 'utf8').split('\n')[0])
    } catch {
      return 0
    }
  })()
  const roots = [patroni.pid ?? 0, postmaster].filter((pid) => pid > 0)
  return [...roots, ...roots.flatMap(childrenOf)]
}

const childrenOf = (pid: number): number[] => {
  try {
    const own = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
    return [...own, ...own.flatMap(childrenOf)]
  } catch {
    return []
  }
}

const signal = (pid: number, name: NodeJS.Signals) => {
  try {
    process.kill(pid, name)
  } catch {
    // it has ended already
  }
}
