import { ApiError } from '../contract/errors.ts'

export const storageFull = (what: string): ApiError =>
  new ApiError('storage_full', `${what} Nothing was accepted; files that are sent make room.`, { retry_after: 60 })

// In this last share of the space, a key gets more only while its unused files (no message waits
// with them) take no more than the space that is left. So no number of keys can fill it.
const KEPT_FOR_OTHERS = 0.25

/**
 * Space that is counted for the smallest file, in bytes. A million files of one byte, with a row
 * and a name each, would take far more space than their bytes, and each sweep would read them all.
 */
const LEAST_ROOM = 64 * 1024
const roomOf = (size: number): number => Math.max(size, LEAST_ROOM)

/**
 * Creates the account of the space that uploaded files take, in bytes.
 * @param quota returns the space that the owner allows
 * @param unusedBytes resolves with the bytes of a key's unused files, each at least `least`
 * @param sweep removes unused files
 */
export function createUploadRoom(
  quota: () => number,
  unusedBytes: (keyNumber: number, least: number) => Promise<number>,
  sweep: () => Promise<void>,
) {
  let used = 0
  /** Bytes of files that have no row yet, in all and by API key. */
  let arriving = 0
  const arrivingOf = new Map<number | null, number>()

  /** Begins to count one incoming file. */
  function begin(keyNumber: number | null) {
    let size = 0
    let taken = 0
    let unused: Promise<number> | undefined

    function arrive(bytes: number): void {
      arriving += bytes
      const ofKey = (arrivingOf.get(keyNumber) ?? 0) + bytes
      if (ofKey === 0) arrivingOf.delete(keyNumber)
      else arrivingOf.set(keyNumber, ofKey)
    }

    /**
     * Refuses a key that fills the space with files that it never sends. The owner may do so.
     * @throws ApiError `storage_full`
     */
    async function leaveRoom(): Promise<void> {
      if (keyNumber === null || used <= quota() * (1 - KEPT_FOR_OTHERS)) return
      unused ??= unusedBytes(keyNumber, LEAST_ROOM)
      if ((await unused) + (arrivingOf.get(keyNumber) ?? 0) > quota() - used)
        throw storageFull('Files of this key that no message waits with take too much of the room.')
    }

    return {
      /** Takes space for a chunk. @throws ApiError `storage_full` */
      async take(bytes: number): Promise<void> {
        size += bytes
        const more = roomOf(size) - taken
        if (used + more > quota()) await sweep()
        if (used + more > quota()) throw storageFull('The room that the owner allows for files is used up.')
        used += more
        taken += more
        arrive(more)
        await leaveRoom()
      },
      arrived: () => arrive(-taken),
      giveBack(): void {
        used -= taken
        arrive(-taken)
      },
    }
  }

  return {
    begin,
    free(size: number): void {
      used -= roomOf(size)
    },
    /** Counts again. @param sizes of all files with a row */
    recount(sizes: Iterable<number>): void {
      used = arriving
      for (const size of sizes) used += roomOf(size)
    },
    used: () => used,
  }
}
