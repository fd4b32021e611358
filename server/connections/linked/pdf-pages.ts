import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { inflate } from 'node:zlib'

const inflateAsync = promisify(inflate)

/** Invoices have a few hundred kilobytes; a catalogue of more is sent without its number of pages. */
const MOST_BYTES = 32 * 1024 * 1024
/** Objects are put together in streams of a few hundred. */
const MOST_STREAMS = 64
const LONGEST_DICTIONARY = 1024
const LONGEST_STREAM = 4 * 1024 * 1024
const MOST_PAGES = 100_000

/**
 * The number of pages of a PDF, as its page tree says; undefined where it cannot be found with little work: encrypted
 * object streams, damaged, or very large. What is read is bounded by size and not by time, so that the same file always
 * has the same answer.
 */
export async function pdfPages(path: string): Promise<number | undefined> {
  const file = await readWhole(path)
  if (file === undefined || !file.subarray(0, 1024).includes('%PDF-')) return undefined
  const text = file.toString('latin1')
  // The root of the tree counts all pages; an edited file has older roots, which have been replaced by later ones. One at a
  // time: large files have more objects than a call takes arguments.
  let most = mostOf(text.split('endobj'))
  for (const stream of objectStreams(text)) {
    const content = await inflated(file.subarray(stream.start, stream.end))
    if (content !== undefined) most = Math.max(most, mostOf(splitStream(content, stream)))
  }
  return most >= 1 && most <= MOST_PAGES ? most : undefined
}

const mostOf = (objects: readonly string[]): number =>
  objects.reduce((most, object) => Math.max(most, countOfTree(object) ?? 0), 0)

async function readWhole(path: string): Promise<Buffer | undefined> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    return size > MOST_BYTES ? undefined : await file.readFile()
  } finally {
    await file.close()
  }
}

/** Of a node of the page tree: how many pages are below it. */
function countOfTree(object: string): number | undefined {
  if (!/\/Type\s*\/Pages\b/.test(object)) return undefined
  const count = /\/Count\s+(\d{1,6})\b/.exec(object)?.[1]
  return count === undefined ? undefined : Number(count)
}

interface ObjectStream {
  start: number
  end: number
  /** How many objects are in it, and where the first begins. */
  objects: number
  first: number
}

/** Streams that hold objects (since PDF 1.5), found by their dictionaries; no more than are read. */
function objectStreams(text: string): ObjectStream[] {
  const found: ObjectStream[] = []
  for (let at = text.indexOf('/ObjStm'); at >= 0; at = text.indexOf('/ObjStm', at + 1)) {
    // The dictionary is short; anything else is not one, and is not looked for in the whole file.
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
      ...{ end, objects: Number(objects), first: Number(first) },
    })
    if (found.length === MOST_STREAMS) break
  }
  return found
}

async function inflated(bytes: Buffer): Promise<string | undefined> {
  try {
    return (await inflateAsync(bytes, { maxOutputLength: LONGEST_STREAM })).toString('latin1')
  } catch {
    return undefined
  }
}

/** The objects of a stream: pairs of number and offset, then the objects themselves, one behind the other. */
function splitStream(content: string, { objects, first }: ObjectStream): string[] {
  const numbers = content.slice(0, first).trim().split(/\s+/).map(Number)
  const parts: string[] = []
  let read = 0
  for (let index = 0; index < objects && index * 2 + 1 < numbers.length; index += 1) {
    const from = first + (numbers[index * 2 + 1] ?? Number.NaN)
    const next = numbers[index * 2 + 3]
    // What was read before is not read once more: a file that is made for it would take hours.
    if (!(from >= read)) continue
    const part = content.slice(from, next === undefined || index + 1 === objects ? undefined : first + next)
    read = from + part.length
    parts.push(part)
  }
  return parts
}
