import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { PAGE_TOKEN_HEADER } from '../../contract/page-token.ts'
import { addressOf, isLocal } from '../../http/auth.ts'
import type { CallHead } from '../../http/context.ts'
import { canonicalAddress, classifyAddress } from '../../lib/addresses.ts'

/** Stands for all programs of this PC, by whatever address they call. */
const HERE = '127.0.0.1'

/** The address of a caller, in one spelling. */
export function callerOf(req: CallHead): string {
  const address = addressOf(req)
  return classifyAddress(address) === 'loopback' ? HERE : (canonicalAddress(address) ?? address)
}

export const isHere = (address: string): boolean => address === HERE

/** True if the owner's browser calls: our page, or an address by hand. It shows its errors. */
export function isBrowser({ headers }: CallHead): boolean {
  const site = headers['sec-fetch-site']
  return (
    headers[PAGE_TOKEN_HEADER] !== undefined ||
    site === 'same-origin' ||
    site === 'none' ||
    headers.accept?.includes('text/html') === true
  )
}

/** True if a web page calls, which any page of the internet may do from the owner's browser. */
const isWebPage = ({ headers }: CallHead): boolean =>
  headers.origin !== undefined || headers.referer !== undefined || headers['sec-fetch-site'] !== undefined

/** True if a program of this PC calls. Behind a proxy on it stands the whole internet. */
export const isProgramHere = (req: CallHead): boolean => isLocal(req as IncomingMessage) && !isWebPage(req)

/** Shorter secrets would be half told by their last letters. */
const SHORTEST = 12

function keyIn({ headers }: CallHead): string | undefined {
  const places = [headers.authorization, headers['x-api-key'], headers.apikey, headers.token]
  return places.flatMap((place) => /^\s*(?:Bearer +)?(\S+)\s*$/i.exec(String(place ?? ''))?.[1] ?? [])[0]
}

/** The last four characters of a key that Kurir does not know, as the page of API keys has them. */
export function hintOf(req: CallHead): string | null {
  const key = keyIn(req)
  return key !== undefined && key.length >= SHORTEST && /^[\x21-\x7e]+$/.test(key) ? key.slice(-4) : null
}

/** True if its key has the form of ours: what scans a network has none. */
export const hasOurForm = (req: CallHead): boolean => /^kurir_[gd]_/.test(keyIn(req) ?? '')

/** The program as it calls itself, such as `GuzzleHttp`. */
export function programOf({ headers }: CallHead): string | null {
  const name = /^[A-Za-z][A-Za-z_-]{1,31}(?=[/ ]|$)/.exec(headers['user-agent'] ?? '')?.[0]
  return name === undefined || name === 'Mozilla' ? null : name
}

/** Names a group of calls, the same as long as all of `parts` are the same. */
export const groupOf = (parts: readonly (string | number | null)[]): string =>
  hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 16)
