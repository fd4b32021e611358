import { subscribe } from 'node:diagnostics_channel'
import { setTimeout } from 'node:timers/promises'
import { createTestClock } from '../support/clock.ts'

// The addresses of both modules, as built or the source, and what time it is.
const [appModule = '', configModule = '', start = '0'] = process.argv.slice(2)
const { createApp }: typeof import('../../server/app.ts') = await import(appModule)
const { readConfig }: typeof import('../../server/config.ts') = await import(configModule)

const MINUTE = 60_000
/** Shorter than any time-out. */
const STEP = 2_000
const MOST_LOOKS = 300
/** Real time for what is on its way, in each minute of the clock. */
const PAUSE = 2

const clock = createTestClock(Number(start))
const { config } = readConfig(process.env)
const app = await createApp(config, { clock, random: () => 0.5 })
await app.start()

/** Calls that wait for their answer, which takes no time of this clock. */
const underWay = new Set<unknown>()
const requestOf = (message: unknown) => (message as { request: unknown }).request
subscribe('undici:request:create', (message) => void underWay.add(requestOf(message)))
for (const end of ['undici:request:trailers', 'undici:request:error'])
  subscribe(end, (message) => void underWay.delete(requestOf(message)))

async function advance(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= STEP) {
    await clock.advance(Math.min(left, STEP))
    for (let looks = 0; underWay.size > 0 && looks < MOST_LOOKS; looks += 1) await setTimeout(1)
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
    await clock.advance(1_000)
    await setTimeout(PAUSE)
    return tick()
  }
  void Promise.race([closed, tick()])
})
process.send?.({ url: app.apiUrl(), webhookUrl: app.webhookUrl() })
