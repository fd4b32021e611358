import { CALLBACK_FIELDS } from './callback.ts'
import type { Account, CallbackAddress, GraphClient, GraphOutcome } from './graph-client.ts'

export interface CallbackSetupDeps {
  client: Pick<GraphClient, 'tokenInfo' | 'setAppCallback' | 'subscribe'>
}

/**
 * Enters the callback address of this PC at Meta: for the app, with every field that Kurir reads, and then the app for
 * the account. Meta calls the address in between, so the tunnel has to run. An address that was set for the account alone
 * is taken away by it; one that was set for the number alone is not.
 */
export function createCallbackSetup({ client }: CallbackSetupDeps) {
  return async (account: Account, appSecret: string, address: CallbackAddress): Promise<GraphOutcome<true>> => {
    const token = await client.tokenInfo(account)
    if (token.kind !== 'answered') return token
    const { appId } = token.data
    if (appId === null) return { kind: 'unknown', reason: 'unreadable' }
    const entered = await client.setAppCallback({ appId, appSecret }, address, CALLBACK_FIELDS)
    return entered.kind === 'answered' ? client.subscribe(account) : entered
  }
}
