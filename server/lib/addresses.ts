import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

type Ip = ipaddr.IPv4 | ipaddr.IPv6

/** Kind of an IP address. Only `public` is the open internet. */
export type AddressKind =
  | 'public'
  | 'loopback'
  | 'private'
  | 'link-local'
  | 'metadata'
  | 'multicast'
  | 'broadcast'
  | 'unspecified'
  | 'reserved'

// Addresses at which clouds give out credentials: AWS (also for containers), Google, Alibaba,
// Oracle, Azure.
const METADATA = new Set([
  '169.254.169.254',
  '169.254.170.2',
  'fd00:ec2::254',
  'fd20:ce::254',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
])

// Every other range is `reserved`, so that a range which a later version of the library adds stays
// closed.
const KINDS: Record<string, AddressKind> = {
  unicast: 'public',
  loopback: 'loopback',
  private: 'private',
  carrierGradeNat: 'private',
  uniqueLocal: 'private',
  deprecatedSiteLocal: 'private',
  linkLocal: 'link-local',
  multicast: 'multicast',
  broadcast: 'broadcast',
  unspecified: 'unspecified',
}

/**
 * Returns an IP address in one spelling: IPv4 inside IPv6 as IPv4, without a zone. Null: `text` is
 * no address.
 */
export function canonicalAddress(text: string): string | null {
  return ipaddr.isValid(text) ? unwrap(ipaddr.parse(text)).toString() : null
}

/** Returns the kind of an IP address in any spelling; `reserved` for a text that is no address. */
export function classifyAddress(text: string): AddressKind {
  if (!ipaddr.isValid(text)) return 'reserved'
  const ip = unwrap(ipaddr.parse(text))
  const address = ip.toString()
  if (METADATA.has(address)) return 'metadata'
  const kind = KINDS[ip.range()] ?? 'reserved'
  // Only 2000::/3 is assigned as global unicast. The library calls the unassigned ranges unicast
  // too.
  return kind === 'public' && isIPv6(ip) && (ip.parts[0] ?? 0) >> 13 !== 1 ? 'reserved' : kind
}

/** True if no other PC can reach a program that listens on this address. */
export const listensHereOnly = (host: string): boolean => host === 'localhost' || classifyAddress(host) === 'loopback'

/**
 * Returns the IPv4 address inside an IPv6 address, because a translator or tunnel connects to that
 * one.
 */
function unwrap(ip: Ip): Ip {
  if (!isIPv6(ip)) return ip
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0, high = 0, low = 0] = ip.parts
  if (first === 0x2002) return ipv4(second, third)
  const zeros = (second | third | fourth) === 0
  const mapped = first === 0 && zeros && fifth === 0 && sixth === 0xffff
  const translated = first === 0 && zeros && fifth === 0xffff && sixth === 0
  const nat64 = first === 0x64 && second === 0xff9b && (third | fourth | fifth | sixth) === 0
  // Obsolete form `::a.b.c.d`. `::` and `::1` look like it but keep their own meaning.
  const compatible = first === 0 && zeros && (fifth | sixth) === 0 && (high > 0 || low > 1)
  if (mapped || translated || nat64 || compatible) return ipv4(high, low)
  return new ipaddr.IPv6(ip.parts)
}

function ipv4(high: number, low: number): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff])
}

function isIPv6(ip: Ip): ip is ipaddr.IPv6 {
  return ip.kind() === 'ipv6'
}

export const ownNetworks = (): { address: string; cidr: string | null }[] =>
  Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal }) => !internal)

/** Returns the addresses by which other PCs on the LAN reach this one. */
export const ownAddresses = (): string[] => ownNetworks().map(({ address }) => address)

/**
 * Returns the IPv4 addresses by which other PCs reach a server that listens on `host`, which is an
 * address or `localhost`.
 */
export function lanAddressesOf(host: string, own = ownAddresses()): string[] {
  if (listensHereOnly(host)) return []
  return own.filter((ip) => !ip.includes(':') && (host === '0.0.0.0' || host === '::' || host === ip))
}

// Nearly every request has one of these Host headers; the others take the slower way through
// `hostname`.
const LOCAL = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::[1-5]?\d{1,4})?$/i

function hostname(header: string | undefined): string | undefined {
  const url = URL.parse(`http://${header ?? ''}/`)
  if (url === null || url.host === '' || url.username !== '' || url.pathname !== '/') return undefined
  return url.hostname.replace(/^\[|\]$/g, '').toLowerCase()
}

/** True if a Host header names this PC by a loopback name or address. */
export function isLoopbackHost(header: string | undefined): boolean {
  if (header !== undefined && LOCAL.test(header)) return true
  const name = hostname(header)
  return name === 'localhost' || (name !== undefined && classifyAddress(name) === 'loopback')
}

/**
 * True if a request is meant for Kurir. A foreign page can point its own name to 127.0.0.1 (DNS
 * rebinding), but the Host header then still holds that name.
 */
export function isOwnHost(header: string | undefined, publicNames: readonly string[]): boolean {
  if (isLoopbackHost(header)) return true
  const name = hostname(header)
  if (name === undefined) return false
  if (ownAddresses().includes(name)) return true
  return publicNames.some((allowed) => [name, header?.toLowerCase()].includes(allowed.toLowerCase()))
}
