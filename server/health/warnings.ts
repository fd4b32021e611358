import type { Settings } from '../contract/settings.ts'
import { LOW_DISK_BYTES } from '../data-folder/disk.ts'

export interface WarningFacts {
  settings: Settings
  /** The address that this run listens on. */
  host: string
  freeBytes: number | null
}

/** What works, but what the owner should know. It may be read without a key: no names, no numbers. */
export function findWarnings({ settings, host, freeBytes }: WarningFacts): string[] {
  const warnings: string[] = []
  if (freeBytes !== null && freeBytes < LOW_DISK_BYTES) {
    const megabytes = Math.floor(freeBytes / 1024 / 1024)
    warnings.push(`The disk is nearly full (${megabytes} MB left). Free some space before messages are refused.`)
  }
  if (host !== '127.0.0.1' && host !== 'localhost' && host !== '::1') {
    warnings.push(`Programs on the LAN can reach Kurir (it listens on ${host}). They need an API key.`)
    if (settings.remote_administration) warnings.push("The owner's pages are open to the LAN, without encryption.")
  }
  if (settings.retention_days === null) {
    warnings.push('Messages are kept for ever: the database grows. Set how long to keep them in Settings.')
  }
  return warnings
}
