import type { BinaryNode } from 'baileys'
import { seconds, stanza } from './stanza.ts'

/** Decides which client builds the server accepts. */
export function createVersions() {
  let oldest = 0
  let linkable = 0
  let ends: { build: number; at: number | undefined }[] = []

  return {
    /** Refuses logins and new links of older builds with 405. */
    require(build: number) {
      oldest = build
    },
    /** Older builds still get QR codes, but the phone cannot link them. */
    requireForLinking(build: number) {
      linkable = build
    },
    /**
     * Announces at each login of this build until when it is accepted; without a time, withdraws
     * that.
     */
    announceEnd(build: number, at?: number) {
      ends = [...ends.filter((end) => end.build !== build), { build, at }]
    },
    /** Used by the server only. */
    internal: {
      takes: (build: number) => build >= oldest,
      canLink: (build: number) => build >= linkable,
      announcement(build: number): BinaryNode | undefined {
        const end = ends.find((one) => one.build === build)
        if (end === undefined) return undefined
        const t = end.at === undefined ? undefined : seconds(end.at)
        return stanza('ib', {}, [stanza('client_expiration', { t })])
      },
    },
  }
}
export type Versions = ReturnType<typeof createVersions>
