import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../contract/errors.ts'
import { isLocal, isNearby } from '../../http/auth.ts'
import { type FormReader, readQuery } from '../../http/form.ts'
import type { Route } from '../../http/route.ts'

/**
 * Lets in a key that stands among the members of a call. Such a key is in histories and links, and
 * a web page may send it, so that only programs of this PC may, or of its network where the owner
 * allows that too.
 * @throws ApiError
 */
function refuseFromElsewhere(req: IncomingMessage, keysFromLan: () => boolean): void {
  const { origin, referer } = req.headers
  if (!isLocal(req) && !(keysFromLan() && isNearby(req))) {
    throw new ApiError(
      'invalid_api_key',
      'A key in an address or a form is taken from programs on this PC only. From elsewhere send it as "Authorization: Bearer <API_KEY>".',
    )
  }
  if (origin !== undefined || referer !== undefined || (req.headers['sec-fetch-site'] ?? 'none') !== 'none') {
    throw new ApiError('invalid_api_key', 'A key in an address or a form is not taken from a web page.')
  }
}

export interface MixedKey {
  /** Members that may hold the key. */
  names: readonly string[]
  /** True if programs of other PCs on the network may put a key there too. */
  keysFromLan: () => boolean
  /** Reads a body in which the key may stand; undefined: it never does. */
  readForm?: FormReader | undefined
  /** The key within what stands in its place. */
  keyIn?: (text: string) => string
}

/** Reads calls whose key stands in the address, in the body, or as usual in a header. */
export function mixedReader({
  names,
  keysFromLan,
  readForm,
  keyIn = (text) => text,
}: MixedKey): NonNullable<Route['readMixed']> {
  const among = (members: unknown): string[] => {
    const given = typeof members === 'object' && members !== null ? (members as Record<string, unknown>) : {}
    return names.flatMap((name) => {
      const value = Object.hasOwn(given, name) ? given[name] : undefined
      return typeof value === 'string' && value !== '' ? [keyIn(value)] : []
    })
  }

  return async (req) => {
    const query = readQuery(req)
    const inAddress = among(query)
    const { authorization } = req.headers
    if (inAddress.length > 0) {
      refuseFromElsewhere(req, keysFromLan)
      return { secrets: inAddress, query, form: undefined }
    }
    if (authorization !== undefined || req.headers['x-api-key'] !== undefined) {
      const word = /^(?:Bearer +)?(\S+)$/i.exec(authorization ?? '')?.[1]
      return { secrets: word === undefined ? [] : [keyIn(word)], query, form: undefined }
    }
    if (readForm === undefined || req.method !== 'POST') return { secrets: [], query, form: undefined }
    refuseFromElsewhere(req, keysFromLan)
    const form = await readForm.readOfUnknown(req)
    return { secrets: among(form.body), query, form }
  }
}
