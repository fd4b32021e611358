/**
 * The owner's settings by name. Reads are kept in memory; they may be up to a second old in an
 * engine that is shared.
 */
export interface SettingsStore {
  all(): Record<string, unknown>
  save(values: Record<string, unknown>): Promise<void>
}
