import { expect } from 'vitest'
import type { FailureCode } from '../../server/contract/failures.ts'
import type { Status } from '../../server/contract/messages.ts'
import { createUuid7 } from '../../server/lib/uuid7.ts'
import type { SenderChange } from '../../server/store/index.ts'
import { describeFailure } from '../../server/words/errors.ts'
import type { TestApp } from './app.ts'
import { newRow } from './new-message.ts'

/** Stores a linked number that is connected, with the changes in `more`. Returns its code. */
export async function addNumber(app: TestApp, name: string, more: SenderChange = {}): Promise<string> {
  const code = await app.sender('linked', { name })
  await changeNumber(app, code, { state: 'connected', phone: '6281111111111', ...more })
  return code
}

/** Changes the stored state of a sender, as its connection would. */
export async function changeNumber(app: TestApp, code: string, change: SenderChange): Promise<void> {
  const { store, bus } = app.app
  await store.senders.change(idOf(app, code), () => ({ since: Date.now(), ...change }))
  bus.emit('sender', { code })
}

/** Adds today's messages that are done. */
export async function addEnded(
  app: TestApp,
  code: string,
  count: number,
  end: Status | FailureCode,
  { accepted, ended = Date.now() }: { accepted?: number; ended?: number } = {},
): Promise<void> {
  const { store } = app.app
  const newId = createUuid7(Date.now, (await store.messages.newest())?.id)
  for (let made = 0; made < count; made += 1) {
    const id = newId()
    await store.messages.accept(
      newRow({
        id,
        senderId: idOf(app, code),
        nextAt: null,
        ...(accepted === undefined ? {} : { createdAt: accepted }),
      }),
      { unique: false },
    )
    await store.messages.change({ id }, () =>
      isStatus(end) ? { status: end, at: ended } : { status: 'failed', at: ended, error: describeFailure(end) },
    )
  }
}

/** Adds messages that wait for an hour, or for their sender. */
export async function addWaiting(app: TestApp, code: string, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    const body = { sender_code: code, phone: '6281234567890', message: 'halo', delay: 3600 }
    const { status, text } = await app.owner('/send', { body })
    expect(status, text).toBe(200)
  }
}

const isStatus = (end: Status | FailureCode): end is Status => end === 'sent' || end === 'delivered' || end === 'read'

const idOf = (app: TestApp, code: string): number => app.app.store.senders.byCode(code)?.id ?? 0
