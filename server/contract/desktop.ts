import { z } from 'zod'
import type { PasskeyAssertion, PasskeyOptions } from './linking.ts'
import { language } from './settings.ts'

/**
 * Messages between Electron's main process and the server process. A headless server has no main
 * process and exchanges none of them.
 */

/** A page of the window, as a path on the server's own address. */
const page = z.string().regex(/^\/(?!\/)/)

export const toServer = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('init'),
    /** Key of 32 bytes that encrypts the secrets in the database. */
    vaultKeyHex: z.string().regex(/^[0-9a-f]{64}$/),
    ownerToken: z.string().min(1),
    /** The data folder. */
    home: z.string().min(1),
  }),
  /** The computer is about to sleep: start no further send. */
  z.object({ type: z.literal('suspend') }),
  /** The computer woke up: sockets may be dead without a report, and messages became due. */
  z.object({ type: z.literal('resume') }),
  /** The owner paused or resumed all senders from the tray. */
  z.object({ type: z.literal('pause-all') }),
  z.object({ type: z.literal('resume-all') }),
  /** An update was downloaded, to be installed when Kurir quits. Sent to each server process. */
  z.object({ type: z.literal('update-ready'), version: z.string().min(1) }),
  /** Finish the send in progress, close everything, answer `stopped`. */
  z.object({ type: z.literal('stop') }),
])

/** A concern as the tray shows it. The owner is notified once while its id stays in the list. */
const attentionItem = z.object({ id: z.string().min(1), title: z.string(), body: z.string(), page })

export const fromServer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), url: z.url({ protocol: /^http$/ }) }),
  /** The server restarts within its process, for example after a restore. `ready` follows. */
  z.object({ type: z.literal('restarting') }),
  /** The server cannot start, and a retry would not help (port taken). Its process then ends. */
  z.object({ type: z.literal('failed'), message: z.string() }),
  /** The complete state, sent whenever a part of it changes. `items` are in `language`. */
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
  /** Looks for a newer version now. Resolves with what was found. */
  checkForUpdate(): Promise<UpdateState>
  /** Lets the send in progress finish, then restarts into the downloaded version. */
  installUpdate(): Promise<void>
  /** Asks this computer for a passkey of WhatsApp. Resolves with null if none was given. */
  confirmPasskey(options: PasskeyOptions): Promise<PasskeyAssertion | null>
}

/** Setting that starts Kurir when the owner logs in to the computer. */
export interface LoginItemState {
  enabled: boolean
}

export type UpdateState =
  /** This installation has no source of updates. */
  | { state: 'off' }
  | { state: 'current' }
  | { state: 'checking' }
  | { state: 'downloading'; version: string; percent: number }
  /** Downloaded; installed when Kurir quits. */
  | { state: 'ready'; version: string }
  | { state: 'failed'; message: string }

/** IPC channels of the bridge, between the sandboxed preload and the main process. */
export type BridgeCall =
  | 'login-item:get'
  | 'login-item:set'
  | 'update:get'
  | 'update:check'
  | 'update:install'
  | 'passkey:confirm'
