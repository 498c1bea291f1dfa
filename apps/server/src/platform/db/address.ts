/** Which servers a connection may lead to, as `target_session_attrs` of libpq. */
export const sessionTargets = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const
export type SessionTarget = (typeof sessionTargets)[number]

export interface DatabaseHost {
  host: string
  port: number
}

/** A connection string as libpq reads it: with one or several hosts. */
export interface DatabaseAddress {
  hosts: readonly DatabaseHost[]
  target: SessionTarget
  /** How long a host may take to accept a connection. */
  connectTimeoutMs: number
  /** The address of one of the hosts, without the parameters that `pg` does not know. */
  urlOf: (host: DatabaseHost) => string
  /** The hosts with their ports and the name of the database, without user and password, for messages. */
  label: string
}

const pattern = /^(postgres(?:ql)?:\/\/)(?:([^/?]*)@)?([^/?@]*)(\/[^?]*)?(?:\?(.*))?$/
const severalHostsTimeoutMs = 3000
const oneHostTimeoutMs = 10_000
const ourParameters = ['target_session_attrs', 'connect_timeout', 'load_balance_hosts']

/**
 * Throws an error that says what is wrong, without the password. Of several hosts the one that takes changes is wanted, unless the address
 * or the caller says otherwise.
 */
export const parseAddress = (text: string, standardTarget?: SessionTarget): DatabaseAddress => {
  const [, scheme, user, authority = '', path = '', query = ''] = pattern.exec(text) ?? []
  if (!scheme) throw new Error('must be postgres://user:password@host:5432/name, with a comma between several hosts')
  const parameters = new URLSearchParams(query)
  const hosts = listHosts(authority, parameters)
  const target = targetOf(parameters, standardTarget ?? (hosts.length > 1 ? 'read-write' : 'any'))
  const connectTimeoutMs = timeoutOf(parameters, hosts.length)
  for (const name of ourParameters) parameters.delete(name)
  const isSocket = hosts.some(({ host }) => host.startsWith('/'))
  if (hosts.length > 1 || isSocket) for (const name of ['host', 'port']) parameters.delete(name)
  return {
    hosts,
    target,
    connectTimeoutMs,
    urlOf: ({ host, port }) => {
      const all = new URLSearchParams(parameters)
      if (host.startsWith('/')) for (const [name, value] of Object.entries({ host, port })) all.set(name, String(value))
      const place = host.startsWith('/') ? '' : `${bracketed(host)}:${port}`
      const end = all.size > 0 ? `?${all}` : ''
      return `${scheme}${user === undefined ? '' : `${user}@`}${place}${path}${end}`
    },
    label: `${hosts.map(labelOf).join(',')}${path}`,
  }
}

export const labelOf = ({ host, port }: DatabaseHost) => `${bracketed(host)}:${port}`

const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host)

const listHosts = (authority: string, parameters: URLSearchParams): DatabaseHost[] => {
  const named = parameters.get('host')
  if (named === null) return authority.split(',').map((part) => parseHost(part))
  const ports = (parameters.get('port') ?? '').split(',')
  const hosts = named.split(',')
  if (ports.length > 1 && ports.length !== hosts.length) throw new Error('must name one port, or one for each host')
  return hosts.map((host, n) => ({ host, port: portOf(ports[n] ?? ports[0] ?? '') }))
}

const parseHost = (part: string): DatabaseHost => {
  const [, inBrackets, plain, port] = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d*))?$/.exec(part) ?? []
  if (inBrackets === undefined && plain === undefined) throw new Error('has a host or port that cannot be read')
  return { host: inBrackets ?? (decodeURIComponent(plain ?? '') || 'localhost'), port: portOf(port ?? '') }
}

const portOf = (text: string): number => {
  const port = text === '' ? 5432 : Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error('has a port that is not 1 to 65535')
  return port
}

const targetOf = (parameters: URLSearchParams, standard: SessionTarget): SessionTarget => {
  const given = parameters.get('target_session_attrs') ?? standard
  const target = sessionTargets.find((one) => one === given)
  if (!target) throw new Error(`has a target_session_attrs that is none of ${sessionTargets.join(', ')}`)
  return target
}

const timeoutOf = (parameters: URLSearchParams, hosts: number): number => {
  const given = parameters.get('connect_timeout')
  if (given === null) return hosts > 1 ? severalHostsTimeoutMs : oneHostTimeoutMs
  const seconds = Number(given)
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > 60)
    throw new Error('has a connect_timeout that is not 1 to 60 seconds')
  return seconds * 1000
}
