import { expect, onTestFinished } from 'vitest'
import type { SenderView } from '../../server/contract/senders.ts'
import { type Answer, type StartOptions, startApp, type TestApp } from './app.ts'
import { eventually } from './eventually.ts'
import { type Callbacks, callbacks } from './graph-peer/callbacks.ts'
import { type GraphPeer, startGraphPeer } from './graph-peer/graph-peer.ts'
import { textTemplate } from './graph-peer/templates.ts'

export const APP_SECRET = 'app-secret-of-the-shop'
export const VERIFY_TOKEN = 'verify-token-of-the-shop'
export const NUMBER_ID = '106540352242922'
export const WABA_ID = '102290129340398'

/** An official sender as an owner enters it, with the token that the peer accepts. */
export const SENDER = {
  kind: 'official',
  name: 'Toko',
  phone_number_id: NUMBER_ID,
  waba_id: WABA_ID,
  access_token: 'EAAPeerToken0123456789abcdefghij',
  app_secret: APP_SECRET,
  verify_token: VERIFY_TOKEN,
}

export interface OfficialTest {
  peer: GraphPeer
  app: TestApp
  code: string
  /** Sends Meta's callbacks for that sender. */
  meta: Callbacks
}

type Sent = Answer<{ id: string; success: boolean; messageId: string; data: Record<string, unknown> }>

/** Adds an official sender and waits for its first check. */
export async function addOfficial(app: TestApp, fields: Record<string, unknown> = {}): Promise<string> {
  const answer = await app.owner<SenderView>('/api/senders', {
    body: {
      ...SENDER,
      ...fields,
    },
  })
  expect(answer.status, answer.text).toBe(200)
  const code = answer.body.data.sender_code
  await checked(app, code)
  return code
}

/** Resolves when the check after saving the sender is stored. */
export async function checked(app: TestApp, code: string): Promise<void> {
  const { store, bus } = app.app
  const id = store.senders.byCode(code)?.id ?? 0
  for (;;) {
    const change = Promise.withResolvers<void>()
    const stop = bus.on('sender', () => change.resolve())
    const { checkedAt } = await store.officialFacts.get(id)
    if (checkedAt === null) await change.promise
    stop()
    if (checkedAt !== null) return
  }
}

/** Starts a Meta whose account has the template that `sendTemplate` uses. */
export async function startShopPeer(): Promise<GraphPeer> {
  const peer = await startGraphPeer()
  peer.state.templates.push(textTemplate('invoice'))
  return peer
}

/** Starts Kurir with an official sender and its own Meta. */
export async function startOfficial(options: StartOptions & { prepare?: (peer: GraphPeer) => void } = {}) {
  const peer = await startShopPeer()
  onTestFinished(peer.close)
  options.prepare?.(peer)
  const env = { KURIR_GRAPH_URL: peer.url, ...options.env }
  const app = await startApp({ ...options, env })
  const code = await addOfficial(app)
  const meta = callbacks({ to: app.app.webhookUrl(), appSecret: APP_SECRET })
  return { peer, app, code, meta } satisfies OfficialTest
}

export const sendTemplate = (app: TestApp, body: object = {}, headers: Record<string, string> = {}): Promise<Sent> =>
  app.owner('/waba/send-template', {
    body: { phone: '6281234567890', template_name: 'invoice', ...body },
    headers,
  })

/** Resolves when every callback of Meta has been applied. */
export const applied = (app: TestApp): Promise<void> =>
  eventually(async () => (await app.app.store.inbox.waiting(1)).length === 0)

/** Resolves when the sender has this state and, if given, this reason. */
export const inState = (
  app: TestApp,
  code: string,
  state: SenderView['state'],
  reason?: SenderView['reason'],
): Promise<void> =>
  new Promise((resolve) => {
    const there = () => {
      const row = app.app.store.senders.byCode(code)
      return row?.state === state && (reason === undefined || row.reason === reason)
    }
    if (there()) return resolve()
    const stop = app.app.bus.on('sender', () => {
      if (!there()) return
      stop()
      resolve()
    })
  })
