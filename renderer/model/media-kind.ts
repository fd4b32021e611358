export type MediaKind = 'image' | 'video' | 'audio' | 'document'

const KINDS: [MediaKind, RegExp][] = [
  ['image', /\.(jpe?g|png|gif|webp)$/i],
  ['video', /\.(mp4|3gp|mov)$/i],
  ['audio', /\.(mp3|ogg|opus|m4a|aac|amr)$/i],
]

/** What a file at this address probably is, by its name: enough for a picture of a phone. */
export function mediaKind(address: string): MediaKind {
  const path = URL.parse(address)?.pathname ?? address
  return KINDS.find(([, ending]) => ending.test(path))?.[0] ?? 'document'
}

export const fileName = (address: string): string =>
  decodeURIComponent(URL.parse(address)?.pathname.split('/').at(-1) ?? '') || address
