import { chromium, type Page } from 'playwright-core'
import { BROWSERS, findProgram } from '../test/support/run.ts'
import { start, temporaryFolder } from './support/processes.ts'
import { median, ratio, table } from './support/table.ts'

const ROUNDS = 5
const FRAMES = 200
const LONG_MS = 50
/** Pixels per frame: a wheel, a hasty hand, a scroll bar thrown. */
const SPEEDS = [120, 400, 1_500]
const ROWS = 10_000
const ROW_PX = 38
const SCROLLER = '[class*=scroller]'

interface Frames {
  /** Times between frames, in milliseconds. */
  ms: number[]
  /** Main-thread work per frame, in milliseconds. */
  workMs: number
}

/**
 * Measures scrolling the log of 10,000 messages in a window of 1366 × 768, relative to a bare page
 * that writes each frame's rows as HTML. Counts long frames, because they are what an eye notices.
 */
export async function benchScroll(): Promise<string> {
  const executablePath = findProgram(BROWSERS)
  if (executablePath === undefined) return `Not measured: none of ${BROWSERS.join(', ')} is on the PATH.`
  const folder = temporaryFolder()
  const kurir = await start<{ window: string }>('kurir-scrolled.ts', [folder.path])
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking']
  const browser = await chromium.launch({ executablePath, args })
  const context = await browser.newContext({ viewport: { width: 1366, height: 768 }, locale: 'en-US' })
  const window = await context.newPage()
  await window.goto(kurir.ready.window)
  await window.getByRole('navigation').getByRole('link', { name: 'Messages' }).click()
  await window.locator(`${SCROLLER} tbody tr`).first().waitFor()
  await window.evaluate(TO_THE_END)
  const bare = await context.newPage()
  await bare.setContent('<div class="scroller" style="height: 600px; overflow-y: auto"><table></table></div>')
  await bare.evaluate(DRAW_BARE_ROWS)

  const rows: string[][] = []
  for (const px of SPEEDS) {
    const ratios: number[] = []
    const long = { window: 0, bare: 0 }
    for (let round = 0; round < ROUNDS; round += 1) {
      const baseline = await scroll(bare, px)
      const measured = await scroll(window, px)
      ratios.push(measured.workMs / baseline.workMs)
      long.window += countLong(measured)
      long.bare += countLong(baseline)
      if (process.env.BENCH_VERBOSE) console.error({ px, ...measured, ms: Math.max(...measured.ms) })
    }
    const all = ROUNDS * FRAMES
    rows.push([`${px} px a frame`, ratio(median(ratios)), `${long.window} of ${all}`, `${long.bare} of ${all}`])
  }
  await browser.close()
  await kurir.stop()
  folder.remove()
  return table(['scrolling', 'work a frame, ratio', `frames above ${LONG_MS} ms`, 'of the bare page'], rows)
}

// Frames come in steps of 16.7 ms; three steps are just within the limit.
const countLong = ({ ms }: Frames) => ms.filter((one) => one > LONG_MS + 1).length

async function scroll(page: Page, px: number): Promise<Frames> {
  await page.bringToFront()
  await page.evaluate(`document.querySelector('${SCROLLER}').scrollTo({ top: 0 })`)
  const client = await page.context().newCDPSession(page)
  await client.send('Performance.enable')
  const workedFor = async () => {
    const { metrics } = await client.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
  }
  const before = await workedFor()
  const ms = await page.evaluate<number[]>(framesAt(px))
  const workMs = ((await workedFor()) - before) * (1_000 / FRAMES)
  await client.detach()
  return { ms, workMs }
}

/** Scrolls by `px` each frame. Resolves with the times between frames. */
const framesAt = (px: number) => `new Promise((resolve) => {
  const ms = []
  let last
  const next = (now) => {
    if (last !== undefined) ms.push(now - last)
    last = now
    if (ms.length === ${FRAMES}) return resolve(ms)
    document.querySelector('${SCROLLER}').scrollBy(0, ${px})
    requestAnimationFrame(next)
  }
  requestAnimationFrame(next)
})`

/** Loads every page of the list. */
const TO_THE_END = `(async () => {
  const scroller = document.querySelector('${SCROLLER}')
  while (scroller.querySelector('[role=status]') !== null) {
    scroller.scrollTo({ top: scroller.scrollHeight })
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
})()`

/** Draws the visible rows without a library. */
const DRAW_BARE_ROWS = `
  const scroller = document.querySelector('${SCROLLER}')
  const list = document.querySelector('table')
  list.style.cssText = 'display: block; box-sizing: border-box; height: ${ROWS * ROW_PX}px'
  const draw = () => {
    const first = Math.max(0, Math.floor(scroller.scrollTop / ${ROW_PX}) - 4)
    list.style.paddingTop = first * ${ROW_PX} + 'px'
    const texts = (n) => ['Read', '12:00', '+62 812-3456-7890', 'Invoice INV-' + n + ' is ready, thank you', 'INV-' + n, 'Shop']
    const row = (n) => '<tr style="height: ${ROW_PX}px">' + texts(n).map((text) => '<td>' + text + '</td>').join('') + '</tr>'
    list.innerHTML = Array.from({ length: 24 }, (_, i) => row(first + i)).join('')
  }
  scroller.addEventListener('scroll', draw)
  draw()`

if (import.meta.main) console.log(await benchScroll())
