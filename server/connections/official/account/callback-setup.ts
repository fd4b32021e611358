import type { Account, CallbackAddress, GraphClient, GraphOutcome } from '../graph/graph-client.ts'
import { CALLBACK_FIELDS } from '../inbox/callback.ts'

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
