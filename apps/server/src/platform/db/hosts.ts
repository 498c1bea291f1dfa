import type { EventEmitter } from 'node:events'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { checkServerIdentity } from 'node:tls'
import pg from 'pg'
import { type DatabaseAddress, type DatabaseHost, labelOf, parseAddress, type SessionTarget } from './address.ts'
import { markHost } from './outage.ts'

export interface HostsOptions {
  /** The `target_session_attrs` of an address that does not name one. */
  target?: SessionTarget
  /** A host with pending statements that sends nothing for this long is asked whether it still answers. */
  silentMs?: number
  /** How long it may take to answer that. */
  answerMs?: number
}

/** What a host says about itself. */
interface HostState {
  isStandby: boolean
  isReadOnly: boolean
}

const checkMs = 1000
const attempts = 2
/** How long a host is taken to be as it was when it was asked. */
const knownMs = 2000
const leaveMs = 250
const readOnly = '25006'

/**
 * The hosts of one database address. Its sockets connect to the host that fits `target_session_attrs`. A host that stops answering without
 * closing its connections is noticed within about ten seconds, and its sockets are destroyed: `pg` and Node have no time limit for that
 * which would not end long statements too.
 */
export class DatabaseHosts {
  readonly address: DatabaseAddress
  readonly #silentMs: number
  readonly #answerMs: number
  readonly #sockets = new Set<HostSocket>()
  #current: DatabaseHost | null = null
  #foundAt = 0
  #finding: Promise<DatabaseHost> | null = null
  #timer: NodeJS.Timeout | undefined
  readonly #asking = new Set<DatabaseHost>()
  readonly #leaving = new Set<DatabaseHost>()
  /** When a host last sent something, or owed nothing. */
  readonly #heardAt = new Map<DatabaseHost, number>()

  constructor(text: string, { target, silentMs = 4000, answerMs = 3000 }: HostsOptions = {}) {
    this.address = parseAddress(text, target)
    this.#silentMs = silentMs
    this.#answerMs = answerMs
  }

  /** What `pg` and pg-boss need to connect; the socket decides to which host. */
  clientConfig() {
    const { address } = this
    const [first] = address.hosts as [DatabaseHost]
    const connectionString = address.urlOf(first)
    return {
      connectionString,
      stream: () => new HostSocket(this),
      keepAlive: true,
      keepAliveInitialDelayMillis: 5000,
      ...(address.hosts.length > 1 && ownIdentityCheck(connectionString, address.hosts)),
    }
  }

  /** Watches a connection: whether its host answers, and whether it still takes changes. */
  watch(client: pg.ClientBase) {
    const { connection } = client as unknown as WatchedClient
    const socket = socketOf(connection.stream)
    if (!socket) return
    socket.client = client as unknown as WatchedClient
    connection.on('errorMessage', ({ code }) => {
      if (code === readOnly && socket.to) this.#leave(socket.to)
    })
  }

  /** The host to connect to now. All are asked at once; the first in the list that fits is taken. */
  find(): Promise<DatabaseHost> {
    const { hosts, target } = this.address
    const [only] = hosts
    if (only && hosts.length === 1 && target === 'any') return Promise.resolve(only)
    if (this.#current && Date.now() - this.#foundAt < knownMs) return Promise.resolve(this.#current)
    this.#finding ??= this.#ask().finally(() => {
      this.#finding = null
    })
    return this.#finding
  }

  async #ask(): Promise<DatabaseHost> {
    const { hosts, target } = this.address
    const replies = hosts.map((host) => this.#askState(host))
    for (const wanted of target === 'prefer-standby' ? (['standby', 'any'] as const) : [target]) {
      const found = await firstFitting(hosts, replies, wanted)
      if (found) {
        this.#current = found
        this.#foundAt = Date.now()
        return found
      }
    }
    const reasons = (await Promise.all(replies)).map((reply, n) => {
      const why = reply instanceof Error ? reply.message : reply.isStandby ? 'is a standby' : 'does not fit'
      return `${labelOf(hosts[n] as DatabaseHost)}: ${why}`
    })
    throw new NoFittingHost(`No database host gives a ${target} session (${reasons.join('; ')})`)
  }

  /** Asks through a separate connection, which is closed again. */
  async #askState(host: DatabaseHost, timeoutMs = this.address.connectTimeoutMs): Promise<HostState | Error> {
    const client = new pg.Client({ connectionString: this.address.urlOf(host), application_name: 'host-check' })
    client.on('error', () => undefined)
    const late = new Promise<Error>((resolve) =>
      setTimeout(() => resolve(new Error(`gives no answer within ${timeoutMs / 1000} s`)), timeoutMs).unref(),
    )
    const answer = async (): Promise<HostState | Error> => {
      try {
        await client.connect()
        const { rows } = await client.query<HostState>(
          `select pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
        )
        return rows[0] ?? new Error('gives no answer')
      } catch (error) {
        return error as Error
      }
    }
    const reply = await Promise.race([answer(), late])
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
    if (reply instanceof Error) stream.destroy()
    else void client.end().catch(() => undefined)
    return reply
  }

  /** The host has become read-only. Its connections end, once the one that found out has rolled back. */
  #leave(host: DatabaseHost) {
    if (this.#current === host) this.#current = null
    if (this.#leaving.has(host)) return
    this.#leaving.add(host)
    const sockets = this.#socketsTo(host)
    setTimeout(() => {
      this.#leaving.delete(host)
      destroyAll(sockets, host, 'does not accept changes any more')
    }, leaveMs).unref()
  }

  opened(socket: HostSocket) {
    this.#sockets.add(socket)
    this.#timer ??= setInterval(() => this.#check(), checkMs).unref()
  }

  closed(socket: HostSocket) {
    this.#sockets.delete(socket)
    // Closed by the other side, or never opened: whether the host still fits is not known.
    if (!socket.isEndedByUs && this.#current === socket.to) this.#current = null
    if (this.#sockets.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Asks each host that owes an answer and has sent nothing on any connection for a while. */
  #check() {
    for (const host of this.address.hosts) {
      const sockets = this.#socketsTo(host)
      const isSilent = sockets.map((socket) => socket.hasSentNothing()).every(Boolean)
      if (!isSilent || !sockets.some((socket) => socket.isOwedAnAnswer())) this.#heardAt.set(host, Date.now())
      else if (!this.#asking.has(host) && Date.now() - (this.#heardAt.get(host) ?? 0) >= this.#silentMs)
        void this.#askWhetherAlive(host)
    }
  }

  async #askWhetherAlive(host: DatabaseHost) {
    this.#asking.add(host)
    const began = Date.now()
    try {
      for (let attempt = 1; attempt <= attempts; attempt++) {
        const reply = await this.#askState(host, this.#answerMs)
        // Every answer is one, also a refusal such as 'too many connections'.
        if (!(reply instanceof Error) || 'severity' in reply) this.#heardAt.set(host, Date.now())
        if ((this.#heardAt.get(host) ?? 0) > began) return
      }
      if (this.#current === host) this.#current = null
      destroyAll(this.#socketsTo(host), host, 'has stopped answering')
    } finally {
      this.#asking.delete(host)
    }
  }

  #socketsTo(host: DatabaseHost) {
    return [...this.#sockets].filter((socket) => socket.to === host)
  }
}

const destroyAll = (sockets: readonly HostSocket[], host: DatabaseHost, reason: string) => {
  const message = `The database host ${labelOf(host)} ${reason}`
  for (const socket of sockets) socket.destroy(Object.assign(new Error(message), { code: 'ETIMEDOUT' }))
}

class NoFittingHost extends Error {
  readonly code = 'EHOSTUNREACH'
}

/** In the order of the list: a later host is taken only when all before it have said no. */
const firstFitting = async (
  hosts: readonly DatabaseHost[],
  replies: readonly Promise<HostState | Error>[],
  target: SessionTarget,
): Promise<DatabaseHost | null> => {
  const isOneEnough = target === 'read-write' || target === 'primary'
  const fitting = replies.map(async (reply, n) => {
    const state = await reply
    return !(state instanceof Error) && fits(state, target) ? (hosts[n] as DatabaseHost) : null
  })
  // There is only one primary, so a host that does not answer need not be waited for.
  if (isOneEnough)
    return Promise.any(fitting.map(async (one) => (await one) ?? Promise.reject(new Error('does not fit')))).catch(
      () => null,
    )
  for (const one of fitting) {
    const host = await one
    if (host) return host
  }
  return null
}

const fits = ({ isStandby, isReadOnly }: HostState, target: SessionTarget): boolean => {
  switch (target) {
    case 'read-write':
      return !isStandby && !isReadOnly
    case 'read-only':
      return isStandby || isReadOnly
    case 'primary':
      return !isStandby
    case 'standby':
      return isStandby
    default:
      return true
  }
}

/** `pg` would compare each certificate with the first host; it has to be that of one of the hosts. */
const ownIdentityCheck = (connectionString: string, hosts: readonly DatabaseHost[]) => {
  const { ssl } = new pg.Client({ connectionString }) as unknown as { ssl: boolean | object }
  if (!ssl || (typeof ssl === 'object' && 'checkServerIdentity' in ssl)) return {}
  const check: typeof checkServerIdentity = (_, certificate) => {
    const faults = hosts.map(({ host }) => checkServerIdentity(host, certificate))
    return faults.includes(undefined) ? undefined : faults[0]
  }
  return { ssl: { ...(typeof ssl === 'object' ? ssl : {}), checkServerIdentity: check } }
}

/** The parts of pg's client that are not in its types. */
interface WatchedClient {
  connection: EventEmitter<{ errorMessage: [{ code?: string }] }> & { stream: Duplex }
  readyForQuery: boolean
}

const socketOf = (stream: Duplex): HostSocket | null => {
  if (stream instanceof HostSocket) return stream
  const { _parent: inner } = stream as { _parent?: unknown } // a TLS socket
  return inner instanceof HostSocket ? inner : null
}

/** A socket that finds out itself which host to connect to. */
class HostSocket extends Socket {
  to: DatabaseHost | null = null
  client: WatchedClient | null = null
  isEndedByUs = false
  readonly #hosts: DatabaseHosts
  #read = 0

  constructor(hosts: DatabaseHosts) {
    super()
    this.#hosts = hosts
    this.once('close', () => hosts.closed(this))
  }

  isOwedAnAnswer = () => this.client?.readyForQuery === false

  /** Since the last call. */
  hasSentNothing(): boolean {
    const before = this.#read
    this.#read = this.bytesRead
    return this.#read === before
  }

  // pg calls it with port and host, or with the path of a Unix socket; which, decides the host that is found.
  override connect(): this {
    const connect = super.connect.bind(this) as unknown as (...target: (string | number)[]) => this
    this.#hosts.find().then(
      (found) => {
        if (this.destroyed) return
        this.to = found
        this.#hosts.opened(this)
        this.#limitTime()
        const { host, port } = found
        if (host.startsWith('/')) connect(`${host}/.s.PGSQL.${port}`)
        else connect(port, host)
      },
      (error) => this.destroy(error),
    )
    this.on('error', (error) => markHost(error, this.to ? labelOf(this.to) : this.#hosts.address.label))
    return this
  }

  /** A host that accepts the connection and then says nothing. */
  #limitTime() {
    const ms = this.#hosts.address.connectTimeoutMs
    const timer = setTimeout(() => {
      if (this.bytesRead === 0)
        this.destroy(Object.assign(new Error(`No answer within ${ms / 1000} s`), { code: 'ETIMEDOUT' }))
    }, ms)
    this.once('close', () => clearTimeout(timer.unref()))
  }

  override end(...chunk: unknown[]): this {
    this.isEndedByUs = true
    return (super.end as (...args: unknown[]) => this).apply(this, chunk)
  }
}
