import { DAY } from '../../../lib/time.ts'

const WARN_BEFORE = 60 * DAY

/**
 * When Meta released each version of the Graph API. A version can be used until two years after the
 * release of the next one (Meta, "Platform Versioning"); calls with an older one are answered by
 * the oldest that is left, whose answers may differ.
 */
const RELEASES: readonly (readonly [version: string, released: string])[] = [
  ['v21.0', '2024-10-02'],
  ['v22.0', '2025-01-21'],
  ['v23.0', '2025-05-29'],
  ['v24.0', '2025-10-08'],
  ['v25.0', '2026-02-18'],
  ['v26.0', '2026-07-29'],
]

export interface VersionEnd {
  version: string
  /** Milliseconds since 1970. */
  endsAt: number
}

/**
 * When a version ends; `null`: not yet announced, as for the newest one and any that is newer than
 * this table.
 */
export function versionEnd(version: string): VersionEnd | null {
  const next = RELEASES.find(([later]) => majorOf(later) > majorOf(version))
  if (next === undefined) return null
  const end = new Date(`${next[1]}T00:00:00Z`)
  end.setUTCFullYear(end.getUTCFullYear() + 2)
  return { version, endsAt: end.getTime() }
}

/** The end of a version that its owner has to know of by now; `null` while there is time. */
export function endingVersion(version: string, now: number): VersionEnd | null {
  const end = versionEnd(version)
  return end !== null && end.endsAt - now < WARN_BEFORE ? end : null
}

const majorOf = (version: string): number => Number(/^v(\d+)/.exec(version)?.[1])
