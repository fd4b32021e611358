export interface MessageSignal {
  seq: number
  status: string
  channel: string
  /** Id of the sender. */
  laneId: number
  providerMessageId: string | null
  /** True if the message was not in this status before. */
  isNewStatus: boolean
  /** Milliseconds from the time when the message was due to this change. */
  sinceDue: number
}

/**
 * Signals within this process. They are only hints: a listener reads the truth from the database.
 */
export interface Signals {
  /** A sender has new or changed work. */
  lane: { senderId: number }
  /** New deliveries may be due. */
  deliveries: { endpointId: number }
  message: MessageSignal
  /** An endpoint was called. */
  callback: { isTaken: boolean; tookMs: number }
  sender: { code: string }
  /** No node holds this sender yet. */
  free_sender: { senderId: number }
  /** Kurir restarted a linked number, because its connection brought nothing. */
  linked_restart: { code: string }
  webhook: { id: number }
  settings: Record<string, never>
  /** A newer version was downloaded. */
  update: Record<string, never>
  /** The database stopped or resumed accepting writes. */
  storage: Record<string, never>
}

export interface Bus {
  emit<K extends keyof Signals>(name: K, signal: Signals[K]): void
  /** Returns a function that unsubscribes. */
  on<K extends keyof Signals>(name: K, listener: (signal: Signals[K]) => void): () => void
}

type Listeners = { [K in keyof Signals]: Set<(signal: Signals[K]) => void> }

export function createBus(): Bus {
  const listeners: Listeners = {
    lane: new Set(),
    deliveries: new Set(),
    message: new Set(),
    callback: new Set(),
    sender: new Set(),
    free_sender: new Set(),
    linked_restart: new Set(),
    webhook: new Set(),
    settings: new Set(),
    update: new Set(),
    storage: new Set(),
  }
  return {
    emit(name, signal) {
      for (const listener of listeners[name]) listener(signal)
    },
    on(name, listener) {
      listeners[name].add(listener)
      return () => listeners[name].delete(listener)
    },
  }
}
