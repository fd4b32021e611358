import { Command, type CommandOptions } from 'commander'
import { COMMAND } from '../lib/command.ts'
import { VERSION } from '../lib/version.ts'
import { checkIsNew, makeBackup, restoreBackup, rotateKey, scheduleBackups, showSheet } from './backup.ts'
import { type Client, createClient } from './client.ts'
import { completionFor } from './completion.ts'
import { showReport } from './doctor.ts'
import { CliError, EXIT } from './errors.ts'
import { addExamples } from './examples.ts'
import { checkGiven } from './given.ts'
import { possibleHomes } from './homes.ts'
import { createKey, listKeys, revokeKey } from './keys.ts'
import { linkSender } from './link.ts'
import { followLog, showLog } from './logs.ts'
import { cancelMessage, listMessages, sendMessage, showMessage } from './messages.ts'
import { forgetNode, listNodes } from './nodes.ts'
import { createOutput, type Output } from './output.ts'
import { PASSPHRASE, PIN, readSecret } from './secret.ts'
import {
  addOfficialSender,
  addSender,
  checkSender,
  listGroups,
  listSenders,
  pauseSender,
  registerSender,
  removeSender,
  resumeSender,
  setUpCallbacks,
} from './senders.ts'
import { listSessions, openLink, revokeSession } from './sessions.ts'
import { getSettings, setSetting } from './settings.ts'
import { showStatus } from './status.ts'
import { addText, listTexts, removeText } from './texts.ts'
import { addWebhook, discardCallbacks, listWebhooks, removeWebhook, testWebhook } from './webhooks.ts'

type Options = Record<string, string | boolean | undefined>
type Act = (client: Client, out: Output, ...args: string[]) => Promise<void>

export interface OwnProcess {
  /** Runs Kurir. */
  start: () => Promise<void>
  /** Copies everything to another engine; resolves with what to print. */
  migrateTo: (target: string) => Promise<string>
  /** Lets Kurir start where everything was moved away from; resolves with what to print. */
  reopen: () => Promise<string>
}

/** The command line; what it does in this process is passed in. */
export function createProgram(env: NodeJS.ProcessEnv, { start, migrateTo, reopen }: OwnProcess): Command {
  const homes = possibleHomes(env)
  const client = createClient(homes)
  // Only those who share a database need to read of nodes; the commands work all the same.
  const forNodes: CommandOptions = { hidden: !env.KURIR_DATABASE_URL }
  const program = new Command('kurir')
    .description('A WhatsApp send gateway on your own PC')
    .version(VERSION)
    // Sub-commands inherit these, so they come before the first of them.
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
      (c, out, folder?: string) =>
        sheet === true ? showSheet(c, out) : scheduleBackups(c, out, { folder, off: off === true, now: now === true }),
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

/** @param homes data folders that are looked in, in this order */
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

/** A command that asks the running Kurir. */
type Ask = (
  parent: Command,
  usage: string,
  description: string,
  act: (options: Options) => Act,
  options?: CommandOptions,
) => Command

const text = (value: Options[string]): string | undefined => (typeof value === 'string' ? value : undefined)

function addSenderCommands(program: Command, ask: Ask): void {
  const senders = program.command('senders').description('the numbers that messages leave from')
  ask(senders, 'list', 'all senders with their state', () => listSenders)
  ask(senders, 'groups <sender_code>', 'the groups that a number is in', () => listGroups)
  ask(
    senders,
    'add <name>',
    'add a sender for a number of your own',
    ({ sandbox }) =>
      (c, out, name) =>
        addSender(c, out, name, sandbox === true ? 'sandbox' : 'linked'),
  ).option('--sandbox', 'for tests: nothing leaves this computer')
  ask(
    senders,
    'add-official <name>',
    'add a number of the WhatsApp Business API',
    ({ file }) =>
      (c, out, name) =>
        addOfficialSender(c, out, name, String(file)),
  ).requiredOption('--file <file>', 'JSON with its ids and secrets; - is standard input')
  ask(senders, 'link <sender_code>', 'link a number: shows a QR code until the phone has scanned it', linking)
    .option('--code', 'show a code to type on the phone instead; needs --phone')
    .option('--phone <number>', 'the number to link, with country code')
  ask(senders, 'check <sender_code>', 'ask Meta about an official sender', () => checkSender)
  ask(
    senders,
    'register <sender_code>',
    'register an official number with the Cloud API',
    ({ pinFile }) =>
      async (c, out, code) =>
        registerSender(c, out, code, await readSecret(PIN, text(pinFile))),
  ).option('--pin-file <file>', 'file with the PIN of two-step verification; - is standard input')
  ask(
    senders,
    'callback-setup <sender_code>',
    'have Meta call the public address that is in the settings',
    () => setUpCallbacks,
  )
  ask(senders, 'pause <sender_code>', 'keep its messages waiting', () => pauseSender)
  ask(senders, 'resume <sender_code>', 'send again', () => resumeSender)
  ask(
    senders,
    'remove <sender_code>',
    'remove a sender; what waits fails',
    ({ yes }) =>
      (c, out, code) =>
        removeSender(c, out, code, yes === true),
  ).option('--yes', 'without this nothing is removed')
}

function addKeyCommands(program: Command, ask: Ask): void {
  const keys = program.command('keys').description('API keys of your programs')
  ask(
    keys,
    'create <name>',
    'make a key for every sender, or with --device for one',
    ({ device, read }) =>
      (c, out, name) =>
        createKey(c, out, { name, device: text(device), scopes: read === true ? 'read' : 'all' }),
  )
    .option('--device <sender_code>', 'a key for this sender only')
    .option('--read', 'it may only read: messages, senders, metrics')
  ask(keys, 'list', 'all keys, without their secrets', () => listKeys)
  ask(keys, 'revoke <id>', 'refuse a key from now on', () => revokeKey)
}

function addWebhookCommands(program: Command, ask: Ask): void {
  const webhooks = program.command('webhooks').description('where callbacks go')
  ask(webhooks, 'list', 'all webhooks with what waits for them', () => listWebhooks)
  ask(
    webhooks,
    'add <url>',
    'call this address when something happens',
    ({ events, format }) =>
      (c, out, url) =>
        addWebhook(c, out, url, { events: text(events), format: text(format) }),
  )
    .option('--events <names>', 'only these, with commas')
    .option('--format <name>', 'in the form of another gateway, such as fonnte')
  ask(webhooks, 'test <id>', 'call it now', () => testWebhook)
  ask(webhooks, 'discard <id>', 'forget its callbacks that were given up', () => discardCallbacks)
  ask(webhooks, 'remove <id>', 'call it no more', () => removeWebhook)
}

function addMessageCommands(program: Command, ask: Ask): void {
  ask(
    program,
    'send <phone> [message]',
    'send a message',
    ({ sender, file, reference, at }) =>
      (c, out, ...given) =>
        sendMessage(c, out, given, {
          sender: text(sender),
          file: text(file),
          reference: text(reference),
          at: text(at),
        }),
  )
    .option('--sender <sender_code>', 'needed where there are several')
    .option('--file <file>', 'picture, PDF, audio or video: a file of this computer, or an address')
    .option('--reference <id>', 'your own name for it')
    .option('--at <time>', 'when it leaves, such as "2026-12-24 08:00"; at most 30 days ahead')
  const messages = program.command('messages').description('what was sent and what waits')
  ask(
    messages,
    'list',
    'the newest messages',
    ({ status, sender, reference, recipient, limit, cursor }) =>
      (c, out) =>
        listMessages(c, out, {
          status: text(status),
          sender_code: text(sender),
          reference_id: text(reference),
          recipient: text(recipient),
          limit: text(limit),
          cursor: text(cursor),
        }),
  )
    .option('--status <names>', 'only these, with commas')
    .option('--sender <sender_code>', 'only of this sender')
    .option('--reference <id>', 'only with this name of yours')
    .option('--recipient <number>', 'only to this number')
    .option('--limit <number>', 'so many at most', '20')
    .option('--cursor <cursor>', 'go on where the page before ended')
  ask(messages, 'show <id>', 'one message with all that happened to it', () => showMessage)
  ask(messages, 'cancel <id>', 'cancel one that waits', () => cancelMessage)
  const texts = program.command('texts').description('texts that are kept for later messages')
  ask(texts, 'list', 'all of them', () => listTexts)
  ask(texts, 'add <name> <text>', 'keep a text; {date}, {time}, {phone} and {sender} are filled in', () => addText)
  ask(texts, 'remove <id>', 'keep it no longer', () => removeText)
}

function addOwnerCommands(program: Command, ask: Ask, forNodes: CommandOptions): void {
  const sessions = program.command('sessions').description('browsers that are logged in to the window')
  ask(sessions, 'list', 'all of them', () => listSessions)
  ask(sessions, 'revoke <id>', 'log one out', () => revokeSession)
  const settings = program.command('settings').description('as in the window')
  ask(settings, 'get [name]', 'all settings, or one', () => (c, out, name?: string) => getSettings(c, out, name))
  ask(settings, 'set <name> <value>', 'change one; lists and numbers as JSON', () => setSetting)
  const nodes = program.command('nodes', forNodes).description('the programs that share one database')
  ask(nodes, 'list', 'all of them; also without this word', () => listNodes, { isDefault: true })
  ask(nodes, 'forget <name>', 'take one that is gone for good out of the list', () => forgetNode)
  ask(program, 'logs', 'the last lines of the log', ({ follow }) => (follow === true ? followLog : showLog)).option(
    '--follow',
    'go on with each new line, until Ctrl+C',
  )
}

function linking({ code, phone }: Options): Act {
  if (code !== true && phone !== undefined)
    throw new CliError('--phone is for a code to type: add --code, or leave --phone out for a QR code.', EXIT.usage)
  if (code !== true) return (client, out, sender) => linkSender(client, out, sender, { method: 'qr' })
  if (typeof phone !== 'string') throw new CliError('A pairing code needs the number: --phone 62812…', EXIT.usage)
  return (client, out, sender) => linkSender(client, out, sender, { method: 'code', phone })
}
