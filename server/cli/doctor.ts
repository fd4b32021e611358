import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Diagnostics, diagnostics as schema } from '../contract/operation.ts'
import { VERSION } from '../lib/program.ts'
import { scrub } from '../lib/scrub.ts'
import { type Client, refusal } from './client.ts'
import { CliError, EXIT, type Output, table } from './terminal.ts'

interface Folder {
  path: string
  /** Null: the folder does not exist or cannot be read. */
  entries: { name: string; bytes: number }[] | null
}

interface Report {
  command: { version: string; node: string; platform: string }
  folders: Folder[]
  /** Null: Kurir does not answer; `problem` says why. */
  kurir: Diagnostics | null
  problem: string | null
}

/**
 * Prints the facts for a bug report, without phone numbers, texts, keys and names of people. If
 * Kurir does not run, prints the facts of the data folders, and exits as any other command does.
 */
export async function showReport(client: Client, out: Output, homes: readonly string[]): Promise<void> {
  const asked = await askKurir(client).catch((error: unknown) => {
    if (error instanceof CliError) return error
    throw error
  })
  const isAway = asked instanceof CliError
  const report: Report = {
    command: { version: VERSION, node: process.version, platform: `${process.platform} ${process.arch}` },
    folders: homes.map(readFolder),
    kurir: isAway ? null : asked,
    problem: isAway ? scrub(asked.message) : null,
  }
  await out.print(report, () => describe(report))
  if (isAway) process.exitCode = asked.exitCode
}

async function askKurir(client: Client): Promise<Diagnostics> {
  const answer = await client.request('/api/diagnostics')
  if (!answer.ok) throw await refusal(answer)
  const parsed = schema.safeParse(await answer.json())
  if (parsed.success) return parsed.data
  throw new CliError('The Kurir that runs is of another version than this command.', EXIT.refused)
}

function readFolder(home: string): Folder {
  try {
    const entries = readdirSync(home).map((name) => ({ name: scrub(name), bytes: bytesOf(join(home, name)) }))
    return { path: scrub(home), entries }
  } catch {
    return { path: scrub(home), entries: null }
  }
}

/** Returns the bytes of a file or of all files in a folder; 0 if it disappears meanwhile. */
function bytesOf(path: string): number {
  try {
    const facts = lstatSync(path)
    if (!facts.isDirectory()) return facts.size
    return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0)
  } catch {
    return 0
  }
}

const megabytes = (bytes: number | null): string => (bytes === null ? '?' : `${(bytes / 1e6).toFixed(1)} MB`)

function describe({ command, folders, kurir, problem }: Report): string {
  return [
    `This command is version ${command.version}, on ${command.platform} with Node ${command.node}.`,
    ...(kurir === null ? [problem ?? ''] : describeKurir(kurir)),
    ...folders.flatMap(({ path, entries }) =>
      entries === null
        ? ['', `${path}: not there, or closed to this account.`]
        : ['', `${path}:`, ...entries.map(({ name, bytes }) => `  ${name}  ${megabytes(bytes)}`)],
    ),
    ...(kurir === null ? [] : ['', 'Newest warnings and errors:', ...warnings(kurir.log)]),
  ].join('\n')
}

function describeKurir(kurir: Diagnostics): string[] {
  const { memory, disk, runtime } = kurir
  const minutes = Math.round(kurir.uptime_seconds / 60)
  const versions = Object.entries(kurir.database_versions).map(([name, version]) => `${name} ${version}`)
  return [
    `Kurir ${kurir.version} has run for ${minutes} minutes, on ${kurir.platform} with Node v${runtime.node}.`,
    `Memory: ${megabytes(memory.used_by_kurir_bytes)} of ${megabytes(memory.total_bytes)}. Database: ${megabytes(disk.database_bytes)} (${versions.join(', ')}). Free on the disk: ${megabytes(disk.free_bytes)}.`,
    ...section(
      ['CONCERN', 'WEIGHT', 'HOW MANY', 'MESSAGES'],
      kurir.concerns.map(({ code, weight, count, messages }) => [code, weight, count, messages]),
    ),
    ...section(
      ['SENDER', 'KIND', 'STATE', 'REASON', 'SINCE', 'WAITING'],
      kurir.senders.map((one) => [one.sender_code, one.kind, one.state, one.reason, one.since, one.waiting]),
    ),
    ...section(
      ['WEBHOOK', 'ON', 'WHY OFF', 'LAST ERROR'],
      kurir.webhooks.map((one) => [one.webhook_id, String(one.enabled), one.disabled_reason, one.last_error]),
    ),
    ...section(
      ['WEBHOOK', 'CALLBACKS', 'HOW MANY'],
      kurir.callbacks.map(({ webhook_id, state, count }) => [webhook_id, state, count]),
    ),
  ]
}

const section = (headings: string[], rows: (string | number | null)[][]): string[] =>
  rows.length === 0 ? [] : ['', table(headings, rows)]

const WARNING = 40

/**
 * Returns the log lines of warnings and errors. Lines are not parsed, because a line in which a
 * number was replaced may not be JSON.
 */
function warnings(log: readonly string[]): string[] {
  const found = log.filter((line) => Number(/"level":(\d+)/.exec(line)?.[1] ?? 0) >= WARNING)
  return found.length === 0 ? ['  none'] : found.slice(-20).map((line) => `  ${line}`)
}
