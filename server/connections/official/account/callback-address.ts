import { randomBytes } from 'node:crypto'
import { type Dispatcher, request } from 'undici'
import type { Clock } from '../../../lib/clock.ts'
import { describeNetworkError } from '../../../lib/net-errors.ts'
import { readStart } from '../../../lib/read-body.ts'
import { startDeadline } from '../../../lib/sleep.ts'
import { SECOND } from '../../../lib/time.ts'
import type { Account, CallbackAddress, GraphClient, GraphOutcome } from '../graph/graph-client.ts'
import { CALLBACK_FIELDS } from '../inbox/callback.ts'
import { WEBHOOK_PATH } from '../inbox/listener.ts'

const ANSWER_WITHIN = 15 * SECOND
// The right answer is 24 characters; whatever else is there may be endless.
const MOST_READ = 1024

/**
 * The address that is entered at Meta, from whatever the owner entered here: a base address or all
 * of it.
 */
export const callbackUrl = (publicUrl: string): string => {
  const base = publicUrl.replace(/(?<!\/)\/+$/, '')
  return base.endsWith(WEBHOOK_PATH) ? base : base + WEBHOOK_PATH
}

/**
 * Calls the public address as Meta does. Null: it leads back to this PC; otherwise what is wrong.
 */
export type Probe = (publicUrl: string, verifyToken: string) => Promise<string | null>

export function createProbe({ dispatcher, clock }: { dispatcher: Dispatcher; clock: Clock }): Probe {
  return async (publicUrl, verifyToken) => {
    const challenge = randomBytes(12).toString('hex')
    const query = new URLSearchParams({
      'hub.mode': 'subscribe',
      'hub.verify_token': verifyToken,
      'hub.challenge': challenge,
    })
    const late = startDeadline(clock, ANSWER_WITHIN)
    try {
      const { statusCode, body } = await request(`${callbackUrl(publicUrl)}?${query}`, {
        dispatcher,
        signal: late.signal,
      })
      const text = (await readStart(body, MOST_READ + 1)).toString('latin1')
      return statusCode === 200 && text === challenge ? null : `something else answers there (${statusCode})`
    } catch (error) {
      return describeNetworkError(late.signal.aborted ? late.signal.reason : error)
    } finally {
      late.cancel()
    }
  }
}

/**
 * Enters the callback address of this PC at Meta: for the app, with every field that Kurir reads,
 * and then the app for the account. Meta calls the address in between, so the tunnel has to run. An
 * address that was set for the account or for the number alone would come first, and is taken away.
 */
export async function setUpCallback(
  client: GraphClient,
  account: Account & { appSecret: string },
  address: CallbackAddress,
): Promise<GraphOutcome<true>> {
  const token = await client.tokenInfo(account)
  if (token.kind !== 'answered') return token
  const { appId } = token.data
  if (appId === null) return { kind: 'unknown', reason: 'unreadable' }
  const entered = await client.setAppCallback({ appId, appSecret: account.appSecret }, address, CALLBACK_FIELDS)
  if (entered.kind !== 'answered') return entered
  const subscribed = await client.subscribe(account)
  if (subscribed.kind !== 'answered') return subscribed
  const number = await client.numberHealth(account)
  // Where Meta does not say which address it calls, the check that follows does not claim to know
  // it.
  const used = number.kind === 'answered' ? number.data.callbackUrl : null
  return used === null || used === address.url ? subscribed : client.clearNumberCallback(account)
}
