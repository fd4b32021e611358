import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { CliError, EXIT } from './errors.ts'

/**
 * From a file (`-`: standard input), or asked for without showing it. Never an argument: those are
 * in the list of processes.
 */
export async function readPassphrase(file: string | undefined): Promise<string> {
  if (file !== undefined) return firstLine(await readText(file))
  if (!process.stdin.isTTY) {
    throw new CliError(
      'Give the passphrase with --passphrase-file <file> (- reads it from standard input).',
      EXIT.usage,
    )
  }
  process.stderr.write('Passphrase: ')
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
