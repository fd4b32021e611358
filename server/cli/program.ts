import { homedir } from 'node:os'
import { join } from 'node:path'
import { Command, type CommandOptions } from 'commander'
import { COMMAND, VERSION } from '../lib/program.ts'
import { defaultHome, xdgFolder } from '../settings/config.ts'
import { openLink } from './access.ts'
import { checkIsNew, makeBackup, restoreBackup, rotateKey, scheduleBackups, showSheet } from './backup.ts'
import { createClient } from './client.ts'
import {
  type Act,
  type Ask,
  addKeyCommands,
  addMessageCommands,
  addOwnerCommands,
  addSenderCommands,
  addWebhookCommands,
  type Options,
  text,
} from './commands.ts'
import { showReport } from './doctor.ts'
import { addExamples, completionFor } from './help.ts'
import { showStatus } from './operation.ts'
import { CliError, createOutput, EXIT, PASSPHRASE, readSecret } from './terminal.ts'

export interface OwnProcess {
  start: () => Promise<void>
  /** Copies all data to another database engine; resolves with the text to print. */
  migrateTo: (target: string) => Promise<string>
  /** Lets Kurir start where its data was moved away; resolves with the text to print. */
  reopen: () => Promise<string>
}

/** Creates the command line. The commands that run in this process itself are passed in. */
export function createProgram(env: NodeJS.ProcessEnv, { start, migrateTo, reopen }: OwnProcess): Command {
  const homes = possibleHomes(env)
  const client = createClient(homes)
  // Hide the commands for nodes from owners without a shared database. They still work.
  const forNodes: CommandOptions = { hidden: !env.KURIR_DATABASE_URL }
  const program = new Command('kurir')
    .description('A WhatsApp send gateway on your own PC')
    .version(VERSION)
    // Sub-commands inherit these settings, so the settings must come before any sub-command.
    .exitOverride()
    .showHelpAfterError()
    .addHelpText('after', moreHelp(homes))
    .helpCommand(false)

  const ask: Ask = (parent, usage, description, act, options = {}) =>
    parent
      .command(usage, options)
      .description(description)
      .option('--json', 'print JSON, for programs')
      .action(async (...given: unknown[]) => {
        const command = given.at(-1) as Command
        checkGiven(command)
        const options = command.opts<Options>()
        await act(options)(client, createOutput(options.json === true), ...command.args)
      })

  program.command('start').description('run Kurir here, without a window, until it is stopped').action(start)
  ask(program, 'status', 'whether Kurir runs and how its senders are', () => showStatus)
  ask(program, 'open', 'print a link that opens the window once, within 10 minutes', () => openLink)
  addSenderCommands(program, ask)
  addKeyCommands(program, ask)
  addWebhookCommands(program, ask)
  addMessageCommands(program, ask)
  addOwnerCommands(program, ask, forNodes)
  const examine: Act = (c, out) => showReport(c, out, homes)
  ask(program, 'doctor', 'what a report of a fault needs, without numbers and texts', () => examine)
  const fromFile = ['--passphrase-file <file>', 'file with the passphrase; - is standard input'] as const
  const passphraseOf = ({ passphraseFile }: Options) => readSecret(PASSPHRASE, text(passphraseFile))
  const backup = ask(
    program,
    'backup <file>',
    'write everything into one encrypted file',
    (options) => async (c, out, file) => {
      if (options.force !== true) checkIsNew(file)
      await makeBackup(c, out, file, await passphraseOf(options))
    },
  )
    .option(...fromFile)
    .option('--force', 'replace the file, if it is there')
  ask(
    backup,
    'schedule [folder]',
    'have a backup made each day, in this folder; alone it shows how they went',
    ({ off, now, sheet }) =>
      async (c, out, folder?: string) => {
        if (sheet !== true) return scheduleBackups(c, out, { folder, off: off === true, now: now === true })
        if (folder !== undefined || off === true || now === true)
          throw new CliError('--sheet goes with no folder, and not with --off or --now.', EXIT.usage)
        return showSheet(c, out)
      },
  )
    .option('--off', 'make none any more')
    .option('--now', 'make one now')
    .option('--sheet', 'print the key of these backups, to be kept on paper')
  ask(
    program,
    'restore <file>',
    'replace everything by a backup',
    (options) => async (c, out, file) => restoreBackup(c, out, file, await passphraseOf(options)),
  ).option(...fromFile)
  ask(program, 'rotate-key', 'seal all saved secrets with a new key', () => rotateKey)
  program
    .command('migrate-to <target>', forNodes)
    .description(
      'copy everything into the database of KURIR_DATABASE_URL (target: database), or from there into a folder, while Kurir is stopped',
    )
    .action(async (target: string) => {
      if (/^postgres/i.test(target)) throw new CliError(PASSWORD_IN_SIGHT, EXIT.usage)
      process.stdout.write(`${await migrateTo(target)}\n`)
    })
  program
    .command('reopen', forNodes)
    .description(
      'let Kurir start again where everything was moved away from with migrate-to; what waits there is paused',
    )
    .option('--yes', 'without this nothing is changed')
    .action(async ({ yes }: Options) => {
      if (yes !== true) throw new CliError(BEFORE_REOPENING, EXIT.usage)
      process.stdout.write(`${await reopen()}\n`)
    })
  program
    .command('completion <shell>')
    .description('print a script that completes commands: bash, zsh, fish or powershell')
    .action((shell: string) => void process.stdout.write(completionFor(program, shell)))
  program
    .command('help [command...]')
    .description('what a command does, such as: help keys create')
    .action((names: string[]) => {
      let found: Command = program
      for (const name of names) {
        const next = found.commands.find((command) => command.name() === name)
        if (next === undefined) throw new CliError(`There is no command "${names.join(' ')}".`, EXIT.usage)
        found = next
      }
      found.outputHelp()
    })
  addExamples(program)
  return program
}

/** @param homes data folders in which a running Kurir is looked for, in this order */
const moreHelp = (homes: readonly string[]): string => `
Examples:
  ${COMMAND} keys create till --device SND-SANDBOX
  ${COMMAND} send 6281234567890 "Your order is ready" --sender SND-SANDBOX --reference INV-1001
  ${COMMAND} status --json

Data lies in ${homes.join(', or ')}. KURIR_HOME names another folder.
Ends with 0 done, 1 refused, 2 wrong usage, 3 Kurir does not run. All of it: docs/command-line.md
`

const PASSWORD_IN_SIGHT = `Other users of this computer can read the arguments of a program. Set KURIR_DATABASE_URL instead and use "${COMMAND} migrate-to database". If the address had a password in it, change that password.`

const BEFORE_REOPENING =
  'Two places that send the same messages send them twice. Make sure that Kurir does not run where everything went, and add --yes. To take along what happened there, use migrate-to from there instead.'

const MAY_BE_EMPTY = ['value', 'text', 'message']

/**
 * Refuses empty names and options, which come from scripts with an unset variable.
 * @throws CliError
 */
function checkGiven(command: Command): void {
  const empty = [
    ...command.registeredArguments
      .filter((argument, index) => command.args[index]?.trim() === '' && !MAY_BE_EMPTY.includes(argument.name()))
      .map((argument) => `<${argument.name()}>`),
    ...command.options
      .filter((option) => command.opts<Record<string, unknown>>()[option.attributeName()] === '')
      .map((option) => option.long),
  ]
  if (empty.length > 0) throw new CliError(`${empty.join(' and ')} must not be empty.`, EXIT.usage)
}

/** Returns the data folders of this user's Kurir: configured, else headless and the desktop's. */
export function possibleHomes(env: NodeJS.ProcessEnv): string[] {
  if (env.KURIR_HOME) return [env.KURIR_HOME]
  const programs =
    process.platform === 'linux'
      ? (xdgFolder(env.XDG_CONFIG_HOME) ?? join(homedir(), '.config'))
      : join(defaultHome(env), '..')
  return [defaultHome(env), ...['Kurir', 'kurir'].map((name) => join(programs, name, 'data'))]
}
