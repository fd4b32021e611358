import { lookup } from 'node:dns/promises'
import { isIP, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Agent, buildConnector } from 'undici'
import { type AddressKind, canonicalAddress, classifyAddress } from './addresses.ts'
import { SECOND } from './clock.ts'

export interface Target {
  /** The name or IP literal of the URL, without brackets. */
  host: string
  port: number
  /** The IP address that would be connected to. */
  address: string
}

/** Says why a target must not be connected to; null allows it. */
export type AddressPolicy = (target: Target) => string | null

/** All addresses of a name. Rejects with `ENOTFOUND` and the like. */
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

/** How names are looked up and connections opened. */
export interface Network {
  resolve?: Resolve
  /** Opens a connection to `hostname`, a checked IP address; `host` is the URL's name. */
  connect?: buildConnector.connector
}

export interface GuardOptions extends Network {
  /** Asked for every address of every connection, so that a changed setting counts at once. */
  policy: AddressPolicy
  /** Bytes of one answer, with all that is beside its body. */
  mostBytes: number
}

/** Most bytes of an answer of which 2 KiB are read. Ours: a whole page is still an answer. */
export const MOST_ANSWER_BYTES = 1024 * 1024

/** Most bytes of an answer whose body has so many; headers and chunk sizes are a small part. */
export const withFraming = (bytes: number): number => MOST_ANSWER_BYTES + bytes * 1.25

/** Another try would bring as much. */
export class AnswerTooLong extends Error {
  constructor(mostBytes: number) {
    super(`its answer has more than ${mostBytes} bytes`)
    this.name = 'AnswerTooLong'
  }
}

// One dead address of a name must leave time for the next.
const CONNECT_TIMEOUT = 5 * SECOND

export const systemResolve: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address)

/**
 * A dispatcher for undici that resolves a name once, checks every address and connects to a checked
 * address, never to the name again: an answer of DNS that changes in between cannot matter. A
 * refused target rejects with AddressBlocked before any packet leaves. Redirects are the caller's,
 * and each is a new connection, so it is checked too.
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
    // No connection is kept: each request passes the check, under the policy of that moment.
    pipelining: 0,
    // Callers own their timeouts, by the injected clock.
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

/** Ends an endless answer: a parser reads interim answers and trailers without a bound. */
function endAfter(bytes: number, socket: Socket): Socket {
  return socket.prependListener('readable', () => {
    if (socket.bytesRead > bytes) socket.destroy(new AnswerTooLong(bytes))
  })
}

const LOOKED_EVERY = SECOND / 10

/**
 * Does the same where a listener for `readable` would take the bytes from their reader. Nothing
 * beyond the bound is given to it; once TLS reads past `push`, a timer looks.
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

/** A TCP connection to a host, guarded in the same way, for what is not HTTP. */
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
  /** Bytes of all answers. */
  mostBytes: number
}): Promise<Socket> {
  const addresses = await checkedAddresses(host, port, policy, resolve)
  const options = { host, protocol: 'http:', port: String(port) }
  const socket = await firstConnection(addresses, (address) =>
    connectTo(plainConnect, { ...options, hostname: address }),
  )
  return watchBytes(mostBytes, socket)
}

/** The addresses of a host, if the policy allows all of them. @throws AddressBlocked */
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
 * Windows answers the name of a PC on the LAN with the link-local addresses of unused adapters as
 * well. They lead nowhere and must not block the real one; alone they are left to the policy.
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

/** One entry of `media_allowed_hosts`. Without a port it means every port. */
interface AllowedHost {
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
interface OwnAddress {
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
