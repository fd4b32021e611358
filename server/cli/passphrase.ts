import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { CliError, EXIT } from './errors.ts'

/** From a file (`-`: standard input), or asked for without showing it. Never an argument: those are in the list of processes. */
export async function readPassphrase(file: string | undefined): Promise<string> {
  if (file === '-') return firstLine(await text(process.stdin))
  if (file !== undefined) return firstLine(await readFile(file, 'utf8'))
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

const firstLine = (content: string): string => content.split(/\r?\n/)[0] ?? ''
