import { ApiError } from '../contract/errors.ts'

export const storageFull = (what: string): ApiError =>
  new ApiError('storage_full', `${what} Nothing was accepted; files that are sent make room.`, { retry_after: 60 })

// Last part of all room: a key gets more of it only while its files, of which no message is
// waiting, take no more than what is left. However many keys there are, they cannot fill it.
const KEPT_FOR_OTHERS = 0.25

/**
 * The room that files take of what the owner allows, all in bytes.
 * @param unusedBytes of the files of a key that no message waits with
 * @param sweep removes what nothing needs
 */
export function createUploadRoom(
  quota: () => number,
  unusedBytes: (keyNumber: number) => Promise<number>,
  sweep: () => Promise<void>,
) {
  let used = 0
  /** Those of files that have no row yet, in all and of each API key. */
  let arriving = 0
  const arrivingOf = new Map<number | null, number>()

  /** For one file that comes in. */
  function begin(keyNumber: number | null) {
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
      unused ??= unusedBytes(keyNumber)
      if ((await unused) + (arrivingOf.get(keyNumber) ?? 0) > quota() - used)
        throw storageFull('Files of this key that no message waits with take too much of the room.')
    }

    return {
      /** @throws ApiError `storage_full` */
      async take(bytes: number): Promise<void> {
        if (used + bytes > quota()) await sweep()
        if (used + bytes > quota()) throw storageFull('The room that the owner allows for files is used up.')
        used += bytes
        taken += bytes
        arrive(bytes)
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
    free(bytes: number): void {
      used -= bytes
    },
    /** Counts again, from the sizes of all files with a row. */
    recount(sizes: Iterable<number>): void {
      used = arriving
      for (const size of sizes) used += size
    },
    used: () => used,
  }
}
