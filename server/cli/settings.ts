import type { SettingsView } from '../contract/settings.ts'
import type { Client } from './client.ts'
import { CliError, EXIT, type Output, table } from './terminal.ts'

const PATH = '/api/settings'

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Prints all settings, or one. */
export async function getSettings(client: Client, out: Output, name: string | undefined): Promise<void> {
  const settings: Record<string, unknown> = await client.call<SettingsView>(PATH)
  if (name === undefined) {
    // Without nodes nobody needs to read of them; JSON always has the same members.
    const rows = Object.entries(settings).filter(([each, value]) => each !== 'node' || value !== null)
    return out.print(settings, () =>
      table(
        ['SETTING', 'VALUE'],
        rows.map(([each, value]) => [each, shown(value)]),
      ),
    )
  }
  if (!Object.hasOwn(settings, name)) throw new CliError(`There is no setting ${name}.`, EXIT.usage)
  await out.print(settings[name], () => shown(settings[name]))
}

/** Numbers, `true`, `false`, `null` and lists as JSON; anything else is a text. */
function read(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

export async function setSetting(client: Client, out: Output, name: string, value: string): Promise<void> {
  const before: Record<string, unknown> = await client.call<SettingsView>(PATH)
  if (!Object.hasOwn(before, name)) throw new CliError(`There is no setting ${name}.`, EXIT.usage)
  const json = { [name]: read(value) }
  const after = await client.call<SettingsView>(PATH, { method: 'PATCH', json })
  if (after.restart_needed) out.note('It counts from the next start of Kurir.')
  await out.print(json, () => `${name} is ${shown((after as Record<string, unknown>)[name])}.`)
}
