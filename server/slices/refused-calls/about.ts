import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { PAGE_TOKEN_HEADER } from '../../contract/page-token.ts'
import { addressOf, isLocal } from '../../http/auth.ts'
import type { CallHead } from '../../http/context.ts'
import { type CallOutline, type Gateway, isOneOf } from '../../http/outline.ts'
import { canonicalAddress, classifyAddress } from '../../lib/addresses.ts'

/** One address for all programs of this PC, whichever address they call from. */
const HERE = '127.0.0.1'

/** Returns a caller's address in canonical spelling. */
export function callerOf(req: CallHead): string {
  const address = addressOf(req)
  return classifyAddress(address) === 'loopback' ? HERE : (canonicalAddress(address) ?? address)
}

export const isHere = (address: string): boolean => address === HERE

/**
 * Returns true if the owner's browser calls, from our page or a typed address. The browser shows
 * its errors itself.
 */
export function isBrowser({ headers }: CallHead): boolean {
  const site = headers['sec-fetch-site']
  return (
    headers[PAGE_TOKEN_HEADER] !== undefined ||
    site === 'same-origin' ||
    site === 'none' ||
    headers.accept?.includes('text/html') === true
  )
}

/**
 * Returns true if a web page calls. Any page of the internet can do so from the owner's browser.
 */
const isWebPage = ({ headers }: CallHead): boolean =>
  headers.origin !== undefined || headers.referer !== undefined || headers['sec-fetch-site'] !== undefined

/**
 * Returns true if a program of this PC calls. Calls through a proxy on it do not count,
 * because they may come from anywhere.
 */
export const isProgramHere = (req: CallHead): boolean => isLocal(req as IncomingMessage) && !isWebPage(req)

/**
 * Minimum length of a key whose last letters are shown; they would reveal too much of a shorter
 * one.
 */
const SHORTEST = 12

function keyIn({ headers }: CallHead): string | undefined {
  const places = [headers.authorization, headers['x-api-key'], headers.apikey, headers.token]
  return places.flatMap((place) => /^\s*(?:Bearer +)?(\S+)\s*$/i.exec(String(place ?? ''))?.[1] ?? [])[0]
}

/**
 * Returns the last four characters of an unknown key, as the API keys page shows them for its keys.
 */
export function hintOf(req: CallHead): string | null {
  const key = keyIn(req)
  return key !== undefined && key.length >= SHORTEST && /^[\x21-\x7e]+$/.test(key) ? key.slice(-4) : null
}

/** Returns true if the key has Kurir's form, which the key of a network scanner does not have. */
export const hasOurForm = (req: CallHead): boolean => /^kurir_[gd]_/.test(keyIn(req) ?? '')

/** Returns the program's name from its User-Agent, such as `GuzzleHttp`; null for a browser. */
export function programOf({ headers }: CallHead): string | null {
  const name = /^[A-Za-z][A-Za-z_-]{1,31}(?=[/ ]|$)/.exec(headers['user-agent'] ?? '')?.[0]
  return name === undefined || name === 'Mozilla' ? null : name
}

/** Returns the id of a group of calls, derived from `parts`. */
export const groupOf = (parts: readonly (string | number | null)[]): string =>
  hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 16)

const ANY = ['GET', 'POST', 'PUT', 'PATCH']

/** Without a mouth, because these programs send to Twilio's own account. */
const twilio: Gateway = {
  name: 'Twilio',
  mouth: null,
  looksLike: isOneOf([
    {
      source: 'twilio.com/docs/messaging/api/message-resource',
      methods: ['GET', 'POST'],
      path: /^\/2010-04-01\/Accounts\//,
    },
    {
      source: 'twilio.com/docs/messaging/api/message-resource, with another address',
      methods: ['POST'],
      path: /\/(Messages\.json|send)$/,
      members: ['To', ['Body', 'ContentSid', 'MediaUrl']],
      key: ['basic'],
    },
  ]),
}

/** Name for calls that are meant for Kurir itself and nearly right. */
export const SLIP = 'Kurir'

const NUMBER = ['phone', 'to', 'number', 'recipient', 'msisdn', 'nomor', 'no_hp', 'tujuan', 'destination']
const TEXT = ['message', 'text', 'body', 'msg', 'pesan', 'content']

const isSlip = isOneOf([
  {
    source: 'docs/api.md: /send, without a version or a folder',
    methods: ['POST'],
    path: /^(?:\/api)?(?:\/v\d)?(?:\/kurir)?\/(?:send|sends|send-message|message|messages)\/?$/i,
    members: [NUMBER, TEXT],
  },
  { source: 'docs/api.md: sending is POST', methods: ['GET', 'PUT', 'PATCH'], path: /^\/send\/?$/i, members: [NUMBER] },
  { source: 'docs/api.md: members of /send elsewhere', methods: ANY, path: /^\//, members: ['phone', 'sender_code'] },
])

/** Returns true for a call of the right form, whose error must lie elsewhere. */
const isRight = ({ method, path, members }: CallOutline): boolean =>
  method === 'POST' && /^\/(send|waba\/send-template)\/?$/i.test(path) && (members.has('phone') || members.has('group'))

const kurir: Gateway = { name: SLIP, mouth: null, looksLike: (call) => !isRight(call) && isSlip(call) }

/** Returns the name of the gateway that a call was meant for; null if it resembles none. Pure. */
export const recognise = (mouths: readonly Gateway[], call: CallOutline): string | null =>
  [...mouths, twilio, kurir].find(({ looksLike }) => looksLike(call))?.name ?? null
