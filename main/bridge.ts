import type { BridgeCall } from '../server/contract/desktop.ts'
import { originOf } from './guard.ts'
import type { LoginItem } from './login-item.ts'
import type { PasskeyWindow } from './passkey-window.ts'
import type { Updates } from './updates.ts'

export interface BridgeIpc {
  handle(call: string, listener: (event: { senderFrame: { url: string } | null }, argument: unknown) => unknown): void
}

export interface BridgeDeps {
  ipc: BridgeIpc
  ownOrigin(): string | null
  loginItem: LoginItem
  updates: Updates
  confirmPasskey: PasskeyWindow
}

/**
 * Answers calls of `window.kurirDesktop`, but only from the server's own pages.
 */
export function setupBridge({ ipc, ownOrigin, loginItem, updates, confirmPasskey }: BridgeDeps): void {
  const answers: Record<BridgeCall, (argument: unknown) => unknown> = {
    'login-item:get': () => loginItem.get(),
    'login-item:set': (enabled) => loginItem.set(enabled === true),
    'update:get': () => updates.get(),
    'update:check': () => updates.check(),
    'update:install': () => updates.install(),
    'passkey:confirm': confirmPasskey,
  }
  for (const [call, answer] of Object.entries(answers)) {
    ipc.handle(call, ({ senderFrame }, argument) => {
      const origin = senderFrame ? originOf(senderFrame.url) : null
      if (origin === null || origin !== ownOrigin()) throw new Error(`${call} is not for ${origin ?? 'this page'}`)
      return answer(argument)
    })
  }
}
