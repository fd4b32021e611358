import { Webhook } from 'standardwebhooks'
import { expect } from 'vitest'
import type { DeliveryRow } from '../../server/store/index.ts'
import { SANDBOX, type StartOptions, startApp } from './app.ts'
import { createTestClock } from './clock.ts'
import { eventually } from './eventually.ts'
import type { Received } from './receiver.ts'

/** Starts the program on a test clock, with a key to send through the sandbox. */
export async function startWithCallbacks(options: StartOptions = {}) {
  // Begin with the true time, because the library that checks signatures uses the real clock.
  const clock = createTestClock(Date.now())
  const app = await startApp({ ...options, clock, overrides: { random: () => 0.5, ...options.overrides } })
  const key = await app.key()

  const deliveries = async (webhookId?: string): Promise<DeliveryRow[]> => {
    const endpointId = webhookId === undefined ? undefined : Number(webhookId)
    return (await app.app.store.deliveries.list({ endpointId, limit: 1_000 })).toReversed()
  }
  const delivery = async (id: number): Promise<DeliveryRow> => {
    const row = await app.app.store.deliveries.get(id)
    if (row === undefined) throw new Error(`no delivery ${id}`)
    return row
  }
  const attempts = (id: number) => app.app.store.deliveries.attempts(id)

  return {
    app,
    clock,
    key,
    deliveries,
    delivery,
    attempts,
    async webhook(url: string, fields: Record<string, unknown> = {}): Promise<{ id: string; secret: string }> {
      const answer = await app.owner<{ id: string; secret: string }>('/api/webhooks', { body: { url, ...fields } })
      expect(answer.status, answer.text).toBe(200)
      return answer.body.data
    },
    /**
     * Posts a message and returns its id. The sandbox lets the default number receive and read it.
     */
    async send(phone = '6281234560000', more: Record<string, unknown> = {}): Promise<string> {
      const body = { phone, message: 'Terima kasih', sender_code: SANDBOX, ...more }
      const answer = await app.call<{ id: string }>(key, '/send', body)
      expect(answer.status, answer.text).toBe(200)
      return answer.body.data.id
    },
    /** Resolves when the delivery has had at least `times` attempts. */
    tried: (id: number, times: number) => eventually(async () => (await attempts(id)).length >= times),
    /** Moves the clock to a delivery's next attempt and waits until that is stored. */
    async retry(id: number): Promise<void> {
      const before = (await attempts(id)).length
      await clock.advance(((await delivery(id)).nextAt ?? clock.now()) - clock.now())
      await eventually(async () => (await attempts(id)).length > before)
    },
    settled: (webhookId: string) =>
      eventually(async () => (await deliveries(webhookId)).every(({ state }) => state !== 'pending')),
  }
}

/** Signs with the Standard Webhooks library, which would refuse to verify an old timestamp. */
export function librarySignature({ headers, text }: Received, secret: string): string {
  const at = new Date(Number(headers['webhook-timestamp']) * 1000)
  return new Webhook(secret).sign(headers['webhook-id'] ?? '', at, text)
}
