import { lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** Why an address must not be called; the text is for the user who entered it. */
export class RefusedAddress extends Error {}

const notPublic = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  notPublic.addSubnet(network, bits, 'ipv4')
const public6 = new BlockList()
public6.addSubnet('2000::', 3, 'ipv6')
// Inside the public range: transition mechanisms, which can carry a private IPv4 address, and documentation.
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  notPublic.addSubnet(network, bits, 'ipv6')

/** Whether an IP address is on the internet, not of this machine, its network or its cloud. */
const isPublicIp = (ip: string): boolean =>
  isIP(ip) === 4
    ? !notPublic.check(ip, 'ipv4')
    : isIP(ip) === 6 && public6.check(ip, 'ipv6') && !notPublic.check(ip, 'ipv6')

const localName = /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp)\.?$/
const defaultPort: Record<string, string> = { 'https:': '443', 'http:': '80' }

/** Whether the operator has listed the host, or host and port (OUTBOUND_ALLOW). */
const isAllowed = (url: URL, allow: readonly string[]): boolean => {
  const host = url.hostname.toLowerCase()
  const port = url.port || defaultPort[url.protocol]
  return allow.includes(host) || allow.includes(`${host}:${port}`)
}

/**
 * Checks an address as far as that is possible without looking its name up; throws `RefusedAddress`. The URL parser has turned every
 * notation of an IPv4 address (hexadecimal, octal, one number) into four decimal numbers.
 */
export const requirePublicAddress = (text: string, allow: readonly string[]): URL => {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new RefusedAddress('must be an https address')
  if (url.username !== '' || url.password !== '') throw new RefusedAddress('must not hold a user name or password')
  if (isAllowed(url, allow)) return url
  if (url.protocol !== 'https:') throw new RefusedAddress('must be an https address')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isLocal = isIP(host) ? !isPublicIp(host) : localName.test(host) || !host.includes('.')
  if (isLocal) throw new RefusedAddress('must be a public address')
  return url
}

/** Looks a name up at the moment of connecting and refuses what is not public, so that a name cannot resolve differently in between. */
export const publicLookup =
  (url: URL, allow: readonly string[]): LookupFunction =>
  (host, options, done) => {
    systemLookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '', 0)
      const hidden = addresses.find(({ address }) => !isPublicIp(address))
      if (hidden && !isAllowed(url, allow))
        return done(new RefusedAddress('The name does not resolve to a public address'), '', 0)
      if (options.all) return done(null, addresses)
      const [first] = addresses
      return done(null, first?.address ?? '', first?.family ?? 0)
    })
  }
