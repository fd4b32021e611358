/** `last_good` is the copy that was made when a connection opened. */
export type Generation = 'current' | 'last_good'

export interface SignalValue {
  type: string
  id: string
  /** Null deletes. */
  value: Buffer | null
}

interface SessionChange {
  /** First all that is there goes, but keys of these types. */
  keep?: readonly string[]
  credentials?: { generation: Generation; value: Buffer; at: number }
  keys?: readonly SignalValue[]
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
  /** All of it or nothing. */
  change(senderId: number, change: SessionChange): Promise<void>
}
