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

/** A message of a group: sealed once for everybody, beside the key for those who lack it. */
export interface GroupLetter extends Omit<Letter, keyof Sealed> {
  group: string
  /** The sender key, or the answer to a retry receipt. */
  sealed: Sealed | undefined
  skmsg: Buffer | undefined
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
  /** Sender keys that came with a message, as they were decrypted. */
  const distributions: { id: string; raw: proto.IMessage }[] = []
  let sealed: { letter: Letter | GroupLetter; opened?: (how: Opened) => void }[] = []
  let opening: Promise<void> = Promise.resolve()
  let taken = 0
  let arrival = Promise.withResolvers<void>()

  async function openOfGroup({ group, name, device, id, sealed: own, skmsg }: GroupLetter): Promise<proto.Message> {
    const place = `${group} ${name}.${device}`
    let content: proto.Message | undefined
    if (own !== undefined) {
      content = await signal.open(name, device, own)
      const key = content.senderKeyDistributionMessage
      if (key?.groupId === group && key.axolotlSenderKeyDistributionMessage) {
        distributions.push({ id, raw: content })
        signal.senderKeys.learn(place, key.axolotlSenderKeyDistributionMessage)
      }
    }
    if (skmsg !== undefined) return signal.senderKeys.open(place, skmsg)
    if (content === undefined) throw new Error('nothing was sealed for this device')
    return content
  }

  async function openOne(letter: Letter | GroupLetter): Promise<Opened> {
    let content: proto.Message
    try {
      content = 'group' in letter ? await openOfGroup(letter) : await signal.open(letter.name, letter.device, letter)
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
    distributions,
    open: (letter: Letter | GroupLetter) =>
      new Promise<Opened>((opened) => {
        sealed.push({ letter, opened })
        void openAll()
      }),
    /** Keeps the letter closed until somebody asks, for benchmarks. */
    keep(letter: Letter | GroupLetter) {
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
