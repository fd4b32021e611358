import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Concern } from '../../server/contract/concerns.ts'
import type { Figures } from '../../server/contract/operation.ts'
import { createLogger } from '../../server/lib/logger.ts'
import { createVault } from '../../server/lib/vault.ts'
import { type AlarmContext, createAlarms } from '../../server/slices/alarms/alarms.ts'
import type { AlarmChannels } from '../../server/slices/alarms/channels.ts'
import type { AlarmFailure, AlarmsView } from '../../server/slices/alarms/contract.ts'
import type { AlarmText } from '../../server/slices/alarms/text.ts'
import type { MetaName } from '../../server/store/index.ts'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { startFlood } from '../support/flood.ts'
import { startHttpServer } from '../support/http-server.ts'
import { startSmtpPeer } from '../support/smtp-peer.ts'

const MINUTE = 60_000
const EMAIL = { security: 'none', user: null, password: null, from: 'kurir@toko.example', to: 'ibu@toko.example' }

/** A server that keeps what is posted to it, and answers with `status`. */
async function startTopic() {
  const posts: { url: string; headers: Record<string, unknown>; body: string }[] = []
  const reply = { status: 200, body: 'ok' }
  const server = await startHttpServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    posts.push({ url: req.url ?? '', headers: req.headers, body: Buffer.concat(chunks).toString() })
    res.writeHead(reply.status).end(reply.body)
  })
  onTestFinished(server.close)
  return { ...server, posts, reply }
}

const save = (app: TestApp, body: Record<string, unknown>) =>
  app.owner<AlarmsView>('/api/alarms', { method: 'PATCH', body })
const tryWhole = async (app: TestApp, kind: string) =>
  (await app.owner<AlarmFailure>('/api/alarms/test', { body: { kind } })).body.data
const tryOut = async (app: TestApp, kind: string): Promise<string | null> => (await tryWhole(app, kind)).error

describe('every road takes a test', () => {
  test('mail, with a login, to the address that was checked', async () => {
    const peer = await startSmtpPeer({ login: { user: 'kurir', password: 'hunter2' } })
    const app = await startApp()
    const email = { ...EMAIL, host: '127.0.0.1', port: peer.port, user: 'kurir', password: 'hunter2' }
    const saved = await save(app, { email })
    expect(saved.body.data.email).toEqual({ ...email, password: undefined, password_set: true })
    expect(await tryOut(app, 'email')).toBeNull()
    expect(peer.mails).toMatchObject([{ from: EMAIL.from, to: [EMAIL.to] }])
    expect(peer.mails[0]?.data).toContain('Subject: Kurir: this is a test')
    // The password stays where it is not entered again, and the answer of the server is not repeated with it.
    await save(app, { email: { ...email, password: undefined, to: 'kasir@toko.example' } })
    expect(await tryOut(app, 'email')).toBeNull()
    await save(app, { email: { ...email, password: 'wrong-secret' } })
    const refused = await tryWhole(app, 'email')
    expect(refused).toMatchObject({ error_code: 'login_refused', status: null, said: expect.stringContaining('535') })
    expect(refused.error).toContain('535')
    expect(JSON.stringify(refused)).not.toContain('wrong-secret')
  })

  test('mail to the next address of a name where the first one takes no connection', async () => {
    const peer = await startSmtpPeer()
    const app = await startApp({ overrides: { resolve: async () => ['127.0.0.2', '127.0.0.1'] } })
    await save(app, { email: { ...EMAIL, host: 'mail.toko.example', port: peer.port } })
    expect(await tryOut(app, 'email')).toBeNull()
    expect(peer.mails).toHaveLength(1)
  })

  test('a mail server that sends empty lines without an end is left', async () => {
    const { port } = await startFlood('220 peer.test ESMTP\r\n', '\r\n')
    const app = await startApp()
    await save(app, { email: { ...EMAIL, host: '127.0.0.1', port } })
    expect(await tryOut(app, 'email')).toContain('more than 65536 bytes')
  })

  test('a mail server that answers ever so slowly is left after two minutes', async () => {
    const peer = await startSmtpPeer({ drips: true })
    const clock = createTestClock()
    const app = await startApp({ clock })
    await save(app, { email: { ...EMAIL, host: '127.0.0.1', port: peer.port } })
    const answer = tryWhole(app, 'email')
    await peer.connected
    await clock.advance(2 * MINUTE)
    expect(await answer).toMatchObject({
      error: expect.stringContaining('no answer within 120 seconds'),
      ...{ error_code: 'timeout', said: null },
    })
  })

  test('a server that cannot encrypt gets no password', async () => {
    const peer = await startSmtpPeer({ login: { user: 'kurir', password: 'hunter2' } })
    const app = await startApp()
    const email = { ...EMAIL, host: '127.0.0.1', port: peer.port, user: 'kurir', password: 'hunter2' }
    await save(app, { email: { ...email, security: 'starttls' } })
    expect(await tryOut(app, 'email')).not.toBeNull()
    expect(peer.mails).toEqual([])
  })

  test('Telegram and ntfy, in their own form', async () => {
    const topic = await startTopic()
    const app = await startApp()
    await app.owner('/api/settings', { method: 'PATCH', body: { language: 'id' } })
    await save(app, {
      telegram: { token: '7:secret', chat_id: '42', api_url: topic.url },
      ntfy: { url: `${topic.url}/toko`, token: 'tk_1' },
    })
    expect(await tryOut(app, 'telegram')).toBeNull()
    expect(await tryOut(app, 'ntfy')).toBeNull()
    const [telegram, ntfy] = topic.posts
    expect(telegram?.url).toBe('/bot7:secret/sendMessage')
    expect(JSON.parse(telegram?.body ?? '')).toMatchObject({
      chat_id: '42',
      text: expect.stringMatching(/percobaan.*\n\nDari PC .+\.$/s),
    })
    expect(ntfy).toMatchObject({ url: '/toko', headers: { authorization: 'Bearer tk_1' } })
    const title = /^=\?UTF-8\?B\?(.+)\?=$/.exec(String(ntfy?.headers.title))?.[1] ?? ''
    expect(Buffer.from(title, 'base64').toString()).toBe('Kurir: ini percobaan')
    topic.reply.status = 401
    topic.reply.body = 'bot7:secret is unknown'
    expect(await tryWhole(app, 'telegram')).toEqual({
      error: 'answered HTTP 401: bot… is unknown',
      ...{ error_code: 'answered', status: 401, said: 'bot… is unknown' },
    })
  })

  test('WhatsApp through a sender that works; not through one that does not', async () => {
    const app = await startApp()
    const phone = '6281234567890'
    const stranger = await save(app, { whatsapp: { sender_code: 'SND-NONE', phone } })
    expect(stranger.body.error.details?.[0]?.field).toBe('whatsapp.sender_code')
    await save(app, { whatsapp: { sender_code: SANDBOX, phone } })
    expect(await tryOut(app, 'whatsapp')).toBeNull()
    const { body } = await app.owner<{ id: string; message: string }[]>(`/messages?recipient=${phone}`)
    expect(body.data[0]?.message).toContain('this is a test')
    await app.owner(`/api/senders/${SANDBOX}/pause`, { method: 'POST' })
    expect(await tryWhole(app, 'whatsapp')).toMatchObject({
      error: 'Sandbox is not connected',
      error_code: 'sender_not_connected',
    })
    expect((await app.owner<unknown[]>(`/messages?recipient=${phone}`)).body.data).toHaveLength(1)
  })

  test('one that is off, a wrong address, and Kurir itself are refused with words', async () => {
    const app = await startApp()
    expect(await tryOut(app, 'ntfy')).toContain('switched off')
    expect((await save(app, { ntfy: { url: 'ftp://x', token: null } })).status).toBe(400)
    expect((await save(app, { email: { ...EMAIL, host: 'a\r\nb', port: 25 } })).status).toBe(400)
    await save(app, { ntfy: { url: `${app.url}/send`, token: null } })
    expect(await tryWhole(app, 'ntfy')).toMatchObject({
      error: expect.stringContaining('Kurir itself'),
      error_code: 'address_not_allowed',
    })
    const { port } = new URL(app.url)
    await save(app, { email: { ...EMAIL, host: '127.0.0.1', port: Number(port) } })
    expect(await tryOut(app, 'email')).toContain('Kurir itself')
  })
})

test('secrets are nowhere in the data folder in readable form, never shown, and go to no other server', async () => {
  const topic = await startTopic()
  const other = await startTopic()
  const app = await startApp()
  await save(app, { ntfy: { url: `${topic.url}/toko`, token: 'tk_very_secret' } })
  await save(app, { telegram: { token: 'bot_very_secret', chat_id: '1', api_url: topic.url } })
  const answer = await app.owner('/api/alarms')
  expect(answer.text).not.toContain('very_secret')
  for (const name of readdirSync(app.home)) {
    if (!name.includes('.db')) continue
    expect(readFileSync(join(app.home, name)).includes('very_secret'), name).toBe(false)
  }
  await save(app, { ntfy: { url: `${other.url}/toko` } })
  await tryOut(app, 'ntfy')
  expect(other.posts[0]?.headers.authorization).toBeUndefined()
  const moved = await save(app, { telegram: { chat_id: '1', api_url: other.url } })
  expect([moved.status, moved.body.error.details]).toMatchObject([400, [{ field: 'telegram.token', code: 'required' }]])
  expect(app.logs()).not.toContain('very_secret')
})

describe('what is reported, and when', () => {
  const FIGURES: Figures = {
    today: { accepted: 220, sent: 214, failed: 3, waiting: 2 },
    ...{ days: [], callbacks: { pending: 0, dead: 0 }, database_bytes: 4096 },
  }
  const concern = (fields: Partial<Concern> = {}): Concern => ({
    ...{ id: 'logged_out SND-1', code: 'logged_out', weight: 'urgent', sender_code: 'SND-1', sender_name: 'Bekasi' },
    ...{
      webhook_id: null,
      host: null,
      program: null,
      waiting: 38,
      failed: 0,
      count: null,
      reasons: [],
      since: null,
      until: null,
    },
    ...{ detail: null, action: 'link_again', page: '/senders?open=SND-1' },
    ...fields,
  })

  /** Alarms over a clock to move; the roads keep what they got. */
  async function start(kept = new Map<MetaName, string>()) {
    // 14.00 of this PC's day.
    const clock = createTestClock(new Date(2026, 10, 21, 14).getTime())
    const sent: AlarmText[] = []
    const world = {
      concerns: [] as Concern[],
      refused: false,
      mayTell: true,
      hangs: false,
      isRead: true,
      sentToday: FIGURES.today.sent,
      days: FIGURES.days,
      seq: undefined as number | undefined,
      lost: [] as number[],
    }
    const channels: AlarmChannels = {
      send: async (_kind, _settings, text, signal) => {
        if (world.hangs) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        if (world.refused) throw new Error('nothing listens there')
        sent.push(text)
        return world.seq
      },
      isSender: () => true,
      hasFailed: async (seq) => world.lost.includes(seq),
    }
    const context: AlarmContext = {
      readOverview: async () => ({
        figures: world.isRead
          ? { ...FIGURES, today: { ...FIGURES.today, sent: world.sentToday }, days: world.days }
          : null,
        concerns: world.concerns,
      }),
      language: () => 'en',
      mayTell: async () => world.mayTell,
      vault: createVault(Buffer.alloc(32, 7)),
      meta: {
        get: (name) => kept.get(name),
        save: async (name, value) => void kept.set(name, value),
        keep: async (_, value) => value,
      },
      clock,
      logger: createLogger('silent'),
    }
    const make = () => createAlarms(context, channels, 'KASIR-1')
    const alarms = make()
    onTestFinished(alarms.stop)
    return { alarms, clock, sent, world, again: make, kept }
  }

  const NTFY = { ntfy: { url: 'https://ntfy.example/toko', token: null } }

  test('nothing runs while no road is set', async () => {
    const { clock, sent, world } = await start()
    world.concerns = [concern()]
    await clock.advance(60 * MINUTE)
    expect(sent).toEqual([])
  })

  test('a concern is reported once, after five minutes, and when it is over', async () => {
    const { alarms, clock, sent, world } = await start()
    await alarms.update(NTFY)
    await clock.advance(MINUTE)
    world.concerns = [concern(), concern({ id: 'paused', code: 'paused', weight: 'choice' })]
    await clock.advance(5 * MINUTE)
    expect(sent).toEqual([])
    await clock.advance(MINUTE)
    expect(sent).toHaveLength(1)
    expect(sent[0]?.title).toBe('Kurir needs you: Bekasi was unlinked on the phone.')
    expect(sent[0]?.body).toContain('38 messages')
    await clock.advance(60 * MINUTE)
    expect(sent).toHaveLength(1)
    world.concerns = []
    await clock.advance(20 * MINUTE)
    expect(sent).toHaveLength(1)
    await clock.advance(MINUTE)
    expect(sent[1]).toEqual({
      title: 'Solved: Bekasi was unlinked on the phone.',
      body: 'Solved: Bekasi was unlinked on the phone.\n\nFrom the PC KASIR-1.',
    })
  })

  test('many concerns are as many as Telegram and ntfy take in one message', async () => {
    const { alarms, clock, sent, world } = await start()
    await alarms.update({ ...NTFY, daily_at: '14:30' })
    world.concerns = Array.from({ length: 100 }, (_, n) =>
      concern({ id: `logged_out/SND-${n}`, sender_name: `店${n}` }),
    )
    await clock.advance(40 * MINUTE)
    expect(sent.map(({ title }) => title)).toEqual([expect.stringContaining('店0'), 'Kurir today'])
    for (const { title, body } of sent) {
      expect(Buffer.byteLength(`${title}\n\n${body}`)).toBeLessThan(4096)
      expect(body).toMatch(/[^\ufffd]…\n\nFrom the PC KASIR-1\.$/)
    }
  })

  test('nothing is called solved that has only changed, or is gone for a moment', async () => {
    const { alarms, clock, sent, world } = await start()
    await alarms.update(NTFY)
    const of = (code: 'offline' | 'banned' | 'not_moving', sender = 'SND-1') =>
      concern({ id: `${code}/${sender}`, code, sender_code: sender })
    world.concerns = [of('offline')]
    await clock.advance(7 * MINUTE)
    expect(sent).toHaveLength(1)
    // It came back for a moment, and was banned.
    world.concerns = [of('banned')]
    await clock.advance(60 * MINUTE)
    expect(sent.map(({ title }) => title).slice(1)).toEqual([expect.stringContaining('Kurir needs you')])
    expect(sent.map(({ title, body }) => title + body).join()).not.toContain('Solved')
    world.concerns = []
    await clock.advance(22 * MINUTE)
    expect(sent.at(-1)?.title).toMatch(/^Solved: .*(banned|blocked)/i)
    expect(sent.at(-1)?.body).not.toContain('offline')
    // The PC slept: what does not move is noticed again after a quarter of an hour.
    world.concerns = [of('not_moving')]
    await clock.advance(7 * MINUTE)
    const before = sent.length
    world.concerns = []
    await clock.advance(17 * MINUTE)
    world.concerns = [of('not_moving')]
    await clock.advance(60 * MINUTE)
    expect(sent).toHaveLength(before)
  })

  test('failures are solved when something has left since, not when an hour or the day is over', async () => {
    const { alarms, clock, sent, world, again } = await start()
    await alarms.update(NTFY)
    world.concerns = [concern({ id: 'messages_failing', code: 'messages_failing', failed: 8, count: 8 })]
    await clock.advance(7 * MINUTE)
    expect(sent).toHaveLength(1)
    world.concerns = []
    await clock.advance(60 * MINUTE)
    expect(sent, 'an hour later').toHaveLength(1)
    await alarms.stop()
    onTestFinished(again().stop)
    await clock.advance(60 * MINUTE)
    expect(sent, 'after a restart').toHaveLength(1)
    world.sentToday = 0
    await clock.advance(24 * 60 * MINUTE)
    expect(sent, 'on the next day').toHaveLength(1)
    world.sentToday = 1
    await clock.advance(2 * MINUTE)
    expect(sent.slice(1).map(({ title }) => title)).toEqual([expect.stringMatching(/^Solved: /)])
  })

  test('while the database cannot be read, that is reported; nothing of which nothing is known is called solved, or reported again', async () => {
    const { alarms, clock, sent, world } = await start()
    await alarms.update({ ...NTFY, daily_at: '14:30' })
    world.concerns = [concern()]
    await clock.advance(7 * MINUTE)
    expect(sent).toHaveLength(1)
    world.isRead = false
    world.concerns = [concern({ id: 'storage_server_away', code: 'storage_server_away' })]
    await clock.advance(60 * MINUTE)
    expect(sent.slice(1).map(({ title }) => title)).toEqual([
      'Kurir needs you: The database server does not answer: Kurir refuses new messages.',
    ])
    // The line of the day has no figures before.
    world.isRead = true
    world.concerns = [concern()]
    await clock.advance(2 * MINUTE)
    expect(sent.slice(2).map(({ title }) => title)).toEqual(['Kurir today'])
    await clock.advance(20 * MINUTE)
    expect(sent.slice(3).map(({ body }) => body)).toEqual([
      'Solved: The database server does not answer: Kurir refuses new messages.\n\nFrom the PC KASIR-1.',
    ])
  })

  test('what was told by a message alone that never left is told again', async () => {
    const { alarms, clock, sent, world } = await start()
    await alarms.update(NTFY)
    world.concerns = [concern()]
    world.seq = 7
    await clock.advance(30 * MINUTE)
    expect(sent).toHaveLength(1)
    world.lost = [7]
    world.seq = 8
    await clock.advance(30 * MINUTE)
    expect(sent.map(({ title }) => title)).toEqual(Array(2).fill('Kurir needs you: Bekasi was unlinked on the phone.'))
    world.lost = [7, 8]
    world.concerns = []
    await clock.advance(30 * MINUTE)
    expect(sent, 'nobody was told').toHaveLength(2)
  })

  test('what is only worth knowing after a while, as a node that is gone for a day, is not called solved', async () => {
    const { alarms, clock, sent, world, kept } = await start()
    await alarms.update(NTFY)
    const node = { id: 'node_gone/third', code: 'node_gone', detail: 'third', sender_code: null } as const
    world.concerns = [concern({ ...node, weight: 'warning' })]
    await clock.advance(7 * MINUTE)
    expect(sent).toHaveLength(1)
    world.concerns = [concern({ ...node, weight: 'note' })]
    await clock.advance(60 * MINUTE)
    expect(kept.get('alarm_state')).not.toContain('third')
    world.concerns = []
    await clock.advance(60 * MINUTE)
    expect(sent).toHaveLength(1)
  })

  test('several numbers that are offline together are not solved when one of them is back', async () => {
    const { alarms, clock, sent, world } = await start()
    await alarms.update(NTFY)
    world.concerns = [concern({ id: 'offline', code: 'offline', sender_code: null, sender_name: null, count: 2 })]
    await clock.advance(7 * MINUTE)
    world.concerns = [concern({ id: 'offline/SND-2', code: 'offline', sender_code: 'SND-2' })]
    await clock.advance(60 * MINUTE)
    expect(sent.map(({ title, body }) => title + body).join()).not.toContain('Solved')
  })

  test('of several nodes one reports; another one goes on where it ended, with the settings that any of them wrote', async () => {
    const { alarms, clock, sent, world, again } = await start()
    const other = again()
    onTestFinished(other.stop)
    await alarms.update(NTFY)
    expect(other.view().ntfy?.url).toBe(NTFY.ntfy.url)
    await other.update({ daily_at: '20:00' })
    expect(alarms.view().daily_at).toBe('20:00')
    world.mayTell = false
    world.concerns = [concern()]
    await clock.advance(10 * MINUTE)
    expect(sent).toEqual([])
    await alarms.stop()
    world.mayTell = true
    await clock.advance(2 * MINUTE)
    expect(sent).toHaveLength(1)
    const third = again()
    onTestFinished(third.stop)
    await clock.advance(60 * MINUTE)
    expect(sent).toHaveLength(1)
  })

  test('two windows that save at the same time both count', async () => {
    const { alarms } = await start()
    const telegram = { token: '7:x', chat_id: '42', api_url: 'https://api.telegram.org' }
    await Promise.all([alarms.update(NTFY), alarms.update({ telegram })])
    expect(alarms.view()).toMatchObject({ ntfy: { url: NTFY.ntfy.url }, telegram: { chat_id: '42' } })
  })

  test('a server that does not answer does not hold up the end of the program', async () => {
    const { alarms, clock, sent, world } = await start()
    await alarms.update(NTFY)
    world.concerns = [concern()]
    world.hangs = true
    await clock.advance(10 * MINUTE)
    await alarms.stop()
    expect(sent).toEqual([])
  })

  test('a short trouble is not reported, a restart reports nothing twice', async () => {
    const { alarms, clock, sent, world, again } = await start()
    await alarms.update(NTFY)
    world.concerns = [concern()]
    await clock.advance(4 * MINUTE)
    world.concerns = []
    await clock.advance(2 * MINUTE)
    world.concerns = [concern()]
    await clock.advance(4 * MINUTE)
    expect(sent).toEqual([])
    await clock.advance(3 * MINUTE)
    expect(sent).toHaveLength(1)
    await alarms.stop()
    const second = again()
    onTestFinished(second.stop)
    await clock.advance(10 * MINUTE)
    expect(sent).toHaveLength(1)
  })

  test('a clock that is set back by hours delays nothing', async () => {
    const { alarms, clock, sent, world } = await start()
    await alarms.update(NTFY)
    world.concerns = [concern()]
    await clock.advance(2 * MINUTE)
    clock.jump(-7 * 60 * MINUTE)
    world.refused = true
    await clock.advance(5 * MINUTE)
    expect(alarms.view().last?.failed).toHaveLength(1)
    world.refused = false
    clock.jump(-7 * 60 * MINUTE)
    await clock.advance(10 * MINUTE)
    expect(sent).toHaveLength(1)
  })

  test('what no road takes is tried again, less and less often, and said in the settings', async () => {
    const { alarms, clock, sent, world } = await start()
    await alarms.update(NTFY)
    world.concerns = [concern()]
    world.refused = true
    await clock.advance(10 * MINUTE)
    expect(alarms.view().last?.failed).toMatchObject([{ kind: 'ntfy', error: 'nothing listens there' }])
    world.refused = false
    await clock.advance(20 * MINUTE)
    expect(sent).toHaveLength(1)
    expect(alarms.view().last?.failed).toEqual([])
  })

  test('the daily line comes once, at its time or later on that day', async () => {
    const { alarms, clock, sent, world } = await start()
    await alarms.update({ ...NTFY, daily_at: '13:00' })
    await clock.advance(MINUTE)
    expect(sent, 'the hour had passed when it was asked for').toEqual([])
    await alarms.update({ daily_at: '20:00' })
    await clock.advance(5 * 60 * MINUTE)
    expect(sent).toEqual([])
    await clock.advance(62 * MINUTE)
    expect(sent).toEqual([
      { title: 'Kurir today', body: 'Today 214 sent, 3 failed, 2 waiting. All is well.\n\nFrom the PC KASIR-1.' },
    ])
    await clock.advance(60 * MINUTE)
    expect(sent).toHaveLength(1)
    world.concerns = [concern()]
    await clock.advance(24 * 60 * MINUTE)
    expect(sent.at(-1)?.body).toMatch(/^Today 214 sent.*Bekasi was unlinked/)
  })

  test('a day on which the PC was off at the time of its line gets it with the next start', async () => {
    const { alarms, clock, sent, world, again } = await start()
    const dayOf = (day: string, count: number) => ({ day, sent: count, delivered: 0, read: 0, failed: count / 20 })
    world.days = [dayOf('2026-11-20', 100), dayOf('2026-11-21', 60), dayOf('2026-11-22', 0), dayOf('2026-11-23', 20)]
    await alarms.update({ ...NTFY, daily_at: '18:00' })
    await clock.advance(3 * 60 * MINUTE)
    await alarms.stop()
    clock.sleep(39.5 * 60 * MINUTE)
    const monday = again()
    onTestFinished(monday.stop)
    await clock.advance(2 * MINUTE)
    const saturday = { title: 'Kurir on Sat 21 Nov', body: expect.stringMatching(/^60 sent, 3 failed\./) }
    expect(sent, 'not for the days before it was set').toEqual([saturday])
    await clock.advance(8 * 60 * MINUTE)
    expect(sent).toHaveLength(1)
    await clock.advance(2 * 60 * MINUTE)
    expect(sent.slice(1).map(({ title }) => title)).toEqual(['Kurir today'])
  })
})
