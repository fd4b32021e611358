import { inflateSync } from 'node:zlib'

/**
 * Largest PDF whose pages are counted. Invoices have a few hundred kilobytes; a larger catalogue is
 * sent without its number of pages. All limits here are our own.
 */
export const MOST_PDF_BYTES = 32 * 1024 * 1024
/** Most object streams that are read; each holds a few hundred objects. */
const MOST_STREAMS = 64
const LONGEST_DICTIONARY = 1024
/** Most places that are examined for the dictionary of a stream. */
const MOST_PLACES = 10_000
/** Most inflated bytes of all streams together. */
const MOST_INFLATED_BYTES = 4 * 1024 * 1024
const MOST_PAGES = 100_000

/**
 * Returns the number of pages in a PDF's page tree; undefined: encrypted object streams, a damaged
 * or a very large file, where the number cannot be found with little work. This may take seconds
 * and is meant for a thread of its own. The work is limited by size as well as by time, so that the
 * same file gets the same answer.
 */
export function countPages(file: Buffer): number | undefined {
  if (file.length > MOST_PDF_BYTES || !file.subarray(0, 1024).includes('%PDF-')) return undefined
  const text = file.toString('latin1')
  // The root of the tree counts all pages, so the largest count is taken. An edited file still
  // holds the older roots that later ones replace.
  let most = mostOf(objectsOf(text))
  let left = MOST_INFLATED_BYTES
  for (const stream of objectStreams(text)) {
    const content = inflated(file.subarray(stream.start, stream.end), left)
    if (content === null) break
    left -= content.length
    most = Math.max(most, mostOf(splitStream(content, stream)))
  }
  return most >= 1 && most <= MOST_PAGES ? most : undefined
}

function mostOf(objects: Iterable<string>): number {
  let most = 0
  for (const object of objects) most = Math.max(most, countOfTree(object) ?? 0)
  return most
}

/** Yields objects one at a time, because a file may have millions. */
function* objectsOf(text: string): Generator<string> {
  for (let at = 0; at >= 0 && at < text.length; ) {
    const end = text.indexOf('endobj', at)
    yield text.slice(at, end < 0 ? undefined : end)
    at = end < 0 ? end : end + 'endobj'.length
  }
}

/** Returns the number of pages below a node of the page tree; undefined: not such a node. */
function countOfTree(object: string): number | undefined {
  if (!/\/Type\s*\/Pages\b/.test(object)) return undefined
  const count = /\/Count\s+(\d{1,6})\b/.exec(object)?.[1]
  return count === undefined ? undefined : Number(count)
}

interface ObjectStream {
  start: number
  end: number
  /** Number of objects in the stream; `first` is the offset of the first object. */
  objects: number
  first: number
}

/**
 * Finds streams that hold objects (since PDF 1.5) by their dictionaries, at most `MOST_STREAMS`.
 */
function objectStreams(text: string): ObjectStream[] {
  const found: ObjectStream[] = []
  let places = 0
  for (let at = text.indexOf('/ObjStm'); at >= 0; at = text.indexOf('/ObjStm', at + 1)) {
    places += 1
    if (places > MOST_PLACES) break
    // A dictionary is short, so look for its ends nearby and not in the whole file.
    const from = Math.max(0, at - LONGEST_DICTIONARY)
    const around = text.slice(from, at + LONGEST_DICTIONARY)
    const begin = around.lastIndexOf('<<', at - from)
    const stream = around.indexOf('stream', at - from)
    if (begin < 0 || stream < 0 || stream - begin > LONGEST_DICTIONARY) continue
    const dictionary = around.slice(begin, stream)
    const objects = /\/N\s+(\d{1,6})\b/.exec(dictionary)?.[1]
    const first = /\/First\s+(\d{1,7})\b/.exec(dictionary)?.[1]
    if (objects === undefined || first === undefined || !dictionary.includes('/FlateDecode')) continue
    const behind = from + stream + 'stream'.length
    const end = text.indexOf('endstream', behind)
    if (end < 0) break
    found.push({
      start: behind + (text.startsWith('\r\n', behind) ? 2 : 1),
      end,
      objects: Number(objects),
      first: Number(first),
    })
    if (found.length === MOST_STREAMS) break
  }
  return found
}

/** Inflates a stream; empty: damaged, null: larger than allowed. */
function inflated(bytes: Buffer, maxOutputLength: number): string | null {
  try {
    return inflateSync(bytes, { maxOutputLength: Math.max(1, maxOutputLength) }).toString('latin1')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? null : ''
  }
}

/**
 * Returns the objects of a stream, which holds pairs of number and offset, then the objects one
 * after the other.
 */
function splitStream(content: string, { objects, first }: ObjectStream): string[] {
  const numbers = content.slice(0, first).trim().split(/\s+/).map(Number)
  const parts: string[] = []
  let read = 0
  for (let index = 0; index < objects && index * 2 + 1 < numbers.length; index += 1) {
    const from = first + (numbers[index * 2 + 1] ?? Number.NaN)
    const next = numbers[index * 2 + 3]
    // Read no byte twice, because the objects of a hostile file would take hours otherwise.
    if (!(from >= read)) continue
    const part = content.slice(from, next === undefined || index + 1 === objects ? undefined : first + next)
    read = from + part.length
    parts.push(part)
  }
  return parts
}
