/** `last_good` is the copy that was made when a connection opened. */
export type Generation = 'current' | 'last_good'

export interface SignalValue {
  type: string
  id: string
  /** Null deletes. */
  value: Buffer | null
}

/**
 * Credentials and Signal keys of linked numbers; every value is sealed by the caller. Writes of one
 * sender take effect in the order of their calls, and survive a power cut once they have resolved.
 */
export interface SessionStore {
  getKey(senderId: number, type: string, id: string): Promise<Buffer | undefined>
  /** All of one type, in the order of their ids. */
  keysOf(senderId: number, type: string): Promise<{ id: string; value: Buffer }[]>
  /** All of them or none. */
  setKeys(senderId: number, values: readonly SignalValue[]): Promise<void>
  credentials(senderId: number, generation: Generation): Promise<Buffer | undefined>
  saveCredentials(senderId: number, generation: Generation, value: Buffer, at: number): Promise<void>
  /**
   * A new identity takes the place of everything that was there but keys of the types in `keep`;
   * `also` is written with it.
   */
  beginWith(
    senderId: number,
    value: Buffer,
    at: number,
    options?: { keep?: readonly string[]; also?: readonly SignalValue[] },
  ): Promise<void>
  /** Removes credentials and keys, but those of the types in `keep`. */
  wipe(senderId: number, keep?: readonly string[]): Promise<void>
}
