import { StorageError } from '../lib/storage-error.ts'
import { anyJson, text, writing } from './columns.ts'
import { bound, inserting, putting, type Statements } from './statements.ts'

/**
 * The owner's settings by name. Reads come from memory, and may be up to a second old in a shared
 * database.
 */
export interface SettingsStore {
  all(): Record<string, unknown>
  save(values: Record<string, unknown>): Promise<void>
}

const SETTING = { name: text('name'), value: anyJson('value') }

export function createSettings({ rows, insert, keep }: Statements): SettingsStore {
  let known: Record<string, unknown> = {}
  const read = rows(SETTING, 'FROM settings')
  const { change } = keep('settings', async () => {
    known = Object.fromEntries((await read()).map(({ name, value }) => [name, value]))
  })
  const put = insert('settings', writing(SETTING), 'ON CONFLICT (name) DO UPDATE SET value = excluded.value')
  return {
    all: () => known,
    async save(values) {
      await change(...put(Object.entries(values).map(([name, value]) => ({ name, value }))))
    },
  }
}

/**
 * Values that the program keeps about itself: the sealed data key (with the previous key while it
 * is replaced, and the wish for a new one), whether the owner paused all senders, which senders are
 * paused since data came back, when the last backup was made, when the program was last seen
 * running, versions of WhatsApp, where alarms go (sealed) and what they reported, where automatic
 * backups go (sealed) and how the last ones went, which programs of other gateways the owner has
 * decided about, which failures of a day the owner has seen, what one message costs at Meta, and
 * the settings of the printer port and of the drop folder.
 */
export type MetaName =
  | 'data_key'
  | 'data_key_before'
  | 'data_key_rotation'
  | 'all_paused'
  | 'paused_by_return'
  | 'backup_at'
  | 'marked_at'
  | 'whatsapp_versions'
  | 'alarms'
  | 'alarm_state'
  | 'programs_decided'
  | 'printer'
  | 'drop_folder'
  | 'failures_seen'
  | 'meta_prices'
  | 'backup_plan'
  | 'backup_state'

/** Reads come from memory, and may be up to a second old in a shared database. */
export interface MetaStore {
  get(name: MetaName): string | undefined
  save(name: MetaName, value: string): Promise<void>
  /** Saves the value unless there is one already; resolves with the stored value. */
  keep(name: MetaName, value: string): Promise<string>
}

const META_VALUE = { name: text('name'), value: text('value') }
const putMeta = putting<{ name: string; value: string }>('meta', writing(META_VALUE), 'name')
const addMeta = inserting<{ name: string; value: string }>('meta', writing(META_VALUE), 'ON CONFLICT DO NOTHING')

export function keepMeta({ rows, keep: inMemory }: Statements) {
  let known = new Map<string, string>()
  const all = rows(META_VALUE, 'FROM meta')
  const { change, reload } = inMemory('meta', async () => {
    known = new Map((await all()).map(({ name, value }) => [name, value]))
  })
  const meta: MetaStore = {
    get: (name) => known.get(name),
    async save(name, value) {
      await change(putMeta({ name, value }))
    },
    async keep(name, value) {
      await change(addMeta({ name, value }))
      return known.get(name) ?? value
    },
  }
  return { meta, reload }
}

const ENOUGH = 64 * 1024

/** True if more than a few bytes can be written; tries it for real. */
export async function hasRoom({ write }: Statements): Promise<boolean> {
  try {
    await write(putMeta({ name: 'probe', value: 'x'.repeat(ENOUGH) }))
    await write(bound('DELETE FROM meta WHERE name = $1', 'probe'))
    return true
  } catch (error) {
    if (error instanceof StorageError) return false
    throw error
  }
}
