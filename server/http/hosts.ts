import { networkInterfaces } from 'node:os'
import { classifyAddress, listensHereOnly } from '../lib/addresses.ts'

/** The addresses of this PC besides loopback, each with the network that it is in. */
export const ownNetworks = (): { address: string; cidr: string | null }[] =>
  Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal }) => !internal)

/** The addresses by which other PCs on the LAN reach this one. */
export const ownAddresses = (): string[] => ownNetworks().map(({ address }) => address)

/** The IPv4 addresses by which other PCs reach `host`: an address, or `localhost`. */
export function lanAddressesOf(host: string, own = ownAddresses()): string[] {
  if (listensHereOnly(host)) return []
  return own.filter((ip) => !ip.includes(':') && (host === '0.0.0.0' || host === '::' || host === ip))
}

// Nearly every request says one of these; the rest is read with care.
const LOCAL = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::[1-5]?\d{1,4})?$/i

function hostname(header: string | undefined): string | undefined {
  const url = URL.parse(`http://${header ?? ''}/`)
  if (url === null || url.host === '' || url.username !== '' || url.pathname !== '/') return undefined
  return url.hostname.replace(/^\[|\]$/g, '').toLowerCase()
}

/** True if a Host header names this PC from the inside. */
export function isLoopbackHost(header: string | undefined): boolean {
  if (header !== undefined && LOCAL.test(header)) return true
  const name = hostname(header)
  return name === 'localhost' || (name !== undefined && classifyAddress(name) === 'loopback')
}

/**
 * True if a request is meant for us. A foreign page can lead its own name to 127.0.0.1 (DNS
 * rebinding); what it cannot change is that the Host header holds this name.
 */
export function isOwnHost(header: string | undefined, publicNames: readonly string[]): boolean {
  if (isLoopbackHost(header)) return true
  const name = hostname(header)
  if (name === undefined) return false
  if (ownAddresses().includes(name)) return true
  return publicNames.some((allowed) => [name, header?.toLowerCase()].includes(allowed.toLowerCase()))
}
