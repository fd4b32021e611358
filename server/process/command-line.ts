import { type Command, CommanderError } from 'commander'
import { createProgram } from '../cli/program.ts'
import { CliError, EXIT, errorJson, readable } from '../cli/terminal.ts'
import { keepHeapSmall } from '../lib/heap.ts'
import { readConfig } from '../settings/config.ts'

// Standard output fails if the disk is full, or if a reader such as `head` has enough (EPIPE).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.stderr.write(`The output cannot be written: ${error.message}\n`)
  process.exit(error.code === 'EPIPE' ? EXIT.done : EXIT.refused)
})

// Standard error may have no reader; the command runs all the same.
process.stderr.on('error', () => undefined)

const isForProgram = process.argv.includes('--json')

try {
  const program = createProgram(process.env, { start, migrateTo, reopen })
  if (isForProgram) beSilent(program)
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has already explained the mistake to a person. Help and version end here as well.
    process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage
    if (isForProgram && error.exitCode !== 0)
      process.stderr.write(`${errorJson(new CliError(error.message.replace(/^error: /, ''), EXIT.usage))}\n`)
  } else {
    const sentence = error instanceof Error ? error.message : String(error)
    process.stderr.write(`${isForProgram ? errorJson(error) : readable(sentence)}\n`)
    process.exitCode = error instanceof CliError ? error.exitCode : EXIT.refused
  }
}

/** Keeps Commander's messages and help away from a program that reads standard error. */
function beSilent(command: Command): void {
  command.configureOutput({ writeErr: () => undefined })
  for (const sub of command.commands) beSilent(sub)
}

async function migrateTo(target: string): Promise<string> {
  const { migrateTo: migrate } = await import('../composition/migrate.ts')
  return migrate(target, readConfig(process.env).config)
}

async function reopen(): Promise<string> {
  const { reopen: reopenPlace } = await import('../composition/migrate.ts')
  return reopenPlace(readConfig(process.env).config)
}

async function start(): Promise<void> {
  keepHeapSmall()
  // Loaded only here, because the other commands would wait until the whole program is loaded.
  const { runHeadless } = await import('./headless.ts')
  runHeadless(() => readConfig(process.env))
}
