import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect } from 'vitest'
import { unpackArchive, unseal } from '../../server/slices/backup/archive.ts'
import type { BackupPlanView, EmergencySheet } from '../../server/slices/backup/contract.ts'
import { OWNER_TOKEN, SANDBOX } from './app.ts'
import { eventually } from './eventually.ts'
import { temporaryFolder } from './folder.ts'
import { startProgram } from './program.ts'
import { samples } from './samples.ts'

const MESSAGES = 60
const WITH_FILE = 5

/** Kills the real program while it makes backups, and opens every backup with a final name. */
export async function killWhileBackingUp(kills: number) {
  const program = await startProgram({})
  for (let n = 0; n < MESSAGES; n += 1) {
    const form = new FormData()
    const fields = { phone: '6281234567890', message: `${n} `.repeat(800), sender_code: SANDBOX, delay: '3600' }
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    if (n < WITH_FILE) form.set('file', new Blob([samples.pdf, Buffer.alloc(2_000_000, n)]), 'inv.pdf')
    const headers = { authorization: `Bearer ${OWNER_TOKEN}` }
    expect((await fetch(`${program.url}/send`, { method: 'POST', headers, body: form })).status).toBe(200)
  }
  const folder = temporaryFolder()
  const plan = async () => (await program.owner<{ data: BackupPlanView }>('/api/backup/plan')).body.data
  await program.patch('/api/backup/plan', { folder })
  const began = performance.now()
  expect((await program.owner('/api/backup/plan/run', {})).status).toBe(200)
  const tookMs = performance.now() - began
  const { key } = (await program.owner<{ data: EmergencySheet }>('/api/backup/sheet')).body.data

  const good = new Map<string, Buffer>()
  const cut = { parts: 0 }
  /** Opens every new backup with a final name, and checks that earlier ones did not change. */
  async function judge(): Promise<void> {
    const names = readdirSync(folder).filter((name) => name.endsWith('.kurirbackup'))
    cut.parts += readdirSync(folder).filter((name) => name.endsWith('.part')).length
    expect(names.length, 'the former backup is gone').toBeGreaterThan(0)
    for (const name of names) {
      const bytes = readFileSync(join(folder, name))
      const known = good.get(name)
      if (known === undefined) await open(name)
      else expect(bytes.equals(known), `${name} was changed`).toBe(true)
      good.set(name, bytes)
    }
    for (const name of good.keys()) if (!names.includes(name)) good.delete(name)
  }

  async function open(name: string): Promise<void> {
    const opened = temporaryFolder()
    const about = await unpackArchive(unseal(createReadStream(join(folder, name)), key), opened)
    expect(about.files.filter((file) => file.name.startsWith('files/'))).toHaveLength(WITH_FILE)
    for (const file of ['kurir.db', 'sessions.db']) {
      const db = new Database(join(opened, file))
      expect(db.pragma('quick_check', { simple: true }), `${name}: ${file}`).toBe('ok')
      if (file === 'kurir.db') expect(db.prepare('SELECT count(*) FROM messages').pluck().get()).toBe(MESSAGES)
      db.close()
    }
  }

  await judge()
  for (let kill = 0; kill < kills; kill += 1) {
    let hasEnded = false
    const running = program
      .owner('/api/backup/plan/run', {})
      .catch(() => undefined)
      .finally(() => {
        hasEnded = true
      })
    // The first kill hits a backup that is being written; the others are spread over all steps of a
    // backup, including the last ones.
    const isWriting = () => readdirSync(folder).some((name) => name.endsWith('.part'))
    if (kill === 0) await eventually(() => hasEnded || isWriting())
    else await pause((tookMs * 1.2 * (kill + Math.random())) / kills)
    await program.kill()
    await running
    await judge()
    await program.start()
    const { last } = await plan()
    expect(existsSync(join(folder, last?.file ?? '')), 'what is told to be the last one is there').toBe(true)
  }

  const [newest = ''] = [...good.keys()].sort().reverse()
  const other = await startProgram({})
  const answer = await fetch(`${other.url}/api/restore`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${OWNER_TOKEN}`,
      'content-type': 'application/octet-stream',
      'x-passphrase': key,
    },
    body: readFileSync(join(folder, newest)),
  })
  expect(answer.status, 'the newest one restores').toBe(200)
  return { kills, cut: cut.parts, good: good.size, tookMs: Math.round(tookMs) }
}
