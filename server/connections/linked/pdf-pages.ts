import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { inflate } from 'node:zlib'

const inflateAsync = promisify(inflate)

/** Invoices have a few hundred kilobytes; a catalogue of more is sent without its number of pages. */
const MOST_BYTES = 32 * 1024 * 1024
/** Objects are put together in streams of a few hundred. */
const MOST_STREAMS = 64
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
  const counts = text.split('endobj').map(countOfTree)
  for (const stream of objectStreams(text).slice(0, MOST_STREAMS)) {
    const content = await inflated(file.subarray(stream.start, stream.end))
    if (content !== undefined) counts.push(...splitStream(content, stream).map(countOfTree))
  }
  // The root of the tree counts all pages; an edited file has older roots, which have been replaced by later ones.
  const most = Math.max(0, ...counts.filter((count) => count !== undefined))
  return most >= 1 && most <= MOST_PAGES ? most : undefined
}

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

/** Streams that hold objects (since PDF 1.5), found by their dictionaries. */
function objectStreams(text: string): ObjectStream[] {
  const found: ObjectStream[] = []
  for (let at = text.indexOf('/ObjStm'); at >= 0; at = text.indexOf('/ObjStm', at + 1)) {
    const begin = text.lastIndexOf('<<', at)
    const stream = text.indexOf('stream', at)
    const end = text.indexOf('endstream', stream)
    // The dictionary is short; anything else is not one.
    if (begin < 0 || stream < 0 || end < 0 || stream - begin > 1024) continue
    const dictionary = text.slice(begin, stream)
    const objects = /\/N\s+(\d{1,6})\b/.exec(dictionary)?.[1]
    const first = /\/First\s+(\d{1,7})\b/.exec(dictionary)?.[1]
    if (objects === undefined || first === undefined || !dictionary.includes('/FlateDecode')) continue
    const start = stream + 'stream'.length + (text.startsWith('\r\n', stream + 'stream'.length) ? 2 : 1)
    found.push({ start, end, objects: Number(objects), first: Number(first) })
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

/** The objects of a stream: pairs of number and offset, then the objects themselves. */
function splitStream(content: string, { objects, first }: ObjectStream): string[] {
  const numbers = content.slice(0, first).trim().split(/\s+/).map(Number)
  const offsets = Array.from({ length: objects }, (_, index) => first + (numbers[index * 2 + 1] ?? Number.NaN))
  return offsets.map((from, index) => content.slice(from, offsets[index + 1]))
}
