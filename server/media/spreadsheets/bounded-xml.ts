import { Parser } from 'saxen'
import { TableRefused } from './refused.ts'

// A cell holds 32,767 characters; each may be written in eight.
const LONGEST_WRITTEN = 32_767 * 8
// 5,000 rows of 100 columns have two million tags.
const MOST_TAGS = 3_000_000

export type Attributes = Readonly<Record<string, string>>
interface Handlers {
  open?: (name: string, attributes: () => Attributes) => void
  close?: (name: string) => void
  text?: (text: string) => void
}

/** Returns a name without its prefix, because some programs write `x:row`. */
const bare = (name: string): string => name.slice(name.indexOf(':') + 1)

/**
 * Refuses a long piece of work, because one such step may allocate so much memory at once that the
 * whole program ends, whatever the memory limit of its thread.
 */
function refuseLong(length: number): void {
  if (length > LONGEST_WRITTEN) throw new TableRefused('too_large')
}

export function joined(text: string, more: string): string {
  refuseLong(text.length + more.length)
  return text + more
}

function refuseLongTags(xml: string): void {
  for (let start = 0, end = 0; end !== -1; start = end + 1) {
    end = xml.indexOf('>', start)
    refuseLong((end === -1 ? xml.length : end) - start)
  }
}

/** Parses XML. Entities that the document declares itself are not expanded. */
export function parse(xml: string, { open, close, text }: Handlers): void {
  refuseLongTags(xml)
  let tags = 0
  const parser = new Parser()
  parser.on('openTag', (name, attributes) => {
    tags += 1
    if (tags > MOST_TAGS) throw new TableRefused('too_large')
    open?.(bare(name), () => attributes() as Attributes)
  })
  parser.on('closeTag', (name) => close?.(bare(name)))
  parser.on('text', (value, decode) => {
    refuseLong(value.length)
    text?.(decode(value))
  })
  parser.on('cdata', (value) => text?.(value))
  parser.on('error', () => {
    throw new TableRefused('not_a_table')
  })
  parser.parse(xml)
}
