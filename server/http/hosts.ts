import { networkInterfaces } from 'node:os'
import { classifyAddress } from '../lib/addresses.ts'

/** The addresses by which other PCs on the LAN reach this one. */
export const ownAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter((address) => !address.internal)
    .map((address) => address.address)

// What nearly every request says; the rest is read with care.
const LOCAL = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i

/**
 * Whether a request is meant for us. A foreign page can lead its own name to 127.0.0.1 (DNS rebinding); what it cannot
 * change is that this name stands in the Host header.
 */
export function isOwnHost(header: string | undefined, publicNames: readonly string[]): boolean {
  if (header !== undefined && LOCAL.test(header)) return true
  const url = URL.parse(`http://${header ?? ''}/`)
  if (url === null || url.host === '' || url.username !== '' || url.pathname !== '/') return false
  const name = url.hostname.replace(/^\[|\]$/g, '').toLowerCase()
  if (name === 'localhost' || classifyAddress(name) === 'loopback') return true
  if (ownAddresses().includes(name)) return true
  return publicNames.some((allowed) => [name, url.host].includes(allowed.toLowerCase()))
}
