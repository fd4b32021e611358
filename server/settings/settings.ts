import { ApiError } from '../contract/errors.ts'
import { type Settings, settings as schema, type UpdateSettings } from '../contract/settings.ts'
import type { Bus } from '../lib/bus.ts'
import type { SettingsStore } from '../store/index.ts'

export type SettingsService = ReturnType<typeof createSettings>

/**
 * The owner's settings: read once, kept in memory, written first. A value that an older version
 * left behind gets its default.
 */
export function createSettings(store: SettingsStore, bus: Bus) {
  let current = load(store.all())
  const reload = () => {
    current = load(store.all())
  }
  const atStart = current

  return {
    get: (): Settings => current,
    /** Another node changed them. */
    reload,
    /** Host and ports count from the next start. */
    restartNeeded: (): boolean =>
      (['host', 'port', 'webhook_port'] as const).some((name) => current[name] !== atStart[name]),
    /** @throws ApiError `invalid_request` */
    async update(changes: UpdateSettings): Promise<Settings> {
      const next = schema.safeParse({ ...current, ...changes })
      if (!next.success) throw new ApiError('invalid_request', 'These settings do not fit together.')
      await store.save(changes)
      // On top of what others changed meanwhile.
      current = schema.parse({ ...current, ...changes })
      bus.emit('settings', {})
      return current
    },
  }
}

function load(saved: Record<string, unknown>): Settings {
  const valid = Object.entries(schema.shape).flatMap(([name, field]) => {
    const parsed = field.safeParse(saved[name])
    return parsed.success ? [[name, parsed.data]] : []
  })
  return schema.parse(Object.fromEntries(valid))
}
