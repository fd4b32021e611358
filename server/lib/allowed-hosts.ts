import ipaddr from 'ipaddr.js'
import { type AddressKind, canonicalAddress, classifyAddress } from './addresses.ts'
import type { AddressPolicy, Target } from './net-guard.ts'

/** One entry of `media_allowed_hosts`. Without a port it means every port. */
export interface AllowedHost {
  port: number | undefined
  matches(target: Target): boolean
}

// A name that the owner listed may lead anywhere on the owner's network, but never to addresses
// that serve no files.
const OPEN_TO_NAMES: ReadonlySet<AddressKind> = new Set(['public', 'loopback', 'private', 'link-local'])

const ENTRY = /^(?:\[(?<bracketed>[^\]]+)\]|(?<plain>[^:[\]]+))(?::(?<port>\d{1,5}))?$/

/**
 * Reads `192.168.1.10`, `192.168.1.0/24`, `files.local:8080`, `fd00::5`, `[fd00::5]:8080`. Null if
 * it is none of them.
 */
export function parseAllowedHost(entry: string): AllowedHost | null {
  const text = entry.trim()
  if (ipaddr.isValidCIDR(text)) return { port: undefined, matches: inRange(ipaddr.parseCIDR(text)) }
  if (ipaddr.IPv6.isValid(text)) return { port: undefined, matches: isAddress(text) }
  const groups = ENTRY.exec(text)?.groups
  const host = groups?.bracketed ?? groups?.plain
  const port = groups?.port === undefined ? undefined : Number(groups.port)
  if (host === undefined || (port !== undefined && (port < 1 || port > 65_535))) return null
  if (ipaddr.isValidCIDR(host)) return { port, matches: inRange(ipaddr.parseCIDR(host)) }
  if (ipaddr.isValid(host)) return { port, matches: isAddress(host) }
  const name = hostname(host)
  return name === null ? null : { port, matches: isName(name) }
}

/** An address of this PC, with the network that it is in. */
export interface OwnAddress {
  address: string
  cidr: string | null
}

/** This PC or its own network, also by its public addresses: most IPv6 homes have such. */
const isOurs = (target: Target, own: readonly OwnAddress[]): boolean =>
  own.some(
    ({ address, cidr }) =>
      isAddress(address)(target) ||
      (cidr !== null && ipaddr.isValidCIDR(cidr) && inRange(ipaddr.parseCIDR(cidr))(target)),
  )

/**
 * Files come from public addresses only, and from what the owner listed. Entries that cannot be
 * read allow nothing.
 */
export function mediaPolicy(entries: readonly string[], own: readonly OwnAddress[] = []): AddressPolicy {
  const allowed = entries.map(parseAllowedHost).filter((entry) => entry !== null)
  return (target) => {
    const kind = isOurs(target, own) ? 'local' : classifyAddress(target.address)
    if (kind === 'public') return null
    const listed = allowed.some(({ port, matches }) => (port === undefined || port === target.port) && matches(target))
    return listed ? null : `it is a ${kind} address`
  }
}

function isAddress(address: string): (target: Target) => boolean {
  const wanted = canonicalAddress(address)
  return (target) => canonicalAddress(target.address) === wanted
}

function inRange([network, bits]: [ipaddr.IPv4 | ipaddr.IPv6, number]): (target: Target) => boolean {
  return (target) => {
    const address = canonicalAddress(target.address)
    // Where clouds give out credentials, only the exact address opens: a range is never meant to
    // include it.
    if (address === null || classifyAddress(address) === 'metadata') return false
    const ip = ipaddr.parse(address)
    return ip.kind() === network.kind() && ip.match(network, bits)
  }
}

function isName(name: string): (target: Target) => boolean {
  return (target) => hostname(target.host) === name && OPEN_TO_NAMES.has(classifyAddress(target.address))
}

/** A name as URLs spell it: lower case, international names in ASCII, no dot at the end. */
function hostname(text: string): string | null {
  if (!URL.canParse(`http://${text}/`)) return null
  const url = new URL(`http://${text}/`)
  return url.host === '' || url.username !== '' || url.pathname !== '/' ? null : url.hostname.replace(/\.$/, '')
}
