/** A message was accepted or changed. */
export interface MessageSignal {
  seq: number
  status: string
  channel: string
  /** The sender through which it goes. */
  laneId: number
  providerMessageId: string | null
  /** It was not in this status before. */
  isNewStatus: boolean
  /** Milliseconds. */
  sinceDue: number
}

/** Signals within this process. Hints only: a listener reads the database, which is the truth. */
export interface Signals {
  /** A sender has new or changed work. */
  lane: { senderId: number }
  /** New deliveries may be due. */
  deliveries: { endpointId: number }
  message: MessageSignal
  /** A receiver was called. */
  callback: { isTaken: boolean; tookMs: number }
  sender: { code: string }
  /** No node holds it yet. */
  free_sender: { senderId: number }
  /** A linked number was started again, because its connection brought nothing. */
  linked_restart: { code: string }
  webhook: { id: number }
  settings: Record<string, never>
  /** A newer version was downloaded. */
  update: Record<string, never>
  /** The database takes no writes any more, or again. */
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
