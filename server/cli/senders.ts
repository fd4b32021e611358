import type { GroupView } from '../contract/groups.ts'
import { officialFields } from '../contract/official-senders.ts'
import type { SenderView } from '../contract/senders.ts'
import { COMMAND } from '../lib/program.ts'
import { en } from '../words/en/index.ts'
import type { Client } from './client.ts'
import { CliError, EXIT, type Output, readText, table } from './terminal.ts'

export const senderTable = (senders: SenderView[]): string =>
  table(
    ['CODE', 'NAME', 'KIND', 'STATE', 'NUMBER', 'WAITING'],
    senders.map(({ sender_code, name, kind, state, phone, waiting }) => [
      sender_code,
      name,
      kind,
      state,
      phone,
      waiting,
    ]),
  )

export async function listSenders(client: Client, out: Output): Promise<void> {
  const senders = await client.call<SenderView[]>('/api/senders')
  await out.print(senders, () => senderTable(senders))
}

export async function listGroups(client: Client, out: Output, code: string): Promise<void> {
  const groups = await client.call<GroupView[]>(`/senders/${encodeURIComponent(code)}/groups`)
  await out.print(groups, () =>
    table(
      ['GROUP', 'NAME', 'MEMBERS', 'MAY WRITE'],
      groups.map(({ group, name, members, can_send }) => [group, name, members, can_send ? 'yes' : 'no']),
    ),
  )
}

export async function addSender(client: Client, out: Output, name: string, kind: 'linked' | 'sandbox'): Promise<void> {
  const sender = await client.call<SenderView>('/api/senders', { json: { kind, name } })
  const next = kind === 'linked' ? ` Link its number: ${COMMAND} senders link ${sender.sender_code}` : ''
  await out.print(sender, () => `${sender.sender_code} added.${next}`)
}

const officialFile = officialFields.partial()

/** Adds an official sender. Its secrets come from a file, because other users can see arguments. */
export async function addOfficialSender(client: Client, out: Output, name: string, file: string): Promise<void> {
  const text = await readText(file)
  const parsed = officialFile.safeParse(parseJson(text))
  if (!parsed.success) {
    const names = Object.keys(officialFields.shape).join(', ')
    throw new CliError(`${file} must hold a JSON object with ${names}.`, EXIT.usage)
  }
  const json = { ...parsed.data, kind: 'official', name }
  const sender = await client.call<SenderView>('/api/senders', { json })
  await out.print(
    sender,
    () => `${sender.sender_code} added. What Meta says of it: ${COMMAND} senders check ${sender.sender_code}`,
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const path = (code: string, action = '') => `/api/senders/${encodeURIComponent(code)}${action}`

export const pauseSender = (client: Client, out: Output, code: string) => act(client, out, code, 'pause', 'is paused')
export const resumeSender = (client: Client, out: Output, code: string) =>
  act(client, out, code, 'resume', 'sends again')

async function act(client: Client, out: Output, code: string, action: string, done: string): Promise<void> {
  await client.call(path(code, `/${action}`), { method: 'POST' })
  const sender = await client.call<SenderView>(path(code))
  // A resumed sender stays paused while the owner has paused all senders.
  const isStillHeld = action === 'resume' && sender.state === 'paused'
  await out.print(sender, () => (isStillHeld ? `${code} is resumed, but all senders are paused.` : `${code} ${done}.`))
}

/** @param sure must be true, because the waiting messages fail */
export async function removeSender(client: Client, out: Output, code: string, sure: boolean): Promise<void> {
  if (!sure) {
    const { name, waiting } = await client.call<SenderView>(path(code))
    throw new CliError(
      `${code} (${name}) has ${waiting} waiting messages, which would fail. Add --yes to remove it all the same.`,
      EXIT.usage,
    )
  }
  await client.call(path(code), { method: 'DELETE' })
  await out.print({ sender_code: code, removed: true }, () => `${code} is removed.`)
}

export async function checkSender(client: Client, out: Output, code: string): Promise<void> {
  const sender = await client.call<SenderView>(path(code, '/check'), { method: 'POST' })
  await printChecked(out, sender)
  if (sender.official?.checks.some(({ ok }) => !ok)) process.exitCode = EXIT.refused
}

/** @param pin six digits */
export async function registerSender(client: Client, out: Output, code: string, pin: string): Promise<void> {
  const sender = await client.call<SenderView>(path(code, '/register'), { json: { pin } })
  out.note(`The number of ${code} is registered.`)
  await printChecked(out, sender)
}

/** Has Kurir register its public address for Meta's callbacks. */
export async function setUpCallbacks(client: Client, out: Output, code: string): Promise<void> {
  const sender = await client.call<SenderView>(path(code, '/callback-setup'), { method: 'POST' })
  out.note(`Meta calls Kurir for ${code} now.`)
  await printChecked(out, sender)
}

async function printChecked(out: Output, sender: SenderView): Promise<void> {
  const { sender_code: code, name, reason, official } = sender
  const checks = official?.checks ?? []
  const state = reason === null ? sender.state : `${sender.state}, ${reason}`
  await out.print(sender, () =>
    [
      `${code} (${name}) is ${state}.`,
      ...checks.map((check) =>
        [
          check.ok ? 'ok   ' : 'FAILS',
          `${en.checks[check.name]}:`,
          check.message,
          ...(check.hint === null ? [] : [check.hint]),
        ].join(' '),
      ),
    ].join('\n'),
  )
}
