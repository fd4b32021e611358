import { expect, onTestFinished, test } from 'vitest'
import type { Attention } from '../../server/contract/desktop.ts'
import type { Health, Overview } from '../../server/contract/operation.ts'
import { MINUTE } from '../../server/lib/clock.ts'
import { describeConcern } from '../../server/words/concern-text.ts'
import { en } from '../../server/words/en/index.ts'
import { startApp } from '../support/app.ts'
import { describeWindow, openWindow, startWindowApp } from '../support/browser.ts'
import { programFile, SPARSE_ENV } from '../support/built.ts'
import { createTestClock } from '../support/clock.ts'
import { openShared } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startHttpServer } from '../support/http-server.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { run } from '../support/run.ts'
import { text } from '../support/texts.ts'

describeWindow('While the database is away', () => {
  test('Home, /health, the tray and the command line say so and nothing else; it is over when the server is back', async () => {
    const server = await startPostgres()
    onTestFinished(server.close)
    const app = await startWindowApp('en', { env: { KURIR_DATABASE_URL: server.url } })
    const items: Attention['items'][] = []
    const send = (attention: Attention) => void items.push(attention.items)
    const stopWatching = app.app.watchAttention(send)
    const page = await openWindow(app, '/')
    const heading = page.getByRole('heading', { level: 1 })
    await heading.filter({ hasText: 'No number is linked yet' }).waitFor()
    await page.getByText(text('home.chartEmpty')).waitFor()
    const overview = async () => (await app.owner<Overview>('/api/overview')).body.data
    const health = () => app.fetch<Health['data']>('/health')
    const status = () =>
      run([process.execPath, programFile('cli'), 'status'], { env: { ...SPARSE_ENV, KURIR_HOME: app.home } })

    await server.stop('immediate')
    // Nobody writes, and the window is told.
    await heading.filter({ hasText: 'The database server does not answer' }).waitFor()
    await page.getByText(text('connection.unread')).waitFor()
    expect(await page.getByText(text('home.chartEmpty')).count()).toBe(0)
    const { concerns, figures } = await overview()
    expect(figures).toBeNull()
    expect(concerns.map(({ code }) => code)).toEqual(['storage_server_away'])
    const [only] = concerns
    const words = describeConcern(only ?? expect.unreachable(), en, Date.now())
    expect(await heading.innerText()).toBe(words.title)
    const { status: answered, body } = await health()
    expect([answered, body.message]).toEqual([503, words.event])
    expect(body.data).toMatchObject({ status: 'not_ready', reasons: [words.event], waiting: null, senders: null })
    expect(body.data.concerns.map(({ code, message }) => [code, message])).toEqual([[only?.code, words.event]])
    await eventually(
      () =>
        items
          .at(-1)
          ?.map(({ id, title }) => `${id} ${title}`)
          .join() === `${only?.id} ${words.title}`,
    )
    const { status: scraped, text: metrics } = await app.owner('/metrics')
    expect([scraped, /^kurir_storage_ready (.*)$/m.exec(metrics)?.[1]]).toEqual([200, '0'])
    const shown = await status()
    expect([shown.code, shown.err]).toEqual([1, ''])
    expect(shown.out).toContain(`Urgent: ${words.title} ${words.advice}`)
    await page.reload()
    await heading.filter({ hasText: words.title }).waitFor()

    await server.start()
    await heading.filter({ hasText: 'No number is linked yet' }).waitFor()
    await page.getByText(text('home.chartEmpty')).waitFor()
    await page.getByText(text('connection.unread')).waitFor({ state: 'detached' })
    expect((await health()).status).toBe(200)
    expect((await overview()).concerns.map(({ code }) => code)).toEqual(['nothing_linked'])
    await eventually(() => items.at(-1)?.length === 0)
    stopWatching()
    expect((await status()).code).toBe(0)
  })
})

test('a node that is stopped while the database is away ends well', async () => {
  const server = await startPostgres()
  onTestFinished(server.close)
  const app = await startApp({ env: { KURIR_DATABASE_URL: server.url } })
  await server.stop('immediate')
  await app.close()
})

test('the node that reports does so by its alarms too', async () => {
  const server = await startPostgres()
  onTestFinished(server.close)
  const titles: string[] = []
  const topic = await startHttpServer(async (req, res) => {
    const [, coded = ''] = /^=\?UTF-8\?B\?(.+)\?=$/.exec(String(req.headers.title)) ?? []
    titles.push(Buffer.from(coded, 'base64').toString())
    res.end()
  })
  onTestFinished(topic.close)
  const clock = createTestClock(new Date(2026, 10, 21, 14).getTime())
  const app = await startApp({ clock, env: { KURIR_DATABASE_URL: server.url } })
  const later = (title: string) =>
    eventually(async () => {
      await clock.advance(MINUTE)
      return titles.at(-1) === title
    })
  const ntfy = { url: `${topic.url}/toko`, token: null }
  await app.owner('/api/alarms', { method: 'PATCH', body: { ntfy, daily_at: '14:05' } })
  await later('Kurir today')
  await server.stop('immediate')
  await later('Kurir needs you: The database server does not answer: Kurir refuses new messages.')
  await server.start()
  await later('Solved: The database server does not answer: Kurir refuses new messages.')
  expect(titles).toHaveLength(3)
})

test('it is noticed where nobody writes, and that it takes writes again as well', async () => {
  const server = await startPostgres()
  onTestFinished(server.close)
  const store = await openShared({ home: temporaryFolder(), databaseUrl: server.url, node: 'a', now: Date.now })
  onTestFinished(store.close)
  const said: (string | null)[] = []
  store.nodes.onProblem((problem) => void said.push(problem))
  await server.stop('immediate')
  await eventually(() => store.problem() === 'no_server')
  await server.start()
  await eventually(() => said.length === 2)
  expect([store.problem(), said]).toEqual([null, ['no_server', null]])
})
