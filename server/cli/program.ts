import { Command } from 'commander'
import { VERSION } from '../version.ts'
import { makeBackup, restoreBackup } from './backup.ts'
import { type Client, createClient } from './client.ts'
import { CliError, EXIT } from './errors.ts'
import { possibleHomes } from './homes.ts'
import { createKey, listKeys, revokeKey } from './keys.ts'
import { linkSender } from './link.ts'
import { createOutput, type Output } from './output.ts'
import { readPassphrase } from './passphrase.ts'
import { addSender, listSenders } from './senders.ts'
import { openLink } from './sessions.ts'
import { showStatus } from './status.ts'

type Options = Record<string, string | boolean | undefined>
type Act = (client: Client, out: Output, ...args: string[]) => Promise<void>

/** The command line. `start` runs Kurir in this process. */
export function createProgram(env: NodeJS.ProcessEnv, start: () => Promise<void>): Command {
  const client = createClient(possibleHomes(env))
  const program = new Command('kurir')
    .description('A WhatsApp send gateway on your own PC')
    .version(VERSION)
    // Sub-commands inherit these, so they come before the first of them.
    .exitOverride()
    .showHelpAfterError()

  /** A command that asks the running Kurir. */
  const ask = (parent: Command, usage: string, description: string, act: (options: Options) => Act): Command =>
    parent
      .command(usage)
      .description(description)
      .option('--json', 'print JSON, for programs')
      .action(async (...given: unknown[]) => {
        const command = given.at(-1) as Command
        const options = command.opts<Options>()
        await act(options)(client, createOutput(options.json === true), ...command.args)
      })

  program
    .command('start')
    .description('run Kurir here, without a window, until it is stopped')
    .option('--json', 'no effect: the log is JSON already')
    .action(start)
  ask(program, 'status', 'whether Kurir runs and how its senders are', () => showStatus)

  ask(program, 'open', 'print a link that opens the window once, within 10 minutes', () => openLink)

  const senders = program.command('senders').description('the numbers that messages leave from')
  ask(senders, 'list', 'all senders with their state', () => listSenders)
  ask(senders, 'add <name>', 'add a sender for a number of your own', () => addSender)
  ask(senders, 'link <sender_code>', 'link a number: shows a QR code until the phone has scanned it', linking)
    .option('--code', 'show a code to type on the phone instead; needs --phone')
    .option('--phone <number>', 'the number to link, with country code')

  const keys = program.command('keys').description('API keys of your programs')
  ask(
    keys,
    'create <name>',
    'make a key for every sender, or with --device for one',
    ({ device }) =>
      (c, out, name) =>
        createKey(c, out, name, device as string | undefined),
  ).option('--device <sender_code>', 'a key for this sender only')
  ask(keys, 'list', 'all keys, without their secrets', () => listKeys)
  ask(keys, 'revoke <id>', 'refuse a key from now on', () => revokeKey)

  const fromFile = ['--passphrase-file <file>', 'file with the passphrase; - is standard input'] as const
  const withPassphrase =
    (act: typeof makeBackup) =>
    ({ passphraseFile }: Options): Act =>
    async (c, out, file) =>
      act(c, out, file, await readPassphrase(passphraseFile as string | undefined))
  ask(program, 'backup <file>', 'write everything into one encrypted file', withPassphrase(makeBackup)).option(
    ...fromFile,
  )
  ask(program, 'restore <file>', 'replace everything by a backup', withPassphrase(restoreBackup)).option(...fromFile)
  return program
}

function linking({ code, phone }: Options): Act {
  if (code !== true) return (client, out, sender) => linkSender(client, out, sender, { method: 'qr' })
  if (typeof phone !== 'string') throw new CliError('A pairing code needs the number: --phone 62812…', EXIT.usage)
  return (client, out, sender) => linkSender(client, out, sender, { method: 'code', phone })
}
