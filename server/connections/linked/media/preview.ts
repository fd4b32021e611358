import { type FileHandle, open } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { SECOND } from '../../../lib/clock.ts'
import { beside } from '../../../lib/program.ts'
import type { Thumbnail } from './thumbnail.ts'

/**
 * Longer than the largest picture takes on a slow PC. A file that takes longer was made to be slow.
 * All limits here are our own.
 */
const LONGEST_MS = 10 * SECOND
/** An invoice takes a few milliseconds, a PDF of 32 MB a second. */
const LONGEST_PDF_MS = 2 * SECOND
const MOST_HEAP_MB = 256
const PICTURES = ['image/jpeg', 'image/png']

/** End of the queue. Files are read one by one, because a picture takes hundreds of megabytes. */
let busy: Promise<unknown> = Promise.resolve()

/**
 * Resolves with a small JPEG of an image file, made in a thread of its own
 * (docs/decisions/0017-files-read.md). Null: another kind of file, damaged, too large, or too slow.
 * Never rejects, because a message can go out without a preview.
 * @param path of a file that is no larger than WhatsApp allows
 */
export async function imagePreview(path: string, mimetype: string): Promise<Thumbnail | null> {
  if (!PICTURES.includes(mimetype)) return null
  return (await inTurn<Thumbnail | null>(path, mimetype, LONGEST_MS)) ?? null
}

/**
 * Resolves with the number of pages of a PDF, counted in a thread of its own; undefined: not found.
 * Never rejects.
 */
export const pdfPages = (path: string): Promise<number | undefined> =>
  inTurn<number | undefined>(path, 'application/pdf', LONGEST_PDF_MS)

function inTurn<T>(path: string, mimetype: string, longestMs: number): Promise<T | undefined> {
  const found = busy.then(() => inThread<T>(path, mimetype, longestMs)).catch(() => undefined)
  busy = found
  return found
}

function inThread<T>(path: string, mimetype: string, longestMs: number): Promise<T | undefined> {
  return new Promise((resolve) => {
    const worker = new Worker(beside(import.meta.url, 'thumbnail-worker'), {
      workerData: { path, mimetype },
      resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
      // Not passed on, because the decoder of a damaged picture may print.
      stdout: true,
      stderr: true,
    })
    // The limit counts from here, because a slow start of the thread is not the file's fault.
    let timer: NodeJS.Timeout | undefined
    worker.on('online', () => {
      timer = setTimeout(() => void worker.terminate(), longestMs)
    })
    let found: T | undefined
    worker.on('message', (message: T) => {
      found = message
    })
    worker.on('error', () => {
      found = undefined
    })
    worker.on('exit', () => {
      clearTimeout(timer)
      resolve(found)
    })
  })
}

/**
 * Resolves with the length of an audio file in whole seconds; 0: a few kilobytes do not show it.
 * The library would parse the whole file without a limit, and a hostile file keeps it busy for
 * minutes.
 */
export async function audioSeconds(path: string, mimetype: string): Promise<number> {
  const read = AUDIO_READERS[mimetype]
  if (read === undefined) return 0
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const seconds = await read(file, size)
    return Number.isFinite(seconds) && seconds > 0 && seconds < LONGEST_AUDIO_SECONDS
      ? Math.max(1, Math.round(seconds))
      : 0
  } finally {
    await file.close()
  }
}

const LONGEST_AUDIO_SECONDS = 24 * 3600
const PORTION = 64 * 1024

type AudioReader = (file: FileHandle, size: number) => Promise<number>

async function portion(file: FileHandle, at: number, length = PORTION): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, Math.max(0, at))
  return buffer.subarray(0, bytesRead)
}

/** Reads the end position in the last page of the file; Opus counts in 48,000ths of a second. */
const ogg: AudioReader = async (file, size) => {
  const end = await portion(file, size - PORTION)
  const page = end.lastIndexOf('OggS')
  return page < 0 || page + 14 > end.length ? 0 : Number(end.readBigInt64LE(page + 6)) / 48_000
}

/** Walks the top-level boxes of the file to `moov`, which holds `mvhd`. */
const mp4: AudioReader = async (file, size) => {
  for (let at = 0, boxes = 0; at + 8 <= size && boxes < 100; boxes += 1) {
    const head = await portion(file, at, 16)
    if (head.length < 16) return 0
    const short = head.readUInt32BE(0)
    const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short
    if (head.toString('latin1', 4, 8) === 'moov') return movieSeconds(await portion(file, at))
    if (length < 8) return 0
    at += length
  }
  return 0
}

function movieSeconds(moov: Buffer): number {
  const at = moov.indexOf('mvhd')
  if (at < 0 || at + 36 > moov.length) return 0
  const body = at + 4
  if (moov[body] === 1) return Number(moov.readBigUInt64BE(body + 24)) / moov.readUInt32BE(body + 20)
  return moov.readUInt32BE(body + 16) / moov.readUInt32BE(body + 12)
}

const MP3_RATES = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const MP3_RATES_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
const MP3_FREQUENCIES = [44_100, 48_000, 32_000]

/**
 * Reads the first frame of layer III. Its `Xing` or `Info` counts the frames; without it, all
 * frames have the same bit rate.
 */
const mp3: AudioReader = async (file, size) => {
  const head = await portion(file, 0, 10)
  const tagged = head.toString('latin1', 0, 3) === 'ID3'
  // The size of the tag has four bytes of seven bits.
  const start = tagged ? 10 + [6, 7, 8, 9].reduce((sum, index) => sum * 128 + ((head[index] ?? 0) & 0x7f), 0) : 0
  const frame = await portion(file, start)
  if (frame.length < 80 || frame[0] !== 0xff || ((frame[1] ?? 0) & 0xe6) !== 0xe2) return 0
  const version = ((frame[1] ?? 0) >> 3) & 3
  const isVersion1 = version === 3
  const rate = (isVersion1 ? MP3_RATES : MP3_RATES_2)[(frame[2] ?? 0) >> 4] ?? 0
  const frequency = (MP3_FREQUENCIES[((frame[2] ?? 0) >> 2) & 3] ?? 0) / (isVersion1 ? 1 : version === 2 ? 2 : 4)
  const samples = isVersion1 ? 1152 : 576
  const mark = ['Xing', 'Info'].map((name) => frame.subarray(0, 64).indexOf(name)).find((at) => at >= 0)
  if (mark !== undefined && frequency > 0 && ((frame[mark + 7] ?? 0) & 1) === 1) {
    return (frame.readUInt32BE(mark + 8) * samples) / frequency
  }
  return rate === 0 ? 0 : ((size - start) * 8) / (rate * 1000)
}

const AMR_HEAD = '#!AMR\n'
/** Bytes of a frame of 20 ms, by its type. */
const AMR_FRAMES = [13, 14, 16, 18, 20, 21, 27, 32, 6]

/** Divides by the size of the first frame, because all frames of a recording have one type. */
const amr: AudioReader = async (file, size) => {
  const head = await portion(file, 0, 16)
  if (head.toString('latin1', 0, AMR_HEAD.length) !== AMR_HEAD) return 0
  const bytes = AMR_FRAMES[((head[AMR_HEAD.length] ?? 0xff) >> 3) & 15]
  return bytes === undefined ? 0 : ((size - AMR_HEAD.length) / bytes) * 0.02
}

const AUDIO_READERS: Readonly<Record<string, AudioReader>> = {
  'audio/ogg; codecs=opus': ogg,
  'audio/mp4': mp4,
  'audio/mpeg': mp3,
  'audio/amr': amr,
}
