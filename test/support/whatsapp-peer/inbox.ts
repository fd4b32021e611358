import type { proto } from 'baileys'
import type { MediaHost } from './media-host.ts'
import { type Received, readMessage } from './received.ts'
import type { Sealed, SignalDevice } from './signal.ts'

export interface Letter extends Sealed {
  id: string
  /** Sender's phone number; `name` and `device` are the Signal address. */
  from: string
  name: string
  device: number
  at: number
}

/** A group message: one ciphertext for all devices, and the key for a device that lacks it. */
export interface GroupLetter extends Omit<Letter, keyof Sealed> {
  group: string
  /** The sender key or the answer to a retry receipt. */
  sealed: Sealed | undefined
  skmsg: Buffer | undefined
}

/**
 * `retry`: unreadable, so the device asks for the message again. `repeated`: its message key was
 * used before.
 */
export type Opened = 'read' | 'retry' | 'repeated'

/** Creates the inbox of one device. Letters are opened once each, in order of arrival. */
export function createInbox(signal: SignalDevice, mediaHost: MediaHost) {
  const read: Received[] = []
  const unreadable: { id: string; reason: string }[] = []
  /** Decrypted messages that contained a sender key. */
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
      // A phone takes a reused message key for a repetition and asks for nothing.
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
    /** Keeps the letter sealed until the messages are read, for benchmarks. */
    keep(letter: Letter | GroupLetter) {
      sealed.push({ letter })
      arrival.resolve()
    },
    async messages(): Promise<Received[]> {
      await openAll()
      return [...read]
    },
    /** Resolves with the next message that no earlier call has returned. */
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
