import type { Attention, AttentionItem, Language } from '../contract/process-messages.ts'
import type { Concern } from '../health/concerns.ts'
import type { Bus } from '../lib/bus.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { MINUTE } from '../lib/time.ts'
import { wordsFor } from './words.ts'

// Changes come in bursts, and a full disk causes no signal: so both soon after a hint and once a minute.
const SOON = 500
const EVERY = MINUTE

export interface AttentionDeps {
  concerns: () => Promise<Concern[]>
  language: () => Language
  paused: () => boolean
  bus: Bus
  clock: Clock
  logger: Logger
  send: (attention: Attention) => void
}

/** Sends what needs the owner, at once and then whenever it changes. Returns the end of it. */
export function watchAttention(deps: AttentionDeps): () => void {
  const { concerns, language, paused, bus, clock, logger, send } = deps
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
    const items = found.map((concern) => attentionItem(concern, chosen))
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

  const stops = [bus.on('sender', soon), bus.on('webhook', soon), bus.on('settings', soon)]
  tick()
  return () => {
    stopped = true
    for (const stop of stops) stop()
    cancelSoon?.()
    cancelTick()
  }
}

/** The id lasts as long as the concern: the owner is notified once, even if the text changes. */
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
