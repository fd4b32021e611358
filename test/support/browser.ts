import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { sessionOpenedAnswer } from '../../server/contract/access.ts'
import { CODE_FRAGMENT } from '../../server/contract/page-token.ts'
import type { Settings } from '../../server/contract/settings.ts'
import { type StartOptions, startApp, type TestApp } from './app.ts'
import { closeAfter } from './cleanup.ts'
import { freePort } from './free-port.ts'
import { BROWSERS, findProgram } from './run.ts'

const QUIET = ['--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update']
// Pages of one site share a process and its compiled code, and drawing happens in one process.
const FEW_PROCESSES = ['--process-per-site', '--in-process-gpu']
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-sync', ...QUIET, ...FEW_PROCESSES]
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const FADED_IN = `Promise.all(document.getAnimations()
  .filter((one) => Number.isFinite(one.effect.getComputedTiming().endTime))
  .map((one) => one.finished.catch(() => undefined))).then(() => undefined)`
// Home polls every 30 s for changes that no event announces; a busy machine takes longer.
const SLOWEST = 120_000

const executablePath = findProgram(BROWSERS)

if (executablePath === undefined) {
  console.warn(`The window is not tested: none of ${BROWSERS.join(', ')} is on the PATH.`)
}

export const PAGES = join(import.meta.dirname, '../../dist/renderer')

/** Like `describe`, but skips tests, with the reason printed, if no browser is installed. */
export const describeWindow = describe.skipIf(executablePath === undefined)

// Shared by all files of this process, which run one after the other. Ends with the process.
let browser: Promise<Browser> | undefined

/**
 * A window that tests reuse one after the other, because a new one costs Chromium two processes and
 * all compiled code.
 */
interface Window {
  locale: string
  page: Page
  context: BrowserContext
  /** Undoes the test's setup of the window. */
  undo: AsyncDisposable[]
}

const free: Window[] = []

/** Removes everything of a test from the window: pages, storage, cookies, listeners, pointer. */
async function empty({ page, context, ...window }: Window): Promise<void> {
  if (page.isClosed()) return context.close()
  page.removeAllListeners()
  for (const one of window.undo.splice(0)) await one[Symbol.asyncDispose]()
  await page.unrouteAll()
  for (const other of context.pages()) if (other !== page) await other.close()
  await page.evaluate('localStorage.clear(); sessionStorage.clear()')
  await page.goto('about:blank')
  await page.mouse.move(-1, -1)
  await page.emulateMedia({ media: null })
  await context.clearCookies()
  free.push({ page, context, ...window })
}

async function newWindow(locale: string): Promise<Window> {
  browser ??= chromium.launch({ executablePath: executablePath ?? '', args: ARGS, timeout: SLOWEST })
  const context = await (await browser).newContext({ locale, permissions: ['clipboard-read', 'clipboard-write'] })
  context.setDefaultTimeout(SLOWEST)
  return { locale, context, page: await context.newPage(), undo: [] }
}

export interface WindowOptions {
  theme?: 'light' | 'dark'
  width?: number
  height?: number
  /** Language of the browser, such as `id-ID`. */
  locale?: string
  /** Runs in the page before its own scripts, as the desktop's preload script would. */
  before?: () => void
}

export const PHONE = { width: 390, height: 844 }

/** Port of one server after the other, because Chromium keeps compiled scripts by address. */
const usualPort = String(await freePort())

async function startAtUsualPort(options: StartOptions): Promise<TestApp> {
  try {
    return await startApp({ ...options, env: { KURIR_PORT: usualPort, ...options.env } })
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE')) throw error
    return startApp(options)
  }
}

/** Starts the real program with the built pages, past the first run. */
export async function startWindowApp(
  language: Settings['language'] = 'en',
  options: StartOptions = {},
): Promise<TestApp> {
  const app = await startAtUsualPort({ ...options, overrides: { ...options.overrides, pages: PAGES } })
  await app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true, language } })
  return app
}

/** Opens a page of the window as the owner. An error that the page throws fails the test. */
export async function openWindow(app: TestApp, path: string, options: WindowOptions = {}): Promise<Page> {
  const { theme = 'light', width = 1366, height = 768, locale = 'en-US', before } = options
  const found = free.findIndex((one) => one.locale === locale)
  const window = found === -1 ? await newWindow(locale) : free.splice(found, 1)[0]
  if (window === undefined) throw new Error('no window')
  // Runs before the server stops, because what was started last is closed first.
  closeAfter('test', () => empty(window))
  const { page, context } = window
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
  await page.setViewportSize({ width, height })
  if (before !== undefined) window.undo.push(await page.addInitScript(before))
  page.on('pageerror', (error) => expect.unreachable(`the page threw: ${error.stack}`))
  window.undo.push(await logIn(context, app))
  await page.goto(app.url + path)
  return page
}

/** Aborts the answer of the next change at a path. `made`: the server still receives the change. */
export async function loseAnswer(page: Page, path: string, { made = false } = {}): Promise<void> {
  let isLost = false
  await page.route(path, async (route) => {
    if (isLost || route.request().method() === 'GET') return route.continue()
    isLost = true
    if (made) await route.fetch()
    await route.abort()
  })
}

/**
 * Logs in as the link does, but without loading its page, which would cost each test half a second.
 */
async function logIn(context: BrowserContext, app: TestApp): Promise<AsyncDisposable> {
  const code = app.app.newWindowLink().url.split(CODE_FRAGMENT)[1]
  const answer = await context.request.post(`${app.url}/api/sessions`, { maxRetries: 3, data: { code } })
  expect(answer.status()).toBe(200)
  const { data } = sessionOpenedAnswer.parse(await answer.json())
  const script = `if (location.origin === '${app.url}') localStorage.setItem('kurir.page-token', '${data.page_token}')`
  return context.addInitScript(script)
}

interface Violation {
  id: string
  nodes: { html: string; failureSummary?: string }[]
}

/** Returns everything that axe finds on the page, as text. */
export async function axeFindings(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE)
  // Wait for animations: elements that still fade in lack their final contrast.
  await page.evaluate(FADED_IN)
  const violations = await page.evaluate<Violation[]>(
    "axe.run({ resultTypes: ['violations'] }).then((result) => result.violations)",
  )
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`,
  )
}

/**
 * Returns the focused element's name as a screen reader would say it; `BODY` if nothing has the
 * focus.
 */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(
    'document.activeElement.getAttribute("aria-label") ?? (document.activeElement === document.body ? "BODY" : document.activeElement.id === "page" ? "PAGE" : document.activeElement.innerText)',
  )
