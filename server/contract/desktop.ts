import { z } from 'zod'
import type { PasskeyAssertion, PasskeyOptions } from './linking.ts'
import { language } from './settings.ts'

/**
 * Messages between the desktop's main process and the server's process. Headless there is no main
 * process and none of this is spoken.
 */

/** A page of the window, as a path on the server's own address. */
const page = z.string().regex(/^\/(?!\/)/)

export const toServer = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('init'),
    /** 32 bytes that seal the secrets in the database. */
    vaultKeyHex: z.string().regex(/^[0-9a-f]{64}$/),
    ownerToken: z.string().min(1),
    /** The data folder. */
    home: z.string().min(1),
  }),
  /** The computer goes to sleep: take nothing new out of the lanes. */
  z.object({ type: z.literal('suspend') }),
  /** It woke up: sockets are dead without knowing it, and messages fell due meanwhile. */
  z.object({ type: z.literal('resume') }),
  /** The owner's wish from the tray, for all senders. */
  z.object({ type: z.literal('pause-all') }),
  z.object({ type: z.literal('resume-all') }),
  /** An update was downloaded, to be installed when Kurir quits. Sent to each server process. */
  z.object({ type: z.literal('update-ready'), version: z.string().min(1) }),
  /** Finish the send in progress, close everything, answer `stopped`. */
  z.object({ type: z.literal('stop') }),
])

/** A concern of the owner. The owner is notified once, for as long as its id stays in the list. */
const attentionItem = z.object({ id: z.string().min(1), title: z.string(), body: z.string(), page })

export const fromServer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), url: z.url({ protocol: /^http$/ }) }),
  /** It starts again in the same process, after a restore for one; `ready` follows. */
  z.object({ type: z.literal('restarting') }),
  /** It cannot start, and trying again would not help (port taken). The process then ends. */
  z.object({ type: z.literal('failed'), message: z.string() }),
  /** The whole picture, whenever a part of it changes. `items` are in `language`. */
  z.object({
    type: z.literal('attention'),
    language,
    paused: z.boolean(),
    items: z.array(attentionItem),
  }),
  z.object({ type: z.literal('stopped') }),
])

export type ToServer = z.infer<typeof toServer>
export type FromServer = z.infer<typeof fromServer>
export type AttentionItem = z.infer<typeof attentionItem>
export type Attention = Extract<FromServer, { type: 'attention' }>
export type Language = Attention['language']

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
