import { ApiError } from '../contract/errors.ts'
import { type Settings, settings as schema, type UpdateSettings } from '../contract/settings.ts'
import type { Bus } from '../lib/bus.ts'
import type { SettingsStore } from '../store/index.ts'

export type SettingsService = ReturnType<typeof createSettings>

/**
 * Keeps the owner's settings in memory. Updates write the store first. A stored value that this
 * version does not accept gets its default.
 */
export function createSettings(store: SettingsStore, bus: Bus) {
  let current = load(store.all())
  const reload = () => {
    current = load(store.all())
  }
  const atStart = current

  return {
    get: (): Settings => current,
    reload,
    /** True if host or ports were changed: these take effect at the next start. */
    restartNeeded: (): boolean =>
      (['host', 'port', 'webhook_port'] as const).some((name) => current[name] !== atStart[name]),
    /** @throws ApiError `invalid_request` */
    async update(changes: UpdateSettings): Promise<Settings> {
      const next = schema.safeParse({ ...current, ...changes })
      if (!next.success) throw new ApiError('invalid_request', 'These settings do not fit together.')
      await store.save(changes)
      // Apply the changes to the current settings, which others may have changed meanwhile.
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
