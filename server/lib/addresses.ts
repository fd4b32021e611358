import ipaddr from 'ipaddr.js'

type Ip = ipaddr.IPv4 | ipaddr.IPv6

/** Kind of place that an IP address names. Only `public` is the open internet. */
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

// Where clouds give out credentials: AWS (also for containers), Google, Alibaba, Oracle, Azure.
const METADATA = new Set([
  '169.254.169.254',
  '169.254.170.2',
  'fd00:ec2::254',
  'fd20:ce::254',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
])

// Everything that is not named here is `reserved`, so that a range which a later library adds stays
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

/** An IP address in one spelling: IPv4 inside IPv6 as IPv4, no zone. Null: it is none. */
export function canonicalAddress(text: string): string | null {
  return ipaddr.isValid(text) ? unwrap(ipaddr.parse(text)).toString() : null
}

/** The kind of an IP address in any spelling; what is no address counts as `reserved`. */
export function classifyAddress(text: string): AddressKind {
  if (!ipaddr.isValid(text)) return 'reserved'
  const ip = unwrap(ipaddr.parse(text))
  const address = ip.toString()
  if (METADATA.has(address)) return 'metadata'
  const kind = KINDS[ip.range()] ?? 'reserved'
  // Only 2000::/3 has been given out as global unicast; the library calls all the unassigned rest
  // unicast too.
  return kind === 'public' && isIPv6(ip) && (ip.parts[0] ?? 0) >> 13 !== 1 ? 'reserved' : kind
}

/** True if no other PC can reach a program that listens on this address. */
export const listensHereOnly = (host: string): boolean => host === 'localhost' || classifyAddress(host) === 'loopback'

/**
 * The IPv4 address that an IPv6 form carries, since that is where a translator or tunnel will
 * connect to.
 */
function unwrap(ip: Ip): Ip {
  if (!isIPv6(ip)) return ip
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0, high = 0, low = 0] = ip.parts
  if (first === 0x2002) return ipv4(second, third)
  const zeros = (second | third | fourth) === 0
  const mapped = first === 0 && zeros && fifth === 0 && sixth === 0xffff
  const translated = first === 0 && zeros && fifth === 0xffff && sixth === 0
  const nat64 = first === 0x64 && second === 0xff9b && (third | fourth | fifth | sixth) === 0
  // The old `::a.b.c.d`, which also covers `::` and `::1`: those two keep their own meaning.
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
