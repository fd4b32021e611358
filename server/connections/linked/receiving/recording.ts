import type { WAMessage } from 'baileys'
import { sleep } from '../../../lib/sleep.ts'
import { StorageError } from '../../../lib/storage-error.ts'
import { SECOND } from '../../../lib/time.ts'
import type { CustomersPort } from '../../../senders/customers.ts'
import type { LinkedContext } from '../account/context.ts'
import { type ChatTimer, readReceived } from './received.ts'

/** Pause after an error. */
export const AGAIN_AFTER = 5 * SECOND
// Tries of what no disk keeps from being recorded; it may be recorded with the next connection.
const MOST_TRIES = 3
// Stanzas kept in memory while the storage is away; the rest comes again with the next connection.
const MOST_WAITING = 10_000

/** Records what WhatsApp reports; tries again where the storage is away. */
export function createRecording(context: LinkedContext, onReceived: CustomersPort['received']) {
  const { senderId, store, stopping, clock, logger } = context
  let waitingForStorage = 0

  /**
   * WhatsApp repeats what was not confirmed only with the next connection, and this one may last
   * for weeks.
   */
  async function insisting<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work()
      } catch (err) {
        const isInVain = err instanceof StorageError ? err.isInVain : tries >= MOST_TRIES
        if (isInVain || stopping.aborted || waitingForStorage >= MOST_WAITING) throw err
        logger.error({ err, sender: senderId }, 'what WhatsApp reported cannot be recorded yet')
      }
      waitingForStorage += 1
      await sleep(clock, AGAIN_AFTER, stopping).finally(() => {
        waitingForStorage -= 1
      })
    }
  }

  function background(work: Promise<unknown>): void {
    work.catch((err: unknown) => logger.error({ err, sender: senderId }, 'could not record what WhatsApp reported'))
  }

  async function noteInbound(number: string, message: WAMessage): Promise<void> {
    const contact = await store.contacts.get(senderId, number)
    if (contact?.known !== true)
      await store.contacts.learn(senderId, [{ phone: number, lastMessageAt: clock.now(), timer: null }])
    const received = readReceived(message)
    if (received !== null) await onReceived({ ...received, senderId, from: number, fromUserId: null })
  }

  async function noteTimer(number: string, { seconds, setAt }: ChatTimer): Promise<void> {
    const contact = await store.contacts.get(senderId, number)
    if ((contact?.timer ?? null) !== seconds) await store.contacts.change(senderId, number, { timer: seconds, setAt })
  }

  return {
    insisting,
    background,
    /**
     * WhatsApp repeats what is not confirmed: a fault of ours must not end each connection for one
     * message.
     */
    async onWritten(number: string, message: WAMessage): Promise<void> {
      try {
        await insisting(() => noteInbound(number, message))
      } catch (err) {
        if (err instanceof StorageError || stopping.aborted) throw err
        logger.error({ err, sender: senderId }, 'a message of a customer is passed over')
      }
    },
    onInbound: (number: string, message: WAMessage): void => background(noteInbound(number, message)),
    onTimer: (number: string, timer: ChatTimer): void => background(noteTimer(number, timer)),
  }
}
