import { CommanderError } from 'commander'
import { vi } from 'vitest'
import { createProgram } from '../../server/cli/program.ts'
import { CliError } from '../../server/cli/terminal.ts'

/**
 * Runs a command of the CLI in this process, for the Kurir of a data folder. ops/cli.test.ts runs
 * the real program.
 */
export async function runCommand(home: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const [out, err] = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockReturnValue(true))
  const said = (spy = out) => spy?.mock.calls.map(([text]) => String(text)).join('') ?? ''
  let failure: CliError | CommanderError | undefined
  try {
    await createProgram(
      { ...env, KURIR_HOME: home },
      { start: async () => undefined, migrateTo: async () => '', reopen: async () => '' },
    ).parseAsync(['node', 'kurir', ...args])
  } catch (error) {
    if (!(error instanceof CliError || error instanceof CommanderError)) throw error
    failure = error
  }
  const ended = {
    out: said(out),
    err: said(err),
    refused: failure?.message,
    code: failure instanceof CliError ? failure.exitCode : failure === undefined ? 0 : 2,
  }
  vi.restoreAllMocks()
  return { ...ended, json: () => JSON.parse(ended.out) }
}
