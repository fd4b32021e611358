import { decoded } from './decoded.ts'

export type MediaKind = 'image' | 'video' | 'audio' | 'document'

const KINDS: [MediaKind, RegExp][] = [
  ['image', /\.(jpe?g|png|gif|webp)$/i],
  ['video', /\.(mp4|3gp|mov)$/i],
  ['audio', /\.(mp3|ogg|opus|m4a|aac|amr)$/i],
]

export interface FileLook {
  kind: MediaKind
  name: string
  /** Host of the address. Null: the address has none or is malformed. */
  host: string | null
}

/**
 * Guesses the kind of a file from its name alone, because the window never opens an address that a
 * caller gave.
 */
export function fileLook(address: string, named: string | null = null): FileLook {
  const url = URL.parse(address)
  const path = url?.pathname ?? address
  const host = url === null || url.host === '' ? null : url.host
  const name = named ?? (decoded(path.split('/').at(-1) ?? '') || (host ?? address))
  return { kind: KINDS.find(([, ending]) => ending.test(named ?? path))?.[0] ?? 'document', name, host }
}
