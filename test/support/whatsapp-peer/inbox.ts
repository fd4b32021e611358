import type { proto } from 'baileys'
import type { MediaHost } from './media-host.ts'
import { type Received, readMessage } from './received.ts'
import type { Sealed, SignalDevice } from './signal.ts'

export interface Letter extends Sealed {
  id: string
  /** Phone number and Signal address of the sender's device. */
  from: string
  name: string
  device: number
  at: number
}

/**
 * `retry` asks the sender for the message again; `repeated` was opened before with the same message
 * key.
 */
export type Opened = 'read' | 'retry' | 'repeated'

/** Messages that one device got, opened in the order of arrival, each letter once. */
export function createInbox(signal: SignalDevice, mediaHost: MediaHost) {
  const read: Received[] = []
  const unreadable: { id: string; reason: string }[] = []
  let sealed: { letter: Letter; opened?: (how: Opened) => void }[] = []
  let opening: Promise<void> = Promise.resolve()
  let taken = 0
  let arrival = Promise.withResolvers<void>()

  async function openOne(letter: Letter): Promise<Opened> {
    let content: proto.Message
    try {
      content = await signal.open(letter.name, letter.device, letter)
    } catch (error) {
      unreadable.push({ id: letter.id, reason: String(error) })
      // A phone takes a message key that was used before for a repetition, and is content.
      return error instanceof Error && error.name === 'MessageCounterError' ? 'repeated' : 'retry'
    }
    try {
      read.push(await readMessage(letter, content, mediaHost))
    } catch (error) {
      unreadable.push({ id: letter.id, reason: String(error) })
    }
    return 'read'
  }

  function openAll() {
    if (sealed.length === 0) return opening
    const batch = sealed
    sealed = []
    opening = opening.then(async () => {
      for (const { letter, opened } of batch) {
        const how = await openOne(letter)
        opened?.(how)
      }
      const reached = arrival
      arrival = Promise.withResolvers()
      reached.resolve()
    })
    return opening
  }

  return {
    unreadable,
    open: (letter: Letter) =>
      new Promise<Opened>((opened) => {
        sealed.push({ letter, opened })
        void openAll()
      }),
    /** Keeps the letter closed until somebody asks, for benchmarks. */
    keep(letter: Letter) {
      sealed.push({ letter })
      arrival.resolve()
    },
    async messages(): Promise<Received[]> {
      await openAll()
      return [...read]
    },
    /** The next message that no call has returned before. */
    async next(): Promise<Received> {
      for (;;) {
        const arrived = arrival.promise
        await openAll()
        const message = read[taken]
        if (message) {
          taken += 1
          return message
        }
        await arrived
      }
    },
  }
}
export type Inbox = ReturnType<typeof createInbox>
