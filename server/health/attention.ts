import { type Concern, isAlarm } from '../contract/concerns.ts'
import type { Attention, AttentionItem, Language } from '../contract/desktop.ts'
import type { Bus } from '../lib/bus.ts'
import { type Clock, MINUTE } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { describeConcern } from '../words/concern-text.ts'
import { WORDS } from '../words/index.ts'

// Changes come in bursts, and a full disk causes no signal: so both soon after a hint and once a
// minute.
const SOON = 500
const EVERY = MINUTE

/** Facts that the desktop's shell shows near the clock. */
interface OwnerView {
  concerns(): Promise<Concern[]>
  language(): Language
  paused(): boolean
}

/** Sends what is worth an alarm, at once and then whenever it changes. Returns the end of it. */
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
  // One after the other, so that the newest picture is sent last.
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

/** The id lasts as long as the concern: the owner is notified once, even if the text changes. */
export function attentionItem(concern: Concern, language: Language, now: number): AttentionItem {
  const { title, advice } = describeConcern(concern, WORDS[language], now)
  return { id: concern.id, title, body: advice, page: concern.page ?? '/' }
}
