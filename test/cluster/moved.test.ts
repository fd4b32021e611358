import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { HOUR } from '../../server/lib/clock.ts'
import { openStore } from '../../server/store/index.ts'
import { moveToFolder, moveToServer } from '../../server/store/transfer/index.ts'
import { ask, OWNER_TOKEN, startProgram } from '../crash/program.ts'
import { programFile, SPARSE_ENV } from '../support/built.ts'
import { type CutWire, startCutWire } from '../support/cut-wire.ts'
import { databaseOf, openShared } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { newRow } from '../support/new-message.ts'
import { run } from '../support/run.ts'

type Env = Record<string, string>

async function begin(home: string, env?: Env) {
  const program = await startProgram(home, env)
  onTestFinished(program.kill)
  return program
}

/** A row of `meta` in a folder, without opening it for more than that. */
function metaOf(home: string, name: string): string | undefined {
  const db = new Database(join(home, 'kurir.db'), { readonly: true })
  try {
    return db.prepare<[string], { value: string }>('SELECT value FROM meta WHERE name = ?').get(name)?.value
  } finally {
    db.close()
  }
}

/** A database, and a wire to it; and a folder in which a message waits for an hour. */
async function usedFolder() {
  const home = temporaryFolder()
  const program = await begin(home)
  const later = new Date(Date.now() + HOUR).toISOString()
  const body = { phone: '6281234567890', message: 'Halo', sender_code: 'SND-SANDBOX', send_at: later }
  const { id } = await ask<{ id: string }>(program, '/send', body)
  await program.stop()
  const direct = await databaseOf(home)
  const wire = await startCutWire(Number(new URL(direct).port))
  onTestFinished(wire.close)
  const url = Object.assign(new URL(direct), { port: String(wire.port) }).href
  const client = new pg.Client({ connectionString: direct })
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.end())
  const meta = async (name: string) =>
    (await client.query<{ value: string }>('SELECT value FROM meta WHERE name = $1', [name])).rows[0]?.value
  return {
    home,
    id,
    url,
    wire,
    client,
    meta,
    node: { KURIR_DATABASE_URL: url, KURIR_VAULT_KEY_FILE: join(home, 'vault.key') },
  }
}

const envOf = (home: string, more: Env = {}) => ({
  ...SPARSE_ENV,
  KURIR_HOME: home,
  KURIR_PORT: '0',
  KURIR_WEBHOOK_PORT: '0',
  KURIR_OWNER_TOKEN: OWNER_TOKEN,
  ...more,
})

/** A command to its end. */
const kurir = (home: string, args: string[], more?: Env) =>
  run([process.execPath, programFile('cli'), ...args], { env: envOf(home, more) })

/** A command that is killed as by a power cut, when the wire has been cut and then something holds. */
async function killed(
  { home, wire, args, more }: { home: string; wire: CutWire; args: string[]; more?: Env },
  cutAfter: string[],
  then: () => boolean | Promise<boolean>,
): Promise<void> {
  wire.cutAfter(...cutAfter)
  const child = spawn(process.execPath, [programFile('cli'), ...args], { env: envOf(home, more), stdio: 'ignore' })
  const ended = once(child, 'exit')
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`)
    return then()
  })
  child.kill('SIGKILL')
  await ended
  wire.join()
}

test('neither a folder nor a database is started again that was moved, until its owner says so', async () => {
  const { home, id, url, meta, node } = await usedFolder()
  const typed = await kurir(home, ['migrate-to', url], node)
  expect([typed.code, typed.out, typed.err]).toEqual([
    2,
    '',
    expect.stringMatching(/KURIR_DATABASE_URL.*change that password/),
  ])
  expect(await kurir(home, ['migrate-to', 'database'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('Set KURIR_DATABASE_URL'),
  })
  expect(await kurir(home, ['migrate-to', 'database'], node)).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringContaining('Kurir does not start'),
  })
  const left = await kurir(home, ['start'])
  expect([left.code, left.out]).toEqual([78, ''])
  const { host, pathname } = new URL(url)
  expect(left.err).toMatch(/^Everything was moved away from here.*start Kurir there.*".*kurir reopen --yes"/)
  expect(left.err).toContain(`(${home}, to ${host}${pathname}, 20`)
  expect(left.err, 'nothing but that').not.toMatch(/ready/)
  const again = await kurir(home, ['migrate-to', 'database'], node)
  expect([again.code, again.err]).toEqual([1, left.err])

  const first = await begin(temporaryFolder(), node)
  expect(await ask(first, `/messages/${id}`)).toMatchObject({ status: 'queued' })
  await first.stop()
  const back = join(temporaryFolder(), 'back')
  expect(await kurir(temporaryFolder(), ['migrate-to', back], node)).toMatchObject({
    code: 0,
    out: expect.stringContaining('No node starts on the database'),
  })
  const refused = await kurir(temporaryFolder(), ['start'], node)
  expect([refused.code, refused.out]).toEqual([78, ''])
  expect(refused.err).toContain(`(${host}${pathname}, to ${back}, 20`)
  copyFileSync(join(home, 'vault.key'), join(back, 'vault.key'))
  const pc = await begin(back)
  expect(await ask(pc, `/messages/${id}`)).toMatchObject({ status: 'queued' })
  await pc.stop()

  for (const [where, more] of [
    [home, undefined],
    [temporaryFolder(), node],
  ] as const) {
    const unsure = await kurir(where, ['reopen'], more)
    expect([unsure.code, unsure.out]).toEqual([2, ''])
    expect(unsure.err).toContain('--yes')
    const opened = await kurir(where, ['reopen', '--yes'], more)
    expect([opened.code, opened.err, opened.out]).toEqual([0, '', expect.stringContaining('paused')])
    const program = await begin(where, more)
    expect(await ask(program, `/messages/${id}`)).toMatchObject({ status: 'queued' })
    expect(await ask(program, '/api/senders/SND-SANDBOX')).toMatchObject({ paused: true })
    await program.stop()
  }
  const pausedBy = [metaOf(home, 'paused_by_return'), await meta('paused_by_return')]
  expect(pausedBy, 'not the owner').toEqual(['SND-SANDBOX', 'SND-SANDBOX'])
  expect((await kurir(home, ['reopen', '--yes'])).out).toBe('Nothing was moved away from here.\n')
})

test('a move into a database that was cut off by a power cut: nothing starts on the folder, and it is repeated', async () => {
  const { home, id, wire, client, meta, node } = await usedFolder()
  const args = ['migrate-to', 'database']
  const arrived = async () => (await meta('moved_by').catch(() => undefined)) !== undefined
  await killed({ home, wire, args, more: node }, ['moved_by', 'COMMIT'], arrived)
  const left = await kurir(home, ['start'])
  expect([left.code, left.err]).toEqual([
    78,
    expect.stringMatching(/was interrupted.*repeat it.*".*kurir reopen --yes"/),
  ])
  const other = { ...node, KURIR_DATABASE_URL: await databaseOf(temporaryFolder()) }
  const elsewhere = await kurir(home, args, other)
  expect([elsewhere.code, elsewhere.err]).toEqual([1, left.err])

  // As when its commit had not arrived there.
  await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
  await killed({ home, wire, args, more: node }, ['moved_by', 'COMMIT'], arrived)
  const repeated = await kurir(home, args, node)
  expect([repeated.code, repeated.out]).toEqual([0, expect.stringMatching(/^Everything had been copied/)])
  expect((await kurir(home, ['start'])).err).toMatch(/^Everything was moved away/)
  const program = await begin(temporaryFolder(), node)
  expect(await ask(program, `/messages/${id}`)).toMatchObject({ status: 'queued' })
  await program.stop()
})

test('a move into a folder that was cut off: nothing starts on the database, and it is repeated', async () => {
  const { home, id, wire, meta, node } = await usedFolder()
  expect((await kurir(home, ['migrate-to', 'database'], node)).code).toBe(0)
  const back = join(temporaryFolder(), 'back')
  const args = ['migrate-to', back]
  // The mark is there, and nothing in the folder.
  await killed(
    { home: temporaryFolder(), wire, args, more: node },
    ['pg_terminate_backend', 'COMMIT'],
    async () => (await meta('moved_to')) !== undefined,
  )
  const refused = await kurir(temporaryFolder(), ['start'], node)
  expect([refused.code, refused.err]).toEqual([78, expect.stringMatching(/was interrupted.*repeat it/)])
  const elsewhere = await kurir(temporaryFolder(), ['migrate-to', join(temporaryFolder(), 'other')], node)
  expect([elsewhere.code, elsewhere.err]).toEqual([1, refused.err])

  // Everything is in the folder, and the database does not know it yet.
  await killed(
    { home: temporaryFolder(), wire, args, more: node },
    ['pg_terminate_backend', 'COMMIT', 'moved_to'],
    () => metaOf(back, 'moved_by') !== undefined,
  )
  const repeated = await kurir(temporaryFolder(), args, node)
  expect([repeated.code, repeated.out]).toEqual([0, expect.stringMatching(/^Everything had been copied/)])
  expect((await kurir(temporaryFolder(), ['start'], node)).err).toMatch(/^Everything was moved away/)
  copyFileSync(join(home, 'vault.key'), join(back, 'vault.key'))
  const pc = await begin(back)
  expect(await ask(pc, `/messages/${id}`)).toMatchObject({ status: 'queued' })
  await pc.stop()
})

test('a node that was cut off while its database was left accepts and holds nothing when it is back', async () => {
  const { home, url, client } = await usedFolder()
  await moveToServer(home, url)
  const store = await openShared({ home: temporaryFolder(), databaseUrl: url, node: 'a', now: Date.now })
  onTestFinished(store.close)
  const facts = { url: null, version: '1', startedAt: 1 }
  const [sender] = store.senders.list()
  const senderId = sender?.id ?? 0
  expect(await store.nodes.renew(facts)).toEqual([senderId])
  const accept = () => store.messages.accept(newRow({ senderId }), { unique: false })
  await accept()
  // Nobody has heard of it for long.
  await client.query("UPDATE nodes SET seen_at = now() - interval '1 minute'")
  const back = join(temporaryFolder(), 'back')
  await moveToFolder(url, back)
  await eventually(() => store.problem() === 'moved')
  await expect(accept()).rejects.toThrow(/Everything was moved away from here/)
  await expect(store.nodes.renew(facts)).rejects.toThrow(/Everything was moved away from here/)
  expect(await store.probe()).toBe(false)
  // What the copy holds is what this node was answered with.
  const copy = await openStore({ home: back, now: Date.now })
  onTestFinished(copy.close)
  expect(copy.queues.waiting(senderId)).toBe(store.queues.waiting(senderId))
})

test('what is written while a database is being left is in the copy, or refused', async () => {
  const { home, url, client } = await usedFolder()
  await moveToServer(home, url)
  const store = await openShared({ home: temporaryFolder(), databaseUrl: url, node: 'a', now: Date.now })
  onTestFinished(store.close)
  const [sender] = store.senders.list()
  const senderId = sender?.id ?? 0
  // As one that has begun to write, and is slow.
  await client.query('BEGIN')
  await client.query("INSERT INTO meta (name, value) VALUES ('backup_at', '7')")
  const back = join(temporaryFolder(), 'back')
  const moving = moveToFolder(url, back)
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'LOCK TABLE%'"
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  onTestFinished(() => other.end())
  await eventually(async () => (await other.query(waiting)).rows.length === 1)
  const late = store.messages.accept(newRow({ senderId }), { unique: false }).then(
    () => 'accepted',
    (error: unknown) => String(error),
  )
  await client.query('COMMIT')
  await moving
  expect(metaOf(back, 'backup_at')).toBe('7')
  expect(await late, 'ended').toMatch(/does not answer/)
  await expect(store.messages.accept(newRow({ senderId }), { unique: false })).rejects.toThrow(/was moved away/)
})

test('a backup of a database that was filled by a move does not say so: it may be restored anywhere', async () => {
  const { home, url, meta } = await usedFolder()
  await moveToServer(home, url)
  expect(await meta('moved_by')).toEqual(expect.any(String))
  const store = await openShared({ home: temporaryFolder(), databaseUrl: url, node: 'a', now: Date.now })
  onTestFinished(store.close)
  const backup = temporaryFolder()
  await store.copyTo(backup)
  expect(metaOf(backup, 'moved_by')).toBeUndefined()
})
