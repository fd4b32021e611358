import type { PasskeyAssertion, PasskeyOptions } from './passkey.ts'

/** `window.kurirDesktop`: given to the pages by the desktop's preload, absent in a browser. */
export interface DesktopBridge {
  readonly platform: string
  readonly version: string
  getLoginItem(): Promise<LoginItemState>
  setLoginItem(enabled: boolean): Promise<LoginItemState>
  getUpdate(): Promise<UpdateState>
  /** Looks for a newer version now; the answer says what was found. */
  checkForUpdate(): Promise<UpdateState>
  /** Lets the send in progress finish, then restarts into the version that was fetched. */
  installUpdate(): Promise<void>
  /** Asks this computer for a passkey of WhatsApp; null where none came. */
  confirmPasskey(options: PasskeyOptions): Promise<PasskeyAssertion | null>
}

/** Start of Kurir at the owner's login to the computer. */
export interface LoginItemState {
  enabled: boolean
}

export type UpdateState =
  /** This copy has no place to get updates from. */
  | { state: 'off' }
  | { state: 'current' }
  | { state: 'checking' }
  | { state: 'downloading'; version: string; percent: number }
  /** Fetched; installed when Kurir quits. */
  | { state: 'ready'; version: string }
  | { state: 'failed'; message: string }

/** The calls behind the bridge: the sandboxed preload and the main process use these names. */
export type BridgeCall =
  | 'login-item:get'
  | 'login-item:set'
  | 'update:get'
  | 'update:check'
  | 'update:install'
  | 'passkey:confirm'
