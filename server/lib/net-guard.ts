import { lookup } from 'node:dns/promises'
import { isIP, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Agent, buildConnector } from 'undici'
import { type AddressKind, canonicalAddress, classifyAddress } from './addresses.ts'
import { SECOND } from './clock.ts'

export interface Target {
  /** Name or IP literal of the URL, without brackets. */
  host: string
  port: number
  /** IP address that Kurir would connect to. */
  address: string
}

/** Returns why Kurir must not connect to a target; null allows it. */
export type AddressPolicy = (target: Target) => string | null

/** Resolves with all addresses of a name. Rejects with `ENOTFOUND` and the like. */
export type Resolve = (hostname: string) => Promise<string[]>

export class AddressBlocked extends Error {
  readonly host: string
  readonly address: string

  constructor(host: string, address: string, reason: string) {
    super(host === address ? `${host} is refused: ${reason}.` : `${host} (${address}) is refused: ${reason}.`)
    this.name = 'AddressBlocked'
    this.host = host
    this.address = address
  }
}

/** Replacements for the system's name lookup and connections. */
export interface Network {
  resolve?: Resolve
  /** Connects to `hostname`, a checked IP address; `host` is the name in the URL. */
  connect?: buildConnector.connector
}

export interface GuardOptions extends Network {
  /**
   * Called for every address of every connection, so that a changed setting takes effect at once.
   */
  policy: AddressPolicy
  /** Most bytes of one answer, including headers and framing. */
  mostBytes: number
}

/**
 * Most bytes of an answer of which Kurir reads 2 KiB. Our choice: a whole web page still counts as
 * an answer.
 */
export const MOST_ANSWER_BYTES = 1024 * 1024

/**
 * Returns the most bytes of an answer whose body may have `bytes`. Headers and chunk sizes are a
 * small part of an answer.
 */
export const withFraming = (bytes: number): number => MOST_ANSWER_BYTES + bytes * 1.25

/** The answer exceeded its limit. A retry is useless, because it would bring as many bytes. */
export class AnswerTooLong extends Error {
  constructor(mostBytes: number) {
    super(`its answer has more than ${mostBytes} bytes`)
    this.name = 'AnswerTooLong'
  }
}

// Short, because after a dead address the next one is tried.
const CONNECT_TIMEOUT = 5 * SECOND

export const systemResolve: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address)

/**
 * Creates an undici dispatcher that resolves a name once, checks every address, and connects to a
 * checked address, never to the name again, so a DNS answer that changes in between has no effect.
 * A refused target rejects with AddressBlocked before any packet leaves. Callers follow redirects
 * themselves, and each one is a new connection, so it is checked too.
 */
export function createGuardedDispatcher({
  policy,
  resolve = systemResolve,
  mostBytes,
  connect = buildConnector({ allowH2: false, timeout: CONNECT_TIMEOUT }),
}: GuardOptions): Agent {
  const open = async (options: buildConnector.Options): Promise<Socket> => {
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80)
    const addresses = await checkedAddresses(options.hostname, port, policy, resolve)
    return firstConnection(addresses, (address) => connectTo(connect, { ...options, hostname: address }))
  }
  return new Agent({
    // Keep no connection, so that each request passes the check under the current policy.
    pipelining: 0,
    // Callers set their own timeouts, with the injected clock.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options, callback) => {
      open(options).then(
        (socket) => callback(null, endAfter(mostBytes, socket)),
        (error: Error) => callback(error, null),
      )
    },
  })
}

/** Ends an endless answer, because a parser reads interim answers and trailers without limit. */
function endAfter(bytes: number, socket: Socket): Socket {
  return socket.prependListener('readable', () => {
    if (socket.bytesRead > bytes) socket.destroy(new AnswerTooLong(bytes))
  })
}

const LOOKED_EVERY = SECOND / 10

/**
 * Does the same as `endAfter` for a socket whose reader would lose bytes to a `readable` listener.
 * Passes no bytes on beyond the limit. Once TLS reads the socket without `push`, a timer checks.
 */
function watchBytes(bytes: number, socket: Socket): Socket {
  const isOver = (): boolean => {
    if (socket.bytesRead > bytes) socket.destroy(new AnswerTooLong(bytes))
    return socket.destroyed
  }
  const push = socket.push.bind(socket)
  socket.push = (chunk, encoding) => !isOver() && push(chunk, encoding)
  const timer = setInterval(isOver, LOOKED_EVERY)
  return socket.once('close', () => clearInterval(timer))
}

const plainConnect = buildConnector({ allowH2: false, timeout: CONNECT_TIMEOUT })

/** Opens a TCP connection with the same checks, for protocols other than HTTP. */
export async function openConnection({
  host,
  port,
  policy,
  resolve,
  mostBytes,
}: {
  host: string
  port: number
  policy: AddressPolicy
  resolve: Resolve
  /** Most bytes of all answers together. */
  mostBytes: number
}): Promise<Socket> {
  const addresses = await checkedAddresses(host, port, policy, resolve)
  const options = { host, protocol: 'http:', port: String(port) }
  const socket = await firstConnection(addresses, (address) =>
    connectTo(plainConnect, { ...options, hostname: address }),
  )
  return watchBytes(mostBytes, socket)
}

/**
 * Returns the addresses of a host if the policy allows all of them.
 * @throws AddressBlocked
 */
export async function checkedAddresses(
  host: string,
  port: number,
  policy: AddressPolicy,
  resolve: Resolve,
): Promise<string[]> {
  const addresses = isIP(host) === 0 ? withoutStrays(await resolve(host)) : [host]
  if (addresses.length === 0) throw Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' })
  for (const address of addresses) {
    const reason = policy({ host, port, address })
    if (reason !== null) throw new AddressBlocked(host, address, reason)
  }
  return addresses
}

/**
 * Removes link-local addresses if there are others. Windows adds those of unused adapters to the
 * name of a PC on the LAN: they lead nowhere and must not block the real address. If there are no
 * others, the policy decides.
 */
function withoutStrays(addresses: string[]): string[] {
  const real = addresses.filter((address) => classifyAddress(address) !== 'link-local')
  return real.length > 0 ? real : addresses
}

async function firstConnection(addresses: string[], open: (address: string) => Promise<Socket>): Promise<Socket> {
  let failure: unknown
  for (const address of addresses) {
    try {
      return await open(address)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

function connectTo(connect: buildConnector.connector, options: buildConnector.Options): Promise<Socket> {
  return new Promise((resolve, reject) => {
    connect(options, (error, socket) => (error === null ? resolve(socket) : reject(error)))
  })
}

/** One entry of `media_allowed_hosts`. Without a port the entry allows every port. */
interface AllowedHost {
  port: number | undefined
  matches(target: Target): boolean
}

// A name that the owner listed may resolve to any address on the owner's network, but never to
// addresses that serve no files.
const OPEN_TO_NAMES: ReadonlySet<AddressKind> = new Set(['public', 'loopback', 'private', 'link-local'])

const ENTRY = /^(?:\[(?<bracketed>[^\]]+)\]|(?<plain>[^:[\]]+))(?::(?<port>\d{1,5}))?$/

/**
 * Parses `192.168.1.10`, `192.168.1.0/24`, `files.local:8080`, `fd00::5` or `[fd00::5]:8080`. Null
 * for anything else.
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

interface OwnAddress {
  address: string
  cidr: string | null
}

/**
 * True for this PC and its own network, even by public addresses, because most homes with IPv6 use
 * these inside.
 */
const isOurs = (target: Target, own: readonly OwnAddress[]): boolean =>
  own.some(
    ({ address, cidr }) =>
      isAddress(address)(target) ||
      (cidr !== null && ipaddr.isValidCIDR(cidr) && inRange(ipaddr.parseCIDR(cidr))(target)),
  )

/**
 * Returns a policy that allows public addresses and the hosts that the owner listed. Entries that
 * cannot be parsed allow nothing.
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
    // Only the exact address opens a metadata address, where clouds give out credentials: a range
    // is never meant to include it.
    if (address === null || classifyAddress(address) === 'metadata') return false
    const ip = ipaddr.parse(address)
    return ip.kind() === network.kind() && ip.match(network, bits)
  }
}

function isName(name: string): (target: Target) => boolean {
  return (target) => hostname(target.host) === name && OPEN_TO_NAMES.has(classifyAddress(target.address))
}

/**
 * Returns a name as URLs spell it: lower case, international names in ASCII, no trailing dot. Null:
 * `text` is no host name.
 */
function hostname(text: string): string | null {
  if (!URL.canParse(`http://${text}/`)) return null
  const url = new URL(`http://${text}/`)
  return url.host === '' || url.username !== '' || url.pathname !== '/' ? null : url.hostname.replace(/\.$/, '')
}
