import { subscribe } from 'node:diagnostics_channel'
import { setTimeout } from 'node:timers/promises'
import { createTestClock } from '../support/clock.ts'

// The addresses of both modules, as built or the source, and what time it is.
const [appModule = '', configModule = '', start = '0'] = process.argv.slice(2)
const { createApp }: typeof import('../../server/composition/app.ts') = await import(appModule)
const { readConfig }: typeof import('../../server/settings/config.ts') = await import(configModule)

const MINUTE = 60_000
/** Shorter than any time-out. */
const STEP = 2_000
/** Of no other timer's length, and as long as the program's own. */
const TIMEOUTS = { ack: 20_001, query: 15_001, connection: 20_002 }
const ANSWERS: ReadonlySet<number> = new Set(Object.values(TIMEOUTS))
/** Real time, on a computer that is busy with other things. */
const LONGEST_ANSWER = 60_000
/** Real time for what is on its way, in each minute of the clock. */
const PAUSE = 2

const clock = createTestClock(Number(start))
const { config } = readConfig(process.env)
/** Calls, and whatever WhatsApp was told, that wait for their answer: it takes no time of this clock. */
const underWay = new Set<unknown>()

function after(ms: number, fn: () => void): () => void {
  const cancel = clock.after(ms, fn)
  if (!ANSWERS.has(ms)) return cancel
  underWay.add(cancel)
  return () => {
    underWay.delete(cancel)
    cancel()
  }
}

const app = await createApp(config, {
  clock: { ...clock, after },
  random: () => 0.5,
  linked: { timeouts: TIMEOUTS },
})
await app.start()

const requestOf = (message: unknown) => (message as { request: unknown }).request
subscribe('undici:request:create', (message) => void underWay.add(requestOf(message)))
for (const end of ['undici:request:trailers', 'undici:request:error'])
  subscribe(end, (message) => void underWay.delete(requestOf(message)))

async function allAnswered(): Promise<void> {
  const began = performance.now()
  while (underWay.size > 0) {
    if (performance.now() - began > LONGEST_ANSWER) throw new Error('an answer never came')
    await setTimeout(1)
  }
}

async function advance(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= STEP) {
    await allAnswered()
    await clock.advance(Math.min(left, STEP))
    await allAnswered()
    if (left % MINUTE < STEP) await setTimeout(PAUSE)
  }
}

process.on('message', (ms: number) => {
  void advance(ms).then(() => process.send?.('advanced'))
})
process.on('SIGTERM', () => {
  const closed = app.close().then(() => process.exit(0))
  // What it waits for at its end goes by the same clock.
  const tick = async (): Promise<void> => {
    await advance(STEP)
    await setTimeout(PAUSE)
    return tick()
  }
  void Promise.race([closed, tick()])
})
process.send?.({ url: app.apiUrl(), webhookUrl: app.webhookUrl() })
