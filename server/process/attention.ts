import type { Attention, AttentionItem, Language } from '../contract/process-messages.ts'
import type { Concern } from '../health/concerns.ts'
import type { Bus } from '../lib/bus.ts'
import type { Clock } from '../lib/clock.ts'
import { wordsFor } from './words.ts'

// Changes come in bursts, and a full disk tells nobody: so both soon after a hint and once a minute.
const SOON_MS = 500
const EVERY_MS = 60_000

export interface AttentionDeps {
  concerns: () => Concern[]
  language: () => Language
  paused: () => boolean
  bus: Bus
  clock: Clock
  tell: (attention: Attention) => void
}

/** Tells what needs the owner, at once and then whenever it changes. Returns the end of it. */
export function watchAttention({ concerns, language, paused, bus, clock, tell }: AttentionDeps): () => void {
  let told = ''
  let cancelSoon: (() => void) | undefined
  let cancelTick = (): void => {}

  function look(): void {
    const words = language()
    const items = concerns().map((concern) => attentionItem(concern, words))
    const attention: Attention = { type: 'attention', language: words, paused: paused(), items }
    const text = JSON.stringify(attention)
    if (text === told) return
    told = text
    tell(attention)
  }

  function soon(): void {
    cancelSoon ??= clock.after(SOON_MS, () => {
      cancelSoon = undefined
      look()
    })
  }

  function tick(): void {
    look()
    cancelTick = clock.after(EVERY_MS, tick)
  }

  const stops = [bus.on('sender', soon), bus.on('webhook', soon), bus.on('settings', soon)]
  tick()
  return () => {
    for (const stop of stops) stop()
    cancelSoon?.()
    cancelTick()
  }
}

/** The id lasts as long as the matter: it is told once, even if its words change. */
function attentionItem(concern: Concern, language: Language): AttentionItem {
  const words = wordsFor(language)
  switch (concern.kind) {
    case 'sender': {
      const { code, problem, name } = concern
      return { id: `sender/${code}/${problem}`, page: `/senders?open=${code}`, ...words.sender[problem](name) }
    }
    case 'webhook': {
      const { id, problem, host, count } = concern
      const page = problem === 'dead' ? '/webhooks?state=dead' : '/webhooks'
      return { id: `webhook/${id}/${problem}`, page, ...words.webhook[problem](host, count) }
    }
    case 'disk':
      return { id: `disk/${concern.problem}`, page: '/', ...words.disk[concern.problem]() }
  }
}
