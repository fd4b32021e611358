import { setTimeout as wait } from 'node:timers/promises'
import type { LogPart } from '../lib/logger.ts'
import type { Client } from './client.ts'
import { CliError, EXIT } from './errors.ts'
import type { Output } from './output.ts'

const LOOK_EVERY = 500

const read = (client: Client, after?: string): Promise<LogPart> =>
  client.call<LogPart>(`/api/log${after === undefined ? '' : `?${new URLSearchParams({ after })}`}`)

/** A line as its members; one that lost a number to `[number]` may be no JSON any more. */
function membersOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return { msg: line }
  }
}

export async function showLog(client: Client, out: Output): Promise<void> {
  const { lines } = await read(client)
  await out.print(lines.map(membersOf), () => lines.join('\n'))
}

/** Prints the last lines and each new one, over restarts of Kurir, until Ctrl+C. */
export async function followLog(client: Client, out: Output): Promise<never> {
  process.once('SIGINT', () => process.exit(EXIT.done))
  let after: string | undefined
  let isAway = false
  for (;;) {
    try {
      const { lines, position, lost } = await read(client, after)
      if (isAway) out.note('Kurir runs again.')
      isAway = false
      after = position
      if (lost > 0) out.note(`${lost} lines came too quickly to be shown.`)
      for (const line of lines) await out.print(membersOf(line), () => line)
    } catch (error) {
      // One that never ran is not waited for.
      if (after === undefined || !isGone(error)) throw error
      if (!isAway) out.note('Kurir does not run any more. Waiting until it does…')
      isAway = true
    }
    await wait(LOOK_EVERY)
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof CliError && (error.exitCode === EXIT.not_running || error.answer?.error.code === 'shutting_down')
