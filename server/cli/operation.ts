import { setTimeout as wait } from 'node:timers/promises'
import type { Concern } from '../contract/concerns.ts'
import { type Health, health, type NodeView, type Overview } from '../contract/operation.ts'
import type { SenderView } from '../contract/senders.ts'
import type { SettingsView } from '../contract/settings.ts'
import type { LogPart } from '../lib/logger.ts'
import { describeConcern } from '../words/concern-text.ts'
import { en } from '../words/en/index.ts'
import type { Client } from './client.ts'
import { senderTable } from './senders.ts'
import { CliError, EXIT, type Output, table } from './terminal.ts'

export async function showStatus(client: Client, out: Output): Promise<void> {
  const report = health.parse(await (await client.request('/health')).json())
  const { concerns, figures } = await client.call<Overview>('/api/overview')
  const senders = figures === null ? null : await client.call<SenderView[]>('/api/senders')
  await out.print({ ...report.data, concerns, senders }, () => describe(report, concerns, senders))
  if (!report.success) process.exitCode = EXIT.refused
}

function describe({ message, data }: Health, concerns: Concern[], senders: SenderView[] | null): string {
  const counts = [
    ...(data.waiting === null ? [] : [`${data.waiting} waiting`]),
    ...(data.callbacks_pending === null
      ? []
      : [`${data.callbacks_pending} ${data.callbacks_pending === 1 ? 'callback' : 'callbacks'} pending`]),
    ...(data.callbacks_dead ? [`${data.callbacks_dead} given up`] : []),
  ]
  return [
    `${message} ${[`Version ${data.version}`, ...counts].join(', ')}.`,
    ...concernLines(concerns, Date.now()),
    ...(senders === null ? [] : ['', senderTable(senders)]),
  ].join('\n')
}

const LABELS = { urgent: 'Urgent', warning: 'Warning', choice: 'Your choice', note: 'Note' } as const

export const concernLines = (concerns: readonly Concern[], now: number): string[] =>
  concerns.map((concern) => {
    const { title, advice } = describeConcern(concern, en, now)
    return `${LABELS[concern.weight]}: ${title} ${advice}`
  })

export async function listNodes(client: Client, out: Output): Promise<void> {
  const nodes = await client.call<NodeView[]>('/api/nodes')
  await out.print(nodes, () =>
    nodes.length === 0
      ? 'There are no nodes: this Kurir keeps everything in its own data folder.'
      : table(
          ['NODE', 'STATE', 'SENDERS', 'TAKEN OVER', 'FENCED', 'VERSION', 'SEEN', 'ADDRESS'],
          nodes.map((node) => [
            node.this ? `${node.name} *` : node.name,
            node.alive ? 'alive' : 'gone',
            String(node.senders),
            String(node.taken_over),
            String(node.fenced),
            node.version,
            node.seen_at,
            node.url,
          ]),
        ),
  )
}

export async function forgetNode(client: Client, out: Output, name: string): Promise<void> {
  await client.call(`/api/nodes/${encodeURIComponent(name)}`, { method: 'DELETE' })
  await out.print(
    { name, forgotten: true },
    () => `${name} is out of the list. When it starts again, it is in it again.`,
  )
}

const LOOK_EVERY = 500

const readLog = (client: Client, after?: string): Promise<LogPart> =>
  client.call<LogPart>(`/api/log${after === undefined ? '' : `?${new URLSearchParams({ after })}`}`)

/** Parses a log line. A line in which `[number]` replaced a number may not be JSON. */
function membersOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return { msg: line }
  }
}

export async function showLog(client: Client, out: Output): Promise<void> {
  const { lines } = await readLog(client)
  await out.print(lines.map(membersOf), () => lines.join('\n'))
}

/** Prints the last log lines and each new one until Ctrl+C, also across restarts of Kurir. */
export async function followLog(client: Client, out: Output): Promise<never> {
  process.once('SIGINT', () => process.exit(EXIT.done))
  let after: string | undefined
  let isAway = false
  for (;;) {
    try {
      const { lines, position, lost } = await readLog(client, after)
      if (isAway) out.note('Kurir runs again.')
      isAway = false
      after = position
      if (lost > 0) out.note(`${lost} lines came too quickly to be shown.`)
      for (const line of lines) await out.print(membersOf(line), () => line)
    } catch (error) {
      // If Kurir did not run from the beginning, do not wait for it.
      if (after === undefined || !isGone(error)) throw error
      if (!isAway) out.note('Kurir does not run any more. Waiting until it does…')
      isAway = true
    }
    await wait(LOOK_EVERY)
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof CliError && (error.exitCode === EXIT.not_running || error.answer?.error.code === 'shutting_down')

const SETTINGS_PATH = '/api/settings'

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

export async function getSettings(client: Client, out: Output, name: string | undefined): Promise<void> {
  const settings: Record<string, unknown> = await client.call<SettingsView>(SETTINGS_PATH)
  if (name === undefined) {
    // Hide `node` if there are no nodes, but only in the table: JSON always has the same members.
    const rows = Object.entries(settings).filter(([each, value]) => each !== 'node' || value !== null)
    return out.print(settings, () =>
      table(
        ['SETTING', 'VALUE'],
        rows.map(([each, value]) => [each, valueText(value)]),
      ),
    )
  }
  if (!Object.hasOwn(settings, name)) throw new CliError(`There is no setting ${name}.`, EXIT.usage)
  await out.print(settings[name], () => valueText(settings[name]))
}

/** Parses a value as JSON (numbers, `true`, `null`, lists); any other value is a text. */
function parseValue(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

export async function setSetting(client: Client, out: Output, name: string, value: string): Promise<void> {
  const before: Record<string, unknown> = await client.call<SettingsView>(SETTINGS_PATH)
  if (!Object.hasOwn(before, name)) throw new CliError(`There is no setting ${name}.`, EXIT.usage)
  const json = { [name]: parseValue(value) }
  const after = await client.call<SettingsView>(SETTINGS_PATH, { method: 'PATCH', json })
  if (after.restart_needed) out.note('It counts from the next start of Kurir.')
  await out.print(json, () => `${name} is ${valueText((after as Record<string, unknown>)[name])}.`)
}
