import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createVault } from '../../server/lib/vault.ts'
import { openDataKey } from '../../server/settings/data-key.ts'
import { openStore, PLACES, type SealedStore, type Store } from '../../server/store/index.ts'
import { startApp } from '../support/app.ts'
import { temporaryFolder } from '../support/folder.ts'
import { newRow } from '../support/new-message.ts'
import { type Received, startReceiver, verify } from '../support/receiver.ts'

const NOW = Date.UTC(2026, 10, 21, 8)
const shellKey = Buffer.alloc(32, 7)
const KEYS = ['session/6281.0', 'pre-key/1', 'salt/a/b']
const settings = {
  name: 'Shop',
  pacing: { min_seconds: 0, max_seconds: 0 },
  daily_cap: null,
  quiet_hours: null,
  country_code: null,
  second_road: null,
}

/** The store of a folder with its data key, as a start opens them. */
async function open(home: string, cut: Partial<SealedStore> = {}) {
  const store = await openStore({ home, now: () => NOW, soon: 0 })
  let isOpen = true
  const close = async () => {
    if (isOpen) await store.close()
    isOpen = false
  }
  onTestFinished(close)
  if (store.sealed === null) throw new Error('a folder has a key of its own')
  const sealed = { ...store.sealed, ...cut }
  return { store, close, sealed, dataKey: () => openDataKey(home, { ...store, sealed }, shellKey) }
}

/** A folder with a sealed value in every place; each holds the name of its place. */
async function fill(home: string): Promise<Buffer> {
  const { store, close, dataKey } = await open(home)
  const { vault, bytes, rotate } = await dataKey()
  const seal = (place: string) => vault.seal(place, place)
  const sender = {
    code: 'SND-1',
    kind: 'official',
    settings,
    state: 'connected',
    official: null,
    createdAt: NOW,
  } as const
  const { id } = await store.senders.add(sender, (own) => seal(PLACES.sender(own)))
  const endpoint = {
    url: 'http://127.0.0.1:9',
    events: ['message.received'],
    format: 'kurir',
    senderCodes: null,
    enabled: true,
  } as const
  const hook = await store.endpoints.add({ ...endpoint, events: [...endpoint.events], createdAt: NOW }, (own) =>
    seal(PLACES.endpoint(own)),
  )
  await store.endpoints.change(hook.id, () => ({
    replacedSecrets: [1, 2].map((until) => ({ secret: seal(PLACES.endpoint(hook.id)), until: NOW + until })),
  }))
  const reply = {
    senderId: id,
    senderCode: 'SND-1',
    providerMessageId: 'R1',
    author: 1,
    at: NOW,
    expiresAt: NOW + 1000,
  }
  await store.replies.add({ ...reply, body: seal(PLACES.reply) })
  await store.meta.save('alarms', seal(PLACES.alarms).toString('base64'))
  for (const generation of ['current', 'last_good'] as const)
    await store.sessions.change(id, {
      credentials: { generation, value: seal(PLACES.session(id, 'credentials')), at: NOW },
    })
  await store.sessions.setKeys(
    id,
    KEYS.map((each) => {
      const [type = '', ...rest] = each.split('/')
      return { type, id: rest.join('/'), value: seal(PLACES.session(id, each)) }
    }),
  )
  await store.messages.accept(newRow({ senderId: id }), { unique: false })
  await rotate()
  await close()
  return bytes
}

/** What lies in every place, opened. */
async function contents(store: Store, key: Buffer): Promise<string[]> {
  const vault = createVault(key)
  const opened = (value: Uint8Array | null | undefined, place: string) =>
    vault.open(value ?? Buffer.alloc(0), place).toString()
  const [sender] = store.senders.list()
  const [hook] = store.endpoints.list()
  const id = sender?.id ?? 0
  const secrets = [hook?.secret, ...(hook?.replacedSecrets ?? []).map(({ secret }) => secret)]
  const inSessions: string[] = []
  for (const generation of ['current', 'last_good'] as const)
    inSessions.push(opened(await store.sessions.credentials(id, generation), PLACES.session(id, 'credentials')))
  for (const place of KEYS) {
    const [type = '', ...rest] = place.split('/')
    inSessions.push(opened(await store.sessions.getKey(id, type, rest.join('/')), PLACES.session(id, place)))
  }
  return [
    opened(sender?.secrets, PLACES.sender(id)),
    ...secrets.map((secret) => opened(secret, PLACES.endpoint(hook?.id ?? 0))),
    opened((await store.events.get(await store.events.newest()))?.reply, PLACES.reply),
    opened(Buffer.from(store.meta.get('alarms') ?? '', 'base64'), PLACES.alarms),
    ...inSessions,
  ]
}

const EVERYTHING = [
  ...['sender 1', 'webhook/1', 'webhook/1', 'webhook/1', 'reply', 'alarms'],
  ...['1/credentials', '1/credentials', '1/session/6281.0', '1/pre-key/1', '1/salt/a/b'],
]

describe('a new data key', () => {
  test('seals everything with the new key at the next start, and nothing of the old seals is left in a file', async () => {
    const home = temporaryFolder()
    const before = await fill(home)
    const db = new Database(join(home, 'sessions.db'), { readonly: true })
    const old = (db.prepare('SELECT value FROM signal_keys').pluck().all() as Buffer[])[0] ?? Buffer.alloc(0)
    db.close()
    const { store, close, dataKey } = await open(home)
    const { bytes } = await dataKey()
    expect(bytes.equals(before)).toBe(false)
    expect(await contents(store, bytes)).toEqual(EVERYTHING)
    await expect(contents(store, before)).rejects.toThrow()
    expect([store.meta.get('data_key_before'), store.meta.get('data_key_rotation')]).toEqual([undefined, undefined])
    await close()
    const files = readdirSync(home).filter((name) => name.includes('.db'))
    expect(files.filter((name) => readFileSync(join(home, name)).includes(old))).toEqual([])
    expect((await (await open(home)).dataKey()).bytes.equals(bytes)).toBe(true)
  })

  test('that is cut off before its first step changed anything: the old one is there, and it is made at the next start', async () => {
    const home = temporaryFolder()
    const before = await fill(home)
    const first = await open(home)
    let sealed = 0
    const breaking: SealedStore['begin'] = (keys, reseal) =>
      first.sealed.begin(keys, (value, place) => {
        sealed += 1
        if (sealed === 4) throw new Error('power cut')
        return reseal(value, place)
      })
    await expect(
      openDataKey(home, { ...first.store, sealed: { ...first.sealed, begin: breaking } }, shellKey),
    ).rejects.toThrow('power cut')
    expect(await contents(first.store, before)).toEqual(EVERYTHING)
    await first.close()
    const second = await open(home)
    expect(await contents(second.store, (await second.dataKey()).bytes)).toEqual(EVERYTHING)
  })

  test('that is cut off between the two files, or while the second is written, is finished by the next start', async () => {
    const home = temporaryFolder()
    const before = await fill(home)
    const cut = async () => {
      throw new Error('power cut')
    }
    const first = await open(home, { finish: cut })
    await expect(first.dataKey()).rejects.toThrow('power cut')
    await first.close()
    // The second file was written, and the key before was not forgotten.
    const second = await open(home)
    const kept = second.store.meta.get('data_key_before') ?? ''
    const { bytes } = await second.dataKey()
    await second.store.meta.save('data_key_before', kept)
    await second.close()
    const third = await open(home)
    expect((await third.dataKey()).bytes.equals(bytes)).toBe(true)
    expect(await contents(third.store, bytes)).toEqual(EVERYTHING)
    expect(third.store.meta.get('data_key_before')).toBeUndefined()
    expect(bytes.equals(before)).toBe(false)
  })
})

test('every column of bytes is sealed with the new key, or holds nothing sealed', async () => {
  const home = temporaryFolder()
  const { close } = await open(home)
  await close()
  const columns = ['kurir.db', 'sessions.db'].flatMap((name) => {
    const db = new Database(join(home, name), { readonly: true })
    const found = db
      .prepare(
        `SELECT m.name || '.' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c
         WHERE m.type = 'table' AND c.type = 'BLOB' AND m.name NOT LIKE 'messages_words%'`,
      )
      .pluck()
      .all() as string[]
    db.close()
    return found
  })
  const sealed = [
    'credentials.value',
    'replies.body',
    'senders.secrets',
    'signal_keys.value',
    'webhook_endpoints.secret',
  ]
  const plain = columns.filter((name) => !sealed.includes(name))
  expect(sealed.filter((name) => !columns.includes(name))).toEqual([])
  // Digests, and what is in the clear.
  expect(
    plain.filter((name) => !/hash$|digest$|^meta_inbox\.body$|^(message_contents|prints)\.content$/.test(name)),
  ).toEqual([])
})

test('it comes at the next start after the owner asked for it, and callers notice nothing', async () => {
  const receiver = await startReceiver()
  const app = await startApp()
  const { secret } = (await app.owner<{ secret: string }>('/api/webhooks', { body: { url: receiver.url } })).body.data
  const keptKey = () => app.app.store.meta.get('data_key')
  const before = keptKey()
  const answer = await app.owner('/api/data-key/rotate', { method: 'POST' })
  expect(answer.body).toMatchObject({ success: true, data: { restarts: false } })
  expect(keptKey()).toBe(before)
  await app.restart()
  expect(keptKey()).not.toBe(before)
  await app.owner('/api/webhooks/1/test', { method: 'POST' })
  const { event: _, ...call } = await receiver.event('webhook.test')
  expect(() => verify(call as Received, secret)).not.toThrow()
})
