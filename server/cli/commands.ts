import type { Command, CommandOptions } from 'commander'
import { createKey, listKeys, listSessions, revokeKey, revokeSession } from './access.ts'
import type { Client } from './client.ts'
import { linkSender } from './link.ts'
import { addText, cancelMessage, listMessages, listTexts, removeText, sendMessage, showMessage } from './messages.ts'
import { followLog, forgetNode, getSettings, listNodes, setSetting, showLog } from './operation.ts'
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
import { CliError, EXIT, type Output, PIN, readSecret } from './terminal.ts'
import { addWebhook, discardCallbacks, listWebhooks, removeWebhook, testWebhook } from './webhooks.ts'

export type Options = Record<string, string | boolean | undefined>
export type Act = (client: Client, out: Output, ...args: string[]) => Promise<void>

export type Ask = (
  parent: Command,
  usage: string,
  description: string,
  act: (options: Options) => Act,
  options?: CommandOptions,
) => Command

export const text = (value: Options[string]): string | undefined => (typeof value === 'string' ? value : undefined)

export function addSenderCommands(program: Command, ask: Ask): void {
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

export function addKeyCommands(program: Command, ask: Ask): void {
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

export function addWebhookCommands(program: Command, ask: Ask): void {
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

export function addMessageCommands(program: Command, ask: Ask): void {
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

export function addOwnerCommands(program: Command, ask: Ask, forNodes: CommandOptions): void {
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
