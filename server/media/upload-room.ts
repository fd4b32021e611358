import { ApiError } from '../contract/errors.ts'

export const storageFull = (what: string): ApiError =>
  new ApiError('storage_full', `${what} Nothing was accepted; files that are sent make room.`, { retry_after: 60 })

// Last part of all room: a key gets more of it only while its files, of which no message is
// waiting, take no more than what is left. However many keys there are, they cannot fill it.
const KEPT_FOR_OTHERS = 0.25

/**
 * Room that the smallest file takes: a million of one byte, with a row and a name each, would be
 * far more than the quota says, and be read whenever files are swept.
 */
const LEAST_ROOM = 64 * 1024
const roomOf = (size: number): number => Math.max(size, LEAST_ROOM)

/**
 * The room that files take of what the owner allows, all in bytes.
 * @param unusedBytes of the files of a key that no message waits with, each at least `least`
 * @param sweep removes what nothing needs
 */
export function createUploadRoom(
  quota: () => number,
  unusedBytes: (keyNumber: number, least: number) => Promise<number>,
  sweep: () => Promise<void>,
) {
  let used = 0
  /** Those of files that have no row yet, in all and of each API key. */
  let arriving = 0
  const arrivingOf = new Map<number | null, number>()

  /** For one file that comes in. */
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

    /** One key must not take all the room with files that it never sends. The owner may. */
    async function leaveRoom(): Promise<void> {
      if (keyNumber === null || used <= quota() * (1 - KEPT_FOR_OTHERS)) return
      unused ??= unusedBytes(keyNumber, LEAST_ROOM)
      if ((await unused) + (arrivingOf.get(keyNumber) ?? 0) > quota() - used)
        throw storageFull('Files of this key that no message waits with take too much of the room.')
    }

    return {
      /** @throws ApiError `storage_full` */
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
    /** Counts again, from the sizes of all files with a row. */
    recount(sizes: Iterable<number>): void {
      used = arriving
      for (const size of sizes) used += roomOf(size)
    },
    used: () => used,
  }
}
