import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { ErrorAnswer } from '../contract/errors.ts'
import { shown, UNSEEN } from '../contract/shown.ts'

export interface Output {
  /** Prints the result: JSON on one line for a program, or lines for a person. */
  print(json: unknown, lines: () => string | Promise<string>): Promise<void>
  /** Prints a note, which is not part of the result. A program gets `json` instead, if given. */
  note(text: string, json?: unknown): void
}

const BLACK_ON_WHITE = '\u001b[47m\u001b[30m'
const NO_COLOUR = '\u001b[0m'
/** True for a line of a QR code. */
const isDrawn = (line: string): boolean =>
  line.startsWith(BLACK_ON_WHITE) &&
  line.endsWith(NO_COLOUR) &&
  /^[ ▀▄█]+$/.test(line.slice(BLACK_ON_WHITE.length, -NO_COLOUR.length))

/** Removes control characters, because foreign names and errors must not change the terminal. */
export const readable = (text: string): string =>
  text
    .split('\n')
    .map((line) => (isDrawn(line) ? line : shown(line)))
    .join('\n')

/** Returns a value as JSON in which invisible characters are escaped. */
export const readableJson = (json: unknown): string =>
  JSON.stringify(json).replace(UNSEEN, (unseen) => `\\u${unseen.charCodeAt(0).toString(16).padStart(4, '0')}`)

export function createOutput(asJson: boolean): Output {
  return {
    async print(json, lines) {
      process.stdout.write(`${asJson ? readableJson(json) : readable(await lines())}\n`)
    },
    note(text, json) {
      const said = asJson ? json !== undefined && readableJson(json) : readable(text)
      if (said !== false) process.stderr.write(`${said}\n`)
    },
  }
}

export function table(headings: string[], rows: (string | number | null)[][]): string {
  const lines = [headings, ...rows.map((row) => row.map((cell) => shown(String(cell ?? '-')).replace(/[\n\t]/g, '')))]
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return text.join('\n')
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder is not there',
  ENOTDIR: 'its folder is a file',
  EISDIR: 'it is a folder',
  EACCES: 'this account may not',
  EPERM: 'this account may not',
  EROFS: 'the disk can only be read',
  ENOSPC: 'the disk is full',
  ENAMETOOLONG: 'its name is too long',
}

/** Returns why the system refuses a file; undefined: another kind of error. */
export function systemReason(error: unknown): string | undefined {
  const { code } = error as NodeJS.ErrnoException
  return code === undefined ? undefined : (REASONS[code] ?? code)
}

/** Exit codes of commands; docs/command-line.md lists them. */
export const EXIT = { done: 0, refused: 1, usage: 2, not_running: 3 } as const

export class CliError extends Error {
  readonly exitCode: number
  readonly answer: ErrorAnswer | undefined

  constructor(message: string, exitCode: number = EXIT.refused, options?: ErrorOptions & { answer?: ErrorAnswer }) {
    super(message, options)
    this.exitCode = exitCode
    this.answer = options?.answer
  }
}

/** Returns an error as one line of JSON, in Kurir's own answer if it gave one. */
export function errorJson(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const exitCode = error instanceof CliError ? error.exitCode : EXIT.refused
  const code = Object.entries(EXIT).find(([, value]) => value === exitCode)?.[0]
  const said = error instanceof CliError ? error.answer : undefined
  return readableJson(said ?? { success: false, message, error: { code } })
}

/** A secret that a command needs, and the option for a file that holds it. */
interface Secret {
  name: string
  option: string
}
export const PASSPHRASE: Secret = { name: 'passphrase', option: '--passphrase-file' }
export const PIN: Secret = { name: 'PIN', option: '--pin-file' }

/**
 * Reads a secret from a file (`-`: standard input), or asks for it without showing it. A secret is
 * never an argument, because other users can see those in the list of processes.
 */
export async function readSecret({ name, option }: Secret, file: string | undefined): Promise<string> {
  if (file !== undefined) return firstLine(await readText(file))
  if (!process.stdin.isTTY) {
    throw new CliError(`Give the ${name} with ${option} <file> (- reads it from standard input).`, EXIT.usage)
  }
  process.stderr.write(`Enter the ${name}: `)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return await terminal.question('')
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}

/**
 * Reads a text in UTF-8, or in UTF-16 as some editors on Windows save it; `-` is standard input.
 * @throws CliError
 */
export async function readText(file: string): Promise<string> {
  const refuse = (cause: unknown): never => {
    throw new CliError(`${file} cannot be read.`, EXIT.usage, { cause })
  }
  const bytes = await (file === '-' ? buffer(process.stdin) : readFile(file)).catch(refuse)
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch (cause) {
    // Do not guess another encoding, which could turn a passphrase into a different one.
    throw new CliError(`${file === '-' ? 'Standard input' : file} is no text in UTF-8.`, EXIT.usage, { cause })
  }
}

const firstLine = (content: string): string => content.split(/\r?\n/)[0] ?? ''
