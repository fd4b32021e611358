import { type AddressKind, canonicalAddress, classifyAddress } from '../lib/addresses.ts'
import { AddressBlocked, type AddressPolicy, checkedAddresses, type Resolve } from '../lib/net-guard.ts'

export interface OwnListeners {
  /** Kurir's own ports. */
  ports: () => readonly number[]
  /** Addresses of this PC besides loopback, as `os.networkInterfaces()` lists them. */
  addresses: () => readonly string[]
}

// No program receives callbacks at these addresses. Private ones are allowed, because callers run
// on this PC and its LAN.
const CLOSED: ReadonlySet<AddressKind> = new Set([
  'link-local',
  'metadata',
  'multicast',
  'broadcast',
  'unspecified',
  'reserved',
])

/** Allows all addresses except those without a receiver and Kurir itself. */
export function callbackPolicy(own: OwnListeners): AddressPolicy {
  return ({ port, address }) => {
    const kind = classifyAddress(address)
    if (CLOSED.has(kind)) return `it is a ${kind} address`
    const here =
      kind === 'loopback' || own.addresses().some((ours) => canonicalAddress(ours) === canonicalAddress(address))
    return here && own.ports().includes(port) ? `port ${port} of this PC is Kurir itself` : null
  }
}

/**
 * Resolves with a sentence that says why `url` cannot be saved as a callback target; null if it
 * can. Names that cannot be looked up are allowed, because their PC may be off. Each connection is
 * checked again.
 */
export async function refuseTarget(url: string, policy: AddressPolicy, resolve: Resolve): Promise<string | null> {
  if (!URL.canParse(url)) return 'This is not a URL. It looks like http://192.168.1.10:8000/kurir.'
  const { protocol, hostname, port, username, password } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') return 'The URL must begin with http:// or https://.'
  if (username !== '' || password !== '')
    return 'The URL must not hold a name or password; check the signature instead.'
  try {
    const host = hostname.replace(/^\[|\]$/g, '')
    await checkedAddresses(host, Number(port) || (protocol === 'https:' ? 443 : 80), policy, resolve)
  } catch (error) {
    if (error instanceof AddressBlocked) return error.message
    if (!isLookupFailure(error)) throw error
  }
  return null
}

function isLookupFailure(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN')
}
