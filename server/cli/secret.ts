import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { CliError, EXIT } from './errors.ts'

/** A secret that a command takes, and the option that names a file with it. */
interface Secret {
  name: string
  option: string
}
export const PASSPHRASE: Secret = { name: 'passphrase', option: '--passphrase-file' }
export const PIN: Secret = { name: 'PIN', option: '--pin-file' }

/**
 * From a file (`-`: standard input), or asked for without showing it. Never an argument: those are
 * in the list of processes.
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

/** Reads a file; `-` is standard input. @throws CliError */
export async function readText(file: string): Promise<string> {
  if (file === '-') return text(process.stdin)
  return readFile(file, 'utf8').catch((cause: unknown) => {
    throw new CliError(`${file} cannot be read.`, EXIT.usage, { cause })
  })
}

const firstLine = (content: string): string => content.split(/\r?\n/)[0] ?? ''
