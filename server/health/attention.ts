import { type Concern, isAlarm } from '../contract/concerns.ts'
import type { Attention, AttentionItem, Language } from '../contract/desktop.ts'
import type { Bus } from '../lib/bus.ts'
import { type Clock, MINUTE } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { describeConcern } from '../words/concern-text.ts'
import { WORDS } from '../words/index.ts'

// Look soon after a signal, because changes come in bursts, and once a minute, because a full disk
// causes no signal.
const SOON = 500
const EVERY = MINUTE

/** Facts that the desktop shell shows in its tray icon and notices. */
interface OwnerView {
  concerns(): Promise<Concern[]>
  language(): Language
  paused(): boolean
}

/** Sends the alarms at once, and again after each change. Returns a function that ends this. */
export function watchAttention(
  { concerns, language, paused }: OwnerView,
  bus: Bus,
  clock: Clock,
  logger: Logger,
  send: (attention: Attention) => void,
): () => void {
  let sent = ''
  let stopped = false
  let cancelSoon: (() => void) | undefined
  let cancelTick = (): void => {}
  // Looks run one by one, so that the newest result is sent last.
  let work = Promise.resolve()

  async function look(): Promise<void> {
    if (stopped) return
    const found = await concerns()
    const chosen = language()
    const items = found.filter(isAlarm).map((concern) => attentionItem(concern, chosen, clock.now()))
    const attention: Attention = { type: 'attention', language: chosen, paused: paused(), items }
    const text = JSON.stringify(attention)
    if (stopped || text === sent) return
    sent = text
    send(attention)
  }

  function enqueue(): void {
    work = work.then(look).catch((error: unknown) => {
      if (!stopped) logger.warn({ err: error }, 'what needs the owner could not be read')
    })
  }

  function soon(): void {
    cancelSoon ??= clock.after(SOON, () => {
      cancelSoon = undefined
      enqueue()
    })
  }

  function tick(): void {
    enqueue()
    cancelTick = clock.after(EVERY, tick)
  }

  const stops = (['sender', 'webhook', 'settings', 'storage'] as const).map((name) => bus.on(name, soon))
  tick()
  return () => {
    stopped = true
    for (const stop of stops) stop()
    cancelSoon?.()
    cancelTick()
  }
}

/**
 * Builds the item for a concern. The item keeps the concern's id, so that the owner is notified
 * once even if the text changes.
 */
export function attentionItem(concern: Concern, language: Language, now: number): AttentionItem {
  const { title, advice } = describeConcern(concern, WORDS[language], now)
  return { id: concern.id, title, body: advice, page: concern.page ?? '/' }
}
